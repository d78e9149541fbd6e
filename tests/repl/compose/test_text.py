"""Text of any language and size: byte streams of input methods, columns of wide characters, pastes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.layout import Window

from helloclaw.i18n import texts
from helloclaw.repl.compose.composer import Composed
from helloclaw.repl.compose.paste import Pastes, cleaned, is_long, outside, spans, whole
from tests.repl.compose.terminal import BACKSPACE, DELETE, ENTER, HOME, LEFT, RIGHT, UP, Typing, typing


def pasted(text: str) -> str:
    return f"\x1b[200~{text}\x1b[201~"


def lines(count: int) -> str:
    return "\n".join(f"行 {number}: x = {number}" for number in range(1, count + 1))


async def test_characters_whose_bytes_come_one_by_one(tmp_path: Path) -> None:
    async with typing(tmp_path) as t:
        for byte in "你好，世界 🙂 e\u0301".encode():
            await t.raw(bytes([byte]))
        await t.until(lambda: t.text.endswith("\u0301"))
        await t.keys(ENTER)
        assert t.submitted == [Composed(text="你好，世界 🙂 e\u0301")]


def _column(t: Typing) -> tuple[int, int]:
    """Where the cursor is on the screen: row, column."""
    window = t.composer.window
    assert isinstance(window, Window)
    point = t.app.renderer.last_rendered_screen
    assert point is not None
    at = point.get_cursor_position(window)
    return at.y, at.x


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("", (0, 2)),
        ("ab", (0, 4)),
        ("你好", (0, 6)),
        ("e\u0301x", (0, 4)),
        ("한글ＡＢ", (0, 10)),
        ("a\n你", (1, 4)),
        ("你" * 20, (1, 4)),  # 40 columns less the mark's two: the twentieth doesn't fit into the first row
    ],
)
async def test_the_cursor_is_where_the_text_ends(tmp_path: Path, text: str, at: tuple[int, int]) -> None:
    async with typing(tmp_path) as t:
        t.composer.set_text(text)
        shown = t.app.render_counter
        t.app.invalidate()
        await t.until(lambda: t.app.render_counter > shown)
        assert _column(t) == at


async def test_backspace_takes_one_wide_character(tmp_path: Path) -> None:
    async with typing(tmp_path) as t:
        await t.keys("你好吗" + LEFT + BACKSPACE)
        assert (t.text, t.cursor) == ("你吗", 1)


@pytest.mark.parametrize(("count", "rows"), [(1, 1), (4, 4), (200, 10)])
async def test_the_height_grows_to_a_third_of_the_screen(tmp_path: Path, count: int, rows: int) -> None:
    async with typing(tmp_path) as t:
        t.composer.set_text("\n".join(["x"] * count))
        assert t.composer.window.preferred_height(40, 30).preferred == rows


async def test_a_long_paste_is_a_placeholder_until_it_is_submitted(tmp_path: Path) -> None:
    long = lines(120)
    async with typing(tmp_path) as t:
        await t.keys("see " + pasted(long.replace("\n", "\r\n") + "\x07\x1b[31m") + " and ")
        await t.keys(pasted("y" * 1500) + "!")
        shown = "see [Pasted text #1 · 120 lines] and [Pasted text #2 · 1500 characters]!"
        whole_text = f"see {long}[31m and {'y' * 1500}!"
        assert (t.text, t.composer.text) == (shown, whole_text)
        await t.keys(ENTER)
        assert t.submitted == [Composed(text=whole_text, typed="see \n and \n!")]
        await t.until(lambda: t.composer.history.given == 1)
        await t.keys(UP)
        assert t.text == whole_text


async def test_the_placeholder_in_chinese(tmp_path: Path) -> None:
    async with typing(tmp_path, lang="zh") as t:
        await t.keys(pasted(lines(9)))
        assert t.text == "[粘贴文本 #1 · 9 行]"


@pytest.mark.parametrize("text", [lines(8), "y" * 1000, "a\tb"])
async def test_a_short_paste_is_text(tmp_path: Path, text: str) -> None:
    async with typing(tmp_path) as t:
        await t.keys(pasted(text))
        assert t.text == text


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        ([BACKSPACE], "ab"),
        ([LEFT, DELETE], "ab"),
        (["\x17"], "ab"),
        (["\x1b\x7f"], "ab"),
        ([LEFT, "x"], "abx[Pasted text #1 · 9 lines]"),
        ([LEFT, RIGHT, "x"], "ab[Pasted text #1 · 9 lines]x"),
        ([LEFT, LEFT, BACKSPACE], "b[Pasted text #1 · 9 lines]"),
        ([HOME, DELETE], "b[Pasted text #1 · 9 lines]"),
        ([BACKSPACE, "\x1f"], "ab[Pasted text #1 · 9 lines]"),
        ([LEFT, "[", BACKSPACE], "ab[Pasted text #1 · 9 lines]"),
        (["]", BACKSPACE], "ab[Pasted text #1 · 9 lines]"),
    ],
)
async def test_a_placeholder_goes_and_is_passed_as_a_whole(tmp_path: Path, keys: list[str], left: str) -> None:
    async with typing(tmp_path) as t:
        await t.keys("ab" + pasted(lines(9)))
        for key in keys:
            await t.keys(key)
        assert t.text == left


async def test_a_placeholder_in_vi(tmp_path: Path) -> None:
    async with typing(tmp_path, editing="vi") as t:
        await t.keys("ab" + pasted(lines(9)))
        await t.keys("\x1b")
        await t.until(lambda: t.cursor == 2)
        await t.keys("x")
        assert t.text == "ab"


async def test_another_entry_of_the_past_is_not_taken_for_damage(tmp_path: Path) -> None:
    async with typing(tmp_path) as t:
        await t.keys("list[0]" + ENTER)
        await t.until(lambda: t.composer.history.given == 1)
        await t.keys(pasted(lines(9)) + HOME)
        await t.keys(UP)
        assert t.text == "list[0]"


async def test_pasting_again_shows_the_text_itself(tmp_path: Path) -> None:
    async with typing(tmp_path) as t:
        await t.keys(pasted(lines(9)))
        await t.keys(pasted(lines(9)))
        assert t.text == lines(9)


async def test_the_editor_shows_the_text_itself(tmp_path: Path) -> None:
    async with typing(tmp_path, environ={"EDITOR": "true", "PATH": "/usr/bin:/bin"}) as t:
        await t.keys(pasted(lines(9)))
        await t.keys("\x07")
        assert (t.text, t.notices) == (lines(9), [])


@pytest.mark.alone
async def test_ten_thousand_lines_are_pasted_at_once(tmp_path: Path) -> None:
    long = lines(10_000)
    async with typing(tmp_path) as t:
        began = time.perf_counter()
        t.composer.paste(long)
        cost = time.perf_counter() - began
        assert t.text == "[Pasted text #1 · 10000 lines]"
        began = time.perf_counter()
        t.composer.submit()
        assert (cost < 0.1, time.perf_counter() - began < 0.1) == (True, True)
        assert t.submitted == [Composed(text=long, typed="\n")]


async def test_ten_thousand_lines_as_bytes(tmp_path: Path) -> None:
    long = lines(10_000)
    async with typing(tmp_path) as t:
        await t.raw(pasted(long).encode())
        await t.until(lambda: t.text)
        await t.keys(ENTER)
        assert t.submitted == [Composed(text=long, typed="\n")]


@pytest.mark.parametrize("name", ["shot.png", "my shot.JPG", "截图 1.webp"])
@pytest.mark.parametrize("form", ["plain", "quoted", "escaped", "url", "double"])
async def test_a_pasted_image_path_is_a_mention(tmp_path: Path, name: str, form: str) -> None:
    image = tmp_path / name
    image.write_bytes(b"x")
    path = str(image)
    shown = {
        "plain": path,
        "quoted": f"'{path}'",
        "double": f'"{path}"\n',
        "escaped": path.replace(" ", "\\ "),
        "url": image.as_uri(),
    }[form]
    async with typing(tmp_path) as t:
        await t.keys("see " + pasted(shown))
        assert t.text == f'see @"{path}" ' if " " in path else f"see @{path} "


@pytest.mark.parametrize("text", ["/no/such.png", "file:///no/such.png", "a.png b.png", "just words", "file://[.png"])
async def test_what_is_no_image_path_is_text(tmp_path: Path, text: str) -> None:
    async with typing(tmp_path) as t:
        await t.keys(pasted(text))
        assert t.text == text


@given(st.text())
def test_a_cleaned_paste_has_no_control_characters(text: str) -> None:
    clean = cleaned(text)
    assert [char for char in clean if (ord(char) < 32 or 127 <= ord(char) < 160) and char not in "\t\n"] == []
    assert cleaned(clean) == clean


@given(st.lists(st.tuples(st.text(alphabet="ab[]#1", max_size=5), st.text(min_size=1, max_size=20))))
def test_pastes_are_expanded_in_order_and_exactly(parts: list[tuple[str, str]]) -> None:
    pastes = Pastes(texts("en"))
    typed = "".join(before + pastes.add(text) for before, text in parts)
    assert pastes.expand(typed) == "".join(before + text for before, text in parts)


@given(
    st.lists(st.sampled_from(["[P1]", "[P2]", "a", "[", "]", "P1"]), max_size=8),
    st.integers(0, 30),
    st.integers(0, 30),
    st.text(alphabet="a[]P1", max_size=3),
)
def test_no_edit_leaves_half_a_placeholder(parts: list[str], start: int, length: int, inserted: str) -> None:
    labels = ["[P1]", "[P2]"]
    before = "".join(parts)
    after = before[:start] + inserted + before[start + length :]
    kept = whole(before, after, labels)
    if kept is None:
        # Nothing was hurt: each placeholder is still there, or the edit took all of it.
        lost = [span for span in spans(before, labels) if span[0] < start + length and start < span[1]]
        assert len(spans(after, labels)) >= len(spans(before, labels)) - len(lost)
    else:
        text, cursor = kept
        assert 0 <= cursor <= len(text)
        assert len(text) <= len(after)


@given(st.lists(st.sampled_from(["[P1]", "a", "["])), st.integers(0, 30), st.integers(0, 30))
def test_a_cursor_never_stands_inside(parts: list[str], before: int, cursor: int) -> None:
    text = "".join(parts)
    at = outside(text, min(cursor, len(text)), before, ["[P1]"])
    assert not any(start < at < end for start, end in spans(text, ["[P1]"]))


@given(st.integers(0, 12), st.integers(0, 1200))
def test_what_counts_as_long(newlines: int, width: int) -> None:
    text = "x" * width + "\n" * newlines
    assert is_long(text) == (newlines >= 8 or len(text) > 1000)
