"""The command line's words, and what they mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.cli.grammar import COMMANDS, GLOBAL, HEADLESS, SESSION
from helloclaw.cli.parse import Invocation, UsageError, parse

OPTIONS = (*GLOBAL, *SESSION, *HEADLESS)


def told(invocation: Invocation) -> dict[str, object]:
    """Everything that was said, by name."""
    arguments = invocation.arguments
    names = {option.name for option in OPTIONS} | {"id", "key", "value", "command", "question", "words", "session"}
    said: dict[str, object] = {}
    for name in sorted(names):
        if arguments.flag(name):
            said[name] = (
                arguments.text(name)
                if arguments.text(name) is not None
                else arguments.many(name)
                if name in {"allow", "add_dir", "question", "words"}
                else True
            )
    return said


@pytest.mark.parametrize(
    ("words", "command", "action", "said"),
    [
        ([], None, None, {}),
        (["-p", "hi"], None, None, {"print": "hi"}),
        (["-p", "-"], None, None, {"print": "-"}),
        (["-p"], None, None, {"print": ""}),
        (["-p", "-1 or 1?"], None, None, {"print": "-1 or 1?"}),
        (["-p", "--what=is this"], None, None, {"print": "--what=is this"}),
        (["-p", "--json"], None, None, {"print": "", "json": True}),
        (["-p", "--output-format", "json", "do it"], None, None, {"print": "do it", "output_format": "json"}),
        (["--print=a=b"], None, None, {"print": "a=b"}),
        (["-cp", "go on"], None, None, {"continue": True, "print": "go on"}),
        (["-r"], None, None, {"resume": ""}),
        (["-r", "abc", "--fork"], None, None, {"resume": "abc", "fork": True}),
        (["-p", "x", "--allow", "A", "--allow", "B(c d)"], None, None, {"print": "x", "allow": ("A", "B(c d)")}),
        (["repl", "--mode", "auto"], "repl", None, {"mode": "auto"}),
        (["--mode", "plan", "repl", "-c"], "repl", None, {"mode": "plan", "continue": True}),
        (["-c", "repl"], "repl", None, {"continue": True}),
        (["ask", "what", "is", "it"], "ask", None, {"question": ("what", "is", "it")}),
        (["ask", "-s", "s", "why?", "-w", "d"], "ask", None, {"session": "s", "question": ("why?",), "workdir": "d"}),
        (["sessions"], "sessions", "list", {}),
        (["sessions", "--json"], "sessions", "list", {"json": True}),
        (["--json", "sessions", "show", "abc"], "sessions", "show", {"json": True, "id": "abc"}),
        (["sessions", "show", "--json", "abc"], "sessions", "show", {"json": True, "id": "abc"}),
        (["sessions", "search", "a", "b", "--lang", "zh"], "sessions", "search", {"words": ("a", "b"), "lang": "zh"}),
        (["config", "set", "k", "-"], "config", "set", {"key": "k", "value": "-"}),
        (["permissions", "check", "rm -rf /"], "permissions", "check", {"command": "rm -rf /"}),
        (["permissions", "check", "--", "-x"], "permissions", "check", {"command": "-x"}),
        (["permissions", "check", "--json", "-x y"], "permissions", "check", {"command": "-x y", "json": True}),
        (["web", "--port", "9"], "web", None, {}),
        (["sessions", "show", "--help"], "sessions", "show", {"help": True}),
        (["sessions", "--help"], "sessions", None, {"help": True}),
        (["--add-dir", "a", "ask", "--add-dir", "b", "q"], "ask", None, {"add_dir": ("a", "b"), "question": ("q",)}),
    ],
)  # fmt: skip
def test_words(words: list[str], command: str | None, action: str | None, said: dict[str, object]) -> None:
    found = parse(words)
    names = (found.command.name if found.command else None, found.action.name if found.action else None)
    assert (*names, told(found)) == (command, action, said)


WORDS = [*(flag for option in OPTIONS for flag in option.flags), *(command.name for command in COMMANDS)]


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=8), max_size=6))
def test_any_words_are_understood_or_refused(words: list[str]) -> None:
    try:
        found = parse(words)
    except UsageError as error:
        assert error.phrase.key.startswith("usage.")  # noqa: PT017 - either outcome is right
    else:
        assert found.command is None or found.command in COMMANDS
