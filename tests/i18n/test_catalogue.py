"""Both languages say the same things, all that they say is said somewhere, and Chinese is written as Chinese is."""

from __future__ import annotations

import errno
import re
import string
import subprocess
import sys
from collections.abc import Collection
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.cli.grammar import COMMANDS, GLOBAL, HEADLESS, SESSION
from helloclaw.doctor.check import Name
from helloclaw.i18n import AdvisedError, Phrase, SpokenError, choose, phrase_of, texts
from helloclaw.i18n.en import TEXTS as EN
from helloclaw.i18n.zh import TEXTS as ZH
from helloclaw.llm.events import FailureKind
from helloclaw.memory.store import Outcome
from helloclaw.protocol.events import Mode
from helloclaw.schedule.expression import FIELDS
from helloclaw.settings.values import Level
from helloclaw.settings.waiting import FILES, TREES
from helloclaw.skills.skill import Where
from helloclaw.slash.registry import built_in
from tests.i18n.sources import ids, spoken

SCOPES = ("session", "project", "user")
# What can stand after the beginning of an id that the program computes. Help has a test of its own.
COMPUTED: dict[str, Collection[str]] = {
    "ask.always.": SCOPES,
    "ask.now_always.": SCOPES,
    "config.source.": get_args(Level),
    "cron.field.": FIELDS,
    "doctor.name.": get_args(Name),
    "failure.": (*get_args(FailureKind), "settings", "storage", "bug"),
    "help.action.": [key.removeprefix("help.action.") for key in EN if key.startswith("help.action.")],
    "help.command.": [key.removeprefix("help.command.") for key in EN if key.startswith("help.command.")],
    "help.option.": [key.removeprefix("help.option.") for key in EN if key.startswith("help.option.")],
    "hooks.row.": ("event", "matcher", "command", "runs", "last", "time"),
    "hooks.state.": ("none", "untrusted", "disabled", "on"),
    "memory.outcome.": get_args(Outcome),
    "memory.said_by.": ("user", "assistant"),
    "mode.": get_args(Mode),
    "model.check.": ("connection", "streaming", "tool_call", "usage", "thinking"),
    "model.key.": ("set", "missing", "unneeded"),
    "model.phase.": ("resuming", "fetching", "done"),
    "model.state.": ("ok", "no", "off"),
    "notice.": ("cost_limit", "step_limit", "denials"),
    "permissions.behaviour.": ("allow", "ask", "deny"),
    "phase.": ("idle", "thinking", "answering", "tool", "waiting", "asking", "noting", "compacting"),
    "repl.": ("interrupted", "limit"),
    "retry.": get_args(FailureKind),
    "skills.": ("outside", "too_long"),
    "skills.head.": ("yaml", "alias", "deep", "large", "twice", "no_mapping"),
    "slash.": [command.name for command in built_in()],
    "slash.context.": ("system", "tools", "user", "assistant", "results", "notes"),
    "slash.skills.from.": get_args(Where),
    "slash.skills.row.": ("file", "license", "compatibility", "triggers", "tools", "metadata"),
    "slash.rules.": ("user", "project", "flag", "session"),
    "system.": errno.errorcode.values(),
    "trust.what.": [*FILES, *TREES],
}
# Beginnings that look like an id's: of a module, of a setting, of a file.
NO_IDS = {"helloclaw.cli.", "llm.", "role."}

HAN = r"\u3400-\u9fff"


def fields_of(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_both_languages_have_the_same_texts_with_the_same_fields() -> None:
    assert {key: fields_of(text) for key, text in ZH.items()} == {key: fields_of(text) for key, text in EN.items()}


def test_every_chinese_text_that_has_words_is_chinese() -> None:
    same = {key for key in EN if ZH[key] == EN[key] and re.search(r"[A-Za-z]{2}", re.sub(r"{\w+}", "", EN[key]))}
    assert same <= {"transcript.assistant", "config.source.dotenv", "slash.skills.from.shipped"}


def test_every_command_and_option_has_its_help() -> None:
    commands = [command for command in COMMANDS if command.ready]
    options = [*GLOBAL, *SESSION, *HEADLESS, *(option for command in commands for option in command.options)]
    options += [option for command in commands for action in command.actions for option in action.options]
    wanted = {option.help_id for option in options}
    wanted |= {f"help.command.{command.name}" for command in COMMANDS}
    wanted |= {f"help.action.{command.name}.{action.name}" for command in commands for action in command.actions}
    there = {key for key in EN if key.startswith(("help.option.", "help.command.", "help.action."))}
    assert there == wanted


def test_what_is_spoken_is_in_the_catalogue_with_all_its_fields() -> None:
    missing = list[str]()
    for call in spoken():
        keys = (call.key, f"{call.key}.hint") if call.advises else (call.key,)
        missing += [f"{call.place}: {key}" for key in keys if key not in EN]
        wanted = {field for key in keys if key in EN for field in fields_of(EN[key])}
        if call.fields is not None and (left := wanted - call.fields):
            missing.append(f"{call.place}: {call.key} without {sorted(left)}")
    assert missing == []


def test_every_text_is_spoken_somewhere() -> None:
    written = ids()
    computed = {f"{prefix}{value}" for prefix, values in COMPUTED.items() for value in values}
    assert [key for key in EN if not written.speak(key, computed)] == []


def test_the_values_of_every_computed_id_are_known() -> None:
    assert ids().prefixes - NO_IDS == COMPUTED.keys()


@pytest.mark.parametrize(
    ("rule", "pattern"),
    [
        ("full-width punctuation beside Chinese", rf"[{HAN}][,;:?!]|[,;?!][{HAN}]"),
        ("a full stop that is Chinese", rf"[{HAN}]\.(?!\w)"),
        ("a space between Chinese and Latin", rf"[{HAN}][A-Za-z0-9]|[A-Za-z0-9][{HAN}]"),
        ("full-width brackets around Chinese", rf"[{HAN}]\(|\)[{HAN}]|\([{HAN}]"),
        ("Chinese quotes around Chinese", rf"(?<!-p )[\"'][{HAN}]|[{HAN}][\"'](?<!提示词\")"),
        ("no space beside full-width punctuation", r"[，。；：！？、（）“”] (?! )(?!\n)|(?<! ) [，。；：！？、（）]"),
        ("the ellipsis as one character", r"\.\.\."),
        ("the words of the project", "提供商|供应商|令牌|登陆|帐户|缺省"),
    ],
)
def test_chinese_is_written_as_chinese_is(rule: str, pattern: str) -> None:
    wrong = {key: text for key, text in ZH.items() if re.search(pattern, text)}
    assert wrong == {}, rule


@pytest.mark.parametrize(("lang", "other"), [("en", "zh"), ("zh", "en")])
def test_only_the_language_in_use_is_loaded(lang: str, other: str) -> None:
    program = f"import sys; from helloclaw.i18n import texts; texts({lang!r}); print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert (f"helloclaw.i18n.{lang}" in loaded, f"helloclaw.i18n.{other}" in loaded) == (True, False)


@pytest.mark.parametrize(
    ("wanted", "environ", "lang"),
    [
        (None, {}, "en"),
        (None, {"LANG": "zh_CN.UTF-8"}, "zh"),
        (None, {"LANG": "zh_TW.UTF-8", "LC_MESSAGES": "C"}, "en"),
        (None, {"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, "zh"),
        (None, {"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
        ("auto", {"LANG": "zh_CN.UTF-8"}, "zh"),
        ("en", {"LANG": "zh_CN.UTF-8"}, "en"),
        ("zh-CN", {}, "zh"),
    ],
)
def test_the_language_is_the_one_asked_for_else_the_locales(
    wanted: str | None, environ: dict[str, str], lang: str
) -> None:
    assert choose(wanted, environ) == lang


def test_a_phrase_may_speak_another() -> None:
    place = Phrase("place.line", file="~/x", line=4)
    error = SpokenError("settings.not_utf8", place=place)
    assert str(error) == "settings: ~/x line 4: not UTF-8; save the file as UTF-8"
    assert texts("zh").say(error.phrase) == "设置：~/x 第 4 行：不是 UTF-8；请把文件存为 UTF-8"


def test_an_error_with_advice_says_both() -> None:
    error = AdvisedError("endpoint.no_key", provider="zhipu", variable="ZHIPU_API_KEY")
    assert (str(error), error.hint) == (
        "zhipu needs an API key and none is set",
        "Set ZHIPU_API_KEY, or llm.api_key in the settings.",
    )
    said = "zhipu 需要 API 密钥，但没有设置。请设置 ZHIPU_API_KEY，或设置里的 llm.api_key。"
    assert texts("zh").say(error.phrase) == said


NAMES = st.text("abc", min_size=1, max_size=3).filter(lambda name: name != "key")


@st.composite
def phrases(draw: st.DrawFn, depth: int = 2) -> Phrase:
    value = st.text() | phrases(depth - 1) if depth else st.text()
    return Phrase(draw(NAMES), **draw(st.dictionaries(NAMES, value, max_size=3)))


@given(phrases())
def test_a_stored_phrase_is_read_back(phrase: Phrase) -> None:
    assert phrase_of(phrase.key, phrase.values) == phrase
