"""`.hooks.json`: what it says, and complaints that name the line, the key and what was probably meant."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.hooks.config import EVENTS, Hook, read_hooks
from helloclaw.i18n import texts
from helloclaw.settings.problems import SettingsError

GOOD = """\
{
  "hooks": {
    // a guard
    "PreToolUse": [
      {"matcher": "bash|write_*", "command": "./check.sh"},
      {"command": "log", "onError": "continue"},
    ],
    "RoundEnd": [{"matcher": "*", "command": "date"}],
    "SessionStart": []
  }
}
"""


def test_hooks_come_in_the_order_of_the_file_with_their_lines() -> None:
    assert read_hooks(GOOD.encode(), ".hooks.json") == (
        Hook(event="PreToolUse", matcher="bash|write_*", command="./check.sh", guards=True, line=5),
        Hook(event="PreToolUse", command="log", line=6),
        Hook(event="RoundEnd", matcher="*", command="date", line=8),
    )


@pytest.mark.parametrize("text", ["", "{}", '{"hooks": {}}', "\ufeff{}", '{"hooks": {"RoundEnd": []}} // none'])
def test_a_file_may_say_nothing(text: str) -> None:
    assert read_hooks(text.encode(), ".hooks.json") == ()


def one(key: str, value: object, event: str = "PreToolUse") -> str:
    return json.dumps({"hooks": {event: [{"command": "x"} | {key: value}]}}, indent=1)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "hooks: .hooks.json line 1: not valid JSON (Expecting property name enclosed in double quotes)"),
        ("[]", "hooks: .hooks.json line 1: not valid JSON (Expecting an object)"),
        ('{\n"hook": {}}', 'hooks: .hooks.json line 2: "hook" means nothing here; did you mean "hooks"?'),
        ('{"zzz": 1}', 'hooks: .hooks.json line 1: "zzz" means nothing here; there are: hooks, $schema'),
        ('{"hooks": []}', 'hooks: .hooks.json line 1: "hooks" must be an object'),
        (
            '{"hooks": {\n\n"PreTooluse": []}}',
            'hooks: .hooks.json line 3: "PreTooluse" means nothing here; did you mean "PreToolUse"?',
        ),
        ('{"hooks": {"RoundEnd": {}}}', 'hooks: .hooks.json line 1: "RoundEnd" must be a list of hooks'),
        ('{"hooks": {"RoundEnd": [\n"date"]}}', 'hooks: .hooks.json line 2: "RoundEnd[0]" must be an object'),
        (one("comand", "x"), 'hooks: .hooks.json line 6: "comand" means nothing here; did you mean "command"?'),
        (one("command", 3), 'hooks: .hooks.json line 5: "command" must be text in quotes'),
        (
            one("command", " "),
            'hooks: .hooks.json line 4: this PreToolUse hook has nothing to run; give it a "command"',
        ),
        (one("onError", "ignore"), 'hooks: .hooks.json line 6: "onError" must be one of block | continue'),
        (
            one("matcher", "bash", "RoundEnd"),
            'hooks: .hooks.json line 6: RoundEnd is about no tool, so a "matcher" would never match; remove it',
        ),
        (
            one("onError", "block", "PostToolUse"),
            'hooks: .hooks.json line 6: a PostToolUse hook can block nothing; remove "onError", or make it',
        ),
        (
            '{"hooks": {"PreToolUse": [],\n"PreToolUse": []}}',
            'hooks: .hooks.json line 2: "PreToolUse" is given twice, of which one would be lost; put both into one',
        ),
        (
            '{"hooks": {"PreToolUse": [\n{"command": "a",\n"command": "b"}]}}',
            'hooks: .hooks.json line 3: "command" is given twice, of which one would be lost; put both into one',
        ),
        (
            '{"hooks": {"PreToolUse": [{"matcher": "Bash",\n"hooks": [{"type": "command", "command": "x"}]}]}}',
            "hooks: .hooks.json line 2: this nested form is another program's, whose exit code 2 blocks a call; here 1",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(SettingsError) as raised:
        read_hooks(text.encode(), ".hooks.json")
    assert str(raised.value).startswith(complaint)
    assert texts("zh").say(raised.value.phrase).startswith("钩子：.hooks.json 第")


def test_bytes_that_are_no_text_are_named() -> None:
    with pytest.raises(SettingsError, match="line 2: not valid UTF-8"):
        read_hooks(b'{"hooks":\n {"\xff": 1}}', ".hooks.json")
    with pytest.raises(SettingsError, match="longer than 1024 KB"):
        read_hooks(b" " * (1024 * 1024 + 1), ".hooks.json")


@pytest.mark.parametrize(
    ("matcher", "tool", "wanted"),
    [
        ("", "bash", True),
        ("*", "bash", True),
        ("bash", "bash", True),
        ("Bash", "bash", True),
        ("bash", "background_run", False),
        ("bash", "bash2", False),
        ("bash | write_*", "write_file", True),
        ("*_file", "read_file", True),
        ("*_file|bash", "search_content", False),
        ("mcp__[ab]__*", "mcp__a__get", True),
        ("read_fil?", "read_file", True),
    ],
)
def test_a_matcher_is_a_name_several_or_a_glob(matcher: str, tool: str, wanted: bool) -> None:
    assert Hook(event="PreToolUse", command="x", matcher=matcher).wants(tool) is wanted


values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*EVENTS, "hooks", "command", "matcher", "onError"]) | st.text(max_size=4),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


def outcome(data: bytes) -> str:
    try:
        return str(read_hooks(data, "f"))
    except SettingsError as error:
        return str(error)


@given(values | values.map(lambda value: {"hooks": {"PreToolUse": [value]}}))
def test_any_json_is_hooks_or_a_complaint(value: Any) -> None:
    assert outcome(json.dumps(value).encode()).startswith(("()", "(Hook(", "hooks: f line "))


@given(st.binary(max_size=60))
def test_any_bytes_are_hooks_or_a_complaint(data: bytes) -> None:
    assert outcome(data).startswith(("()", "hooks: f line "))
