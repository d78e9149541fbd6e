"""Text fits its columns, wide characters and all, and loses nothing when it is wrapped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.wording.width import columns, cut, cut_start, wrapped

TEXT = st.text(st.sampled_from("ab -/中文，。（）“”…é"), max_size=60)


@pytest.mark.parametrize(
    ("text", "width", "hang", "lines"),
    [
        ("one two three", 0, 0, ["one two three"]),
        ("one two three", 13, 0, ["one two three"]),
        ("one two three", 8, 0, ["one two", "three"]),
        ("one two three", 8, 2, ["one two", "  three"]),
        ("一二三四五六", 6, 0, ["一二三", "四五六"]),
        ("一二三，四五", 6, 0, ["一二", "三，四", "五"]),
        ("一二（三四）", 6, 0, ["一二", "（三", "四）"]),
        ("abcdefgh", 4, 0, ["abcd", "efgh"]),
        ("用 helloclaw 吧", 10, 0, ["用", "helloclaw", "吧"]),
    ],
)
def test_lines_end_between_words(text: str, width: int, hang: int, lines: list[str]) -> None:
    assert wrapped(text, width, hang=hang) == lines


@given(TEXT, st.integers(4, 30))
def test_no_line_is_too_long_and_nothing_is_lost(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert max(columns(line) for line in lines) <= width
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(TEXT, st.integers(1, 20))
def test_what_is_cut_says_so(text: str, width: int) -> None:
    for shown, whole in ((cut(text, width), text), (cut_start(text, width), text[::-1])):
        assert columns(shown) <= width
        assert (shown == text) == (columns(whole) <= width)
    if columns(text) > width:
        assert (cut(text, width)[-1], cut_start(text, width)[0]) == ("…", "…")
