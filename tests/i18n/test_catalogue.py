"""Both languages say the same things, and the program says nothing else."""

from __future__ import annotations

import ast
import re
import string
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helloclaw.cli.grammar import COMMANDS, GLOBAL, HEADLESS, SESSION
from helloclaw.i18n import Phrase, SpokenError, choose, texts
from helloclaw.i18n.en import TEXTS as EN
from helloclaw.i18n.zh import TEXTS as ZH

SOURCES = Path(__file__).parents[2] / "src" / "helloclaw"
SPEAKING = sorted(
    path for part in ("cli", "doctor", "repl", "settings", "slash") for path in (SOURCES / part).rglob("*.py")
)
KEY = re.compile(r"[a-z_]+(\.[a-z_]+)+")
PROSE = re.compile(r"[A-Za-z]{2,},? [a-z]{2,}|[\u3400-\u9fff]")
MARKUP = re.compile(r"[<{]|'none'")
ALLOWED = {
    *("是", "否"),  # what a person may type, not what they read
    *("Repeats a word.", 'Call the tool echo with the word "', '". Say nothing else.'),  # for the model
}


def fields_of(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def calls(path: Path) -> Iterator[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def spoken_keys(node: ast.Call) -> list[str]:
    """The literal ids that a call may speak: its first argument, also where an `if` chooses between two."""
    if not node.args:
        return []
    first = node.args[0]
    options = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
    return [each.value for each in options if isinstance(each, ast.Constant) and each.value in EN]


def test_both_languages_have_the_same_texts_with_the_same_fields() -> None:
    assert {key: fields_of(text) for key, text in ZH.items()} == {key: fields_of(text) for key, text in EN.items()}


def test_every_chinese_text_that_has_words_is_chinese() -> None:
    same = {key for key in EN if ZH[key] == EN[key] and re.search(r"[A-Za-z]{2}", re.sub(r"{\w+}", "", EN[key]))}
    assert same == {"transcript.assistant", "config.source.dotenv"}


def test_every_command_and_option_has_its_help() -> None:
    commands = [command for command in COMMANDS if command.ready]
    options = [*GLOBAL, *SESSION, *HEADLESS, *(option for command in commands for option in command.options)]
    options += [option for command in commands for action in command.actions for option in action.options]
    wanted = {option.help_id for option in options}
    wanted |= {f"help.command.{command.name}" for command in COMMANDS}
    wanted |= {f"help.action.{command.name}.{action.name}" for command in commands for action in command.actions}
    there = {key for key in EN if key.startswith(("help.option.", "help.command.", "help.action."))}
    assert there == wanted


@pytest.mark.parametrize("path", SPEAKING, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_is_spoken_is_in_the_catalogue_with_all_its_fields(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    literal = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    prefixes = {key.partition(".")[0] for key in EN} - {"config", "model", "permissions", "settings", "type"}
    prefixes -= {"hud", "menu"}  # styles have such names too
    ids = {word for word in literal if KEY.fullmatch(word) and word.partition(".")[0] in prefixes}
    assert ids <= set(EN)
    for node in calls(path):
        given = {keyword.arg for keyword in node.keywords}
        for key in spoken_keys(node):
            # With `**fields` it is for the type checker and the tests of that part to see.
            assert None in given or fields_of(EN[key]) <= given, f"{path.name}:{node.lineno} {key}"


def test_every_text_is_spoken_somewhere() -> None:
    speaking = [path for path in SOURCES.rglob("*.py") if path.parent.name != "i18n"]
    source = "".join(path.read_text(encoding="utf-8") for path in speaking)
    built = (
        "help.option.",
        "help.command.",
        "help.action.",
        "config.source.",
        "doctor.name.",
        "failure.",
        "mode.",
        "trust.what.",
        "model.",
        "permissions.behaviour.",
        "repl.",
        "retry.",
        "system.",
    )
    silent = [key for key in EN if not re.search(f"""["']{re.escape(key)}["']""", source) and not key.startswith(built)]
    assert silent == []


@pytest.mark.parametrize("path", sorted((SOURCES / "cli").glob("*.py")), ids=lambda path: path.name)
def test_the_command_line_has_no_prose_of_its_own(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation
        if PROSE.search(node.value) and node.value not in ALLOWED and not MARKUP.search(node.value)
    ]
    assert found == []


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
