"""Every key of the input line, in both ways of editing, as the bytes that a terminal sends."""

from __future__ import annotations

import stat
import sys
from pathlib import Path
from typing import Literal

import pytest

from helloclaw.repl.compose.composer import Composed
from tests.repl.compose.terminal import BACKSPACE, DELETE, DOWN, END, ENTER, HOME, LEFT, RIGHT, TAB, UP, typing

Editing = Literal["emacs", "vi"]
both = pytest.mark.parametrize("editing", ["emacs", "vi"])


@both
async def test_enter_submits_and_empties_the_line(tmp_path: Path, editing: Editing) -> None:
    async with typing(tmp_path, editing=editing) as t:
        await t.keys("hello 你好" + ENTER)
        assert (t.submitted, t.text) == ([Composed(text="hello 你好")], "")


@both
@pytest.mark.parametrize("blank", ["", "   ", "\n \n"])
async def test_enter_on_nothing_does_nothing(tmp_path: Path, editing: Editing, blank: str) -> None:
    async with typing(tmp_path, editing=editing) as t:
        await t.keys(blank + ENTER)
        assert (t.submitted, t.text) == ([], blank)


@both
@pytest.mark.parametrize(
    "newline",
    ["\x1b\r", "\n", "\x1b[13;2u", "\x1b[27;2;13~", "\x1b[27;5;13~", "\\\r"],
    ids=["Alt-Enter", "Ctrl-J", "Shift-Enter CSI u", "Shift-Enter xterm", "Ctrl-Enter xterm", "backslash Enter"],
)
async def test_a_new_line(tmp_path: Path, editing: Editing, newline: str) -> None:
    async with typing(tmp_path, editing=editing) as t:
        await t.keys(f"one{newline}two{ENTER}")
        assert t.submitted == [Composed(text="one\ntwo")]


async def test_a_backslash_elsewhere_is_a_character(tmp_path: Path) -> None:
    async with typing(tmp_path) as t:
        await t.keys("a\\b" + ENTER)
        assert t.submitted == [Composed(text="a\\b")]


@both
async def test_up_and_down_move_within_the_text_and_then_through_the_past(tmp_path: Path, editing: Editing) -> None:
    async with typing(tmp_path, editing=editing) as t:
        await t.keys("first" + ENTER + "second" + ENTER)
        await t.until(lambda: t.composer.history.given == 2)
        await t.keys("\x1b[200~\nx\x1b[201~")
        seen: list[tuple[str, int]] = []
        await t.keys(UP)
        seen.append((t.text, t.cursor))
        for key in (UP, UP, DOWN, DOWN):
            await t.keys(key)
            seen.append((t.text, t.cursor))
        assert [text for text, _ in seen] == ["\nx", "second", "first", "second", "\nx"]
        assert seen[0][1] == 0


async def test_the_past_is_looked_through_by_what_is_typed_already(tmp_path: Path) -> None:
    async with typing(tmp_path) as t:
        await t.keys(f"git log{ENTER}ls{ENTER}git diff{ENTER}pwd{ENTER}")
        await t.until(lambda: t.composer.history.given == 4)
        await t.keys("git")
        seen: list[str] = []
        for key in (UP, UP, UP, DOWN, DOWN):
            await t.keys(key)
            seen.append(t.text)
        assert seen == ["git diff", "git log", "git log", "git diff", "git"]


@both
async def test_ctrl_r_searches_backwards(tmp_path: Path, editing: Editing) -> None:
    async with typing(tmp_path, editing=editing) as t:
        await t.keys(f"make test{ENTER}git log{ENTER}make all{ENTER}ls{ENTER}")
        await t.until(lambda: t.composer.history.given == 4)
        await t.keys("\x12make")
        assert t.app.layout.is_searching
        await t.keys("\x12")
        await t.keys(ENTER)
        assert (t.text, t.submitted[4:]) == ("make test", [])
        await t.keys(ENTER)
        assert t.submitted[4:] == [Composed(text="make test")]


async def test_ctrl_g_in_a_search_leaves_it(tmp_path: Path) -> None:
    async with typing(tmp_path, environ={"EDITOR": "false"}) as t:
        await t.keys(f"make{ENTER}")
        await t.until(lambda: t.composer.history.given == 1)
        await t.keys("abc\x12ma")
        await t.keys("\x07")
        assert (t.text, t.app.layout.is_searching, t.notices) == ("abc", False, [])


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        ("\x17", "one two "),  # Ctrl-W
        ("\x1b\x7f", "one two "),  # Alt-Backspace
        ("\x15", ""),  # Ctrl-U
        ("\x01\x0b", ""),  # Ctrl-A Ctrl-K
        ("\x01" + DELETE, "ne two three"),
        (HOME + "x" + END + "y", "xone two threey"),
        (BACKSPACE + LEFT + LEFT + BACKSPACE, "one two tre"),
        ("\x0c", "one two three"),  # Ctrl-L
        ("\x17\x19\x19", "one two threethree"),  # Ctrl-W, Ctrl-Y twice
        ("\x1bb\x1bd", "one two "),  # Alt-B Alt-D
        ("x\x1f", "one two three"),  # Ctrl-_
    ],
)
async def test_editing_as_in_emacs(tmp_path: Path, keys: str, left: str) -> None:
    async with typing(tmp_path) as t:
        await t.keys("one two three")
        for key in [keys] if keys != "x\x1f" else ["x", "\x1f"]:
            await t.keys(key)
        assert t.text == left


async def test_editing_as_in_vi(tmp_path: Path) -> None:
    async with typing(tmp_path, editing="vi") as t:
        await t.keys("one two three")
        await t.keys("\x1b0dw")
        await t.keys("$x")
        assert t.text == "two thre"
        await t.keys("u")
        await t.keys(ENTER)
        await t.keys("next" + ENTER)  # a new message begins as one to be typed
        assert t.submitted == [Composed(text="two three"), Composed(text="next")]


async def test_keys_of_the_screen_are_left_to_it(tmp_path: Path) -> None:
    async with typing(tmp_path) as t:
        bound = {
            tuple(str(getattr(key, "value", key)) for key in binding.keys)
            for binding in t.composer.key_bindings.bindings
        }
        assert bound & {("escape",), ("c-c",), ("c-d",), ("s-tab",)} == set()


async def test_tab_takes_the_suggestion_and_so_does_right(tmp_path: Path) -> None:
    async with typing(tmp_path) as t:
        await t.keys("explain the parser\n in detail" + ENTER)
        await t.until(lambda: t.composer.history.given == 1)
        for key in (TAB, RIGHT, END, "\x05", "\x06"):
            await t.keys("expl")
            await t.until(lambda: t.composer.buffer.suggestion)
            await t.keys(key)
            assert t.text == "explain the parser"
            t.composer.set_text("")


async def test_clear_returns_what_was_there_and_keeps_it(tmp_path: Path) -> None:
    async with typing(tmp_path) as t:
        await t.keys("a thought")
        assert (t.composer.clear(), t.text) == ("a thought", "")
        await t.until(lambda: t.composer.history.given == 1)
        await t.keys(UP)
        assert t.text == "a thought"


async def test_set_text_puts_the_cursor_at_its_end(tmp_path: Path) -> None:
    async with typing(tmp_path) as t:
        t.composer.set_text("waiting")
        await t.keys("!")
        assert (t.text, t.composer.text) == ("waiting!", "waiting!")


def _editor(place: Path, body: str) -> dict[str, str]:
    script = place / "my editor.py"
    script.write_text(f"import os, sys\npath = sys.argv[-1]\n{body}\n", encoding="utf-8")
    return {"VISUAL": f"'{sys.executable}' '{script}' --wait"}


@both
@pytest.mark.parametrize("key", ["\x18\x05", "\x07"], ids=["Ctrl-X Ctrl-E", "Ctrl-G"])
async def test_the_editor_gets_the_text_in_a_private_file_and_gives_it_back(
    tmp_path: Path, editing: Editing, key: str
) -> None:
    body = (
        "text = open(path, encoding='utf-8').read()\n"
        "mode = oct(os.stat(path).st_mode & 0o777)\n"
        "open(path, 'w', encoding='utf-8').write(text.rstrip() + f' {mode} {path[-3:]}\\n第二行\\n')"
    )
    async with typing(tmp_path, editing=editing, environ=_editor(tmp_path, body)) as t:
        await t.keys("文字")
        await t.keys(key)
        assert (t.text, t.notices) == ("文字 0o600 .md\n第二行", [])


@pytest.mark.parametrize(
    ("environ", "notice"),
    [
        ({"EDITOR": "/no/such/editor"}, "The editor /no/such/editor could not be used (No such file or directory)"),
        ({"EDITOR": "vim 'x"}, "The editor vim 'x could not be used (No closing quotation)"),
        ({"EDITOR": "false"}, "The editor false ended with exit code 1; the text is as it was."),
        ({"PATH": "/nowhere"}, "There is no editor: set EDITOR, for example EDITOR=nano."),
    ],
)
async def test_an_editor_that_fails_is_told_and_changes_nothing(
    tmp_path: Path, environ: dict[str, str], notice: str
) -> None:
    async with typing(tmp_path, environ={"PATH": "/usr/bin:/bin", **environ}) as t:
        await t.keys("precious")
        await t.keys("\x07")
        assert t.text == "precious"
        assert len(t.notices) == 1
        assert t.notices[0].startswith(notice)


async def test_the_history_file_is_private(tmp_path: Path) -> None:
    async with typing(tmp_path) as t:
        await t.keys("hello" + ENTER)
    assert stat.S_IMODE((tmp_path / "home" / "history").stat().st_mode) == 0o600
