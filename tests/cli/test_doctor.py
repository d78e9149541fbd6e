"""`helloclaw doctor` as a person starts it."""

from __future__ import annotations

import json
import re
import time

import pytest

from tests.cli.conftest import Program
from tests.support.terminal_window import TerminalWindow


def test_both_languages_and_json_tell_the_same(talking: Program) -> None:
    english = talking("doctor", "--lang", "en")
    chinese = talking("doctor", "--lang", "zh")
    rows = json.loads(talking("doctor", "--json").out)
    assert (english.code, english.err, chinese.code, chinese.err) == (0, "", 0, "")
    marks = [row[0] for row in english.out.splitlines() if row[0] != " "]
    assert marks == [row[0] for row in chinese.out.splitlines() if row[0] != " "]
    assert marks == [{"ok": "✓", "warn": "!", "fail": "✗", "off": "–"}[row["state"]] for row in rows]
    assert re.search("the mode auto (runs unasked|asks about)", english.out)
    assert "auto 模式" in chinese.out
    assert [row.keys() for row in rows] == [{"name", "state", "what", "fix"}] * len(rows)


def test_what_fails_is_an_exit_code(program: Program) -> None:
    program.home.mkdir()
    (program.home / "config.json").write_text("{")
    code, out, _ = program("doctor", "--lang", "en")
    assert (code, "✗ settings   settings: ~/.helloclaw/config.json line 1" in out) == (1, True)


def test_in_a_narrow_terminal(talking: Program) -> None:
    with TerminalWindow(talking.command("doctor"), cwd=talking.workdir, env=talking.environ, columns=40) as window:
        assert window.wait_for_end() == 0
        rows = window.everything
    assert "✓ git" in rows
    assert "  40×40, xterm-256color, 256 colours" in rows


@pytest.mark.alone
def test_it_takes_less_than_three_seconds(program: Program) -> None:
    began = time.monotonic()
    program("doctor", "--json")
    assert time.monotonic() - began < 3.0
