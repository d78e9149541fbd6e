"""`--help` in a terminal of any width: every line fits, broken between words, and nothing is left out."""

from __future__ import annotations

import pytest

from helloclaw.cli.grammar import COMMANDS
from helloclaw.cli.help import render_help
from helloclaw.i18n import Lang, texts
from helloclaw.wording.width import columns
from tests.cli.conftest import Program

HELPS = [
    (None, None),
    *((command, None) for command in COMMANDS),
    *((command, action) for command in COMMANDS for action in command.actions),
]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [30, 40, 60, 80, 120])
def test_every_line_fits_and_every_word_is_there(lang: Lang, width: int) -> None:
    say = texts(lang)
    for command, action in HELPS:
        shown = render_help(say, command, action, width)
        assert [line for line in shown.splitlines() if columns(line) > width] == []
        assert "".join(shown.split()) == "".join(render_help(say, command, action).split())


def test_what_does_not_fit_goes_on_below_it() -> None:
    assert render_help(texts("en"), COMMANDS[0], None, 44).splitlines()[:9] == [
        "talk, line by line (the same as without a",
        "command)",
        "",
        "Usage:",
        "  helloclaw repl",
        "",
        "Options:",
        "  -c, --continue",
        "          go on with the latest session of",
    ]


def test_the_width_is_the_terminals(program: Program) -> None:
    narrow = program("--help", COLUMNS="40").out
    assert max(columns(line) for line in narrow.splitlines()) <= 40
    piped = program("--help").out
    assert max(columns(line) for line in piped.splitlines()) > 80
    assert program("--help", COLUMNS="nonsense").out == piped
