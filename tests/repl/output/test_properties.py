"""What holds for any text: no row is too wide, no escape sequence gets through, chunks make no difference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from wcwidth import wcswidth

from helloclaw.repl.output.answer_stream import AnswerStream
from helloclaw.repl.output.painter import Painter
from helloclaw.repl.output.theme import palette_for

PLAIN = palette_for("auto", {})
SGR = re.compile(r"\x1b\[[0-9;]*m")
WIDTHS = st.sampled_from([20, 27, 40, 61, 100])

# Pieces from which Markdown grows that means something, and text that is hard to measure.
PIECES = st.sampled_from(
    [
        *"\n\n\n\n\n \t|-*_`~#>1.[]()$\\!:<",
        *(
            "  ",
            "    ",
            "\n\n",
            "\n- ",
            "\n1. ",
            "\n  - ",
            "\n> ",
            "\n# ",
            "\n```py\n",
            "\n```\n",
            "\n~~~",
            "\n---\n",
            "\n===\n",
        ),
        *(
            "\n| a | b |\n|---|:-:|\n",
            "| x | y | z |\n",
            "**",
            "$$",
            "\\(",
            "\\)",
            "\n\\[\n",
            "<br>",
            "<div>",
            "<!--",
            "-->",
        ),
        *(
            "[text](https://example.org/a_b)",
            "![image](x.png)",
            "<https://example.org>",
            "- [ ] ",
            "- [x] ",
            "&#27;",
            "&amp;",
        ),
        *(
            "word",
            "a longer sentence, with commas.",
            "def f(x): return 'a'",
            '"""',
            "/* ",
            " */",
            "中文",
            "，标点。",
            "한국어",
        ),
        *(
            "👩‍👩‍👧",
            "⚠️",
            "🇨🇳",
            "👍🏽",
            "e\u0301",
            "ก็",
            "\u200b",
            "\u202e",
            "\x1b[31m",
            "\x1b]8;;x\x07",
            "\r",
            "\r\n",
            "\x00",
            "\x9b",
        ),
        "x" * 70,
        "长" * 40,
    ]
)
SOURCES = st.lists(PIECES | st.text(max_size=5), max_size=40).map("".join)


def painter(width: int = 60) -> Painter:
    return Painter(width, "none", PLAIN)


def columns(row: str) -> int:
    """What the row takes, by two tables of widths."""
    return max(cell_len(row), wcswidth(row))


def in_chunks(source: str, cuts: Sequence[int]) -> list[str]:
    places = [0, *sorted(cut % (len(source) + 1) for cut in cuts), len(source)]
    return [source[start:end] for start, end in pairwise(places)]


def check_rows(text: str, width: int) -> None:
    assert text == "" or text.endswith("\n")
    for row in text.split("\n"):
        assert columns(row) <= width, row
        assert row == row.rstrip(), row
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u200b\u202e]", row), row


@given(SOURCES, WIDTHS)
@settings(max_examples=300, deadline=None)
def test_markdown_keeps_to_the_width_and_lets_no_control_character_through(source: str, width: int) -> None:
    check_rows(painter(width).markdown(source), width)


@given(SOURCES, WIDTHS, st.sampled_from(["python", "c", "html", "css", "json", "bash", "", "no such"]))
@settings(max_examples=150, deadline=None)
def test_code_text_and_diffs_keep_to_the_width(source: str, width: int, language: str) -> None:
    check_rows(painter(width).code(source, language), width)
    check_rows(painter(width).plain(source, indent="  "), width)
    lines = source.split("\n")
    hunk = f"@@ -1,0 +1,{len(lines)} @@\n" + "".join(f"+{line}\n" for line in lines)
    check_rows(painter(width).diff(f"--- a/{source[:9]}\n+++ b/x\n{hunk}"), width)


@given(SOURCES, st.lists(st.integers(0, 2000), max_size=30), WIDTHS, st.booleans())
@settings(max_examples=300, deadline=None)
def test_an_answer_is_the_same_however_it_is_cut_and_looked_at(
    source: str, cuts: list[int], width: int, looking: bool
) -> None:
    stream = AnswerStream(painter(width))
    parts: list[str] = []
    for chunk in in_chunks(source, cuts):
        parts.append(stream.add(chunk))
        if looking:
            tail = stream.tail(5)
            assert len(tail.split("\n")) <= 5
            check_rows(f"{tail}\n" if tail else "", width)
    parts.append(stream.end())
    assert all(part == "" or part.endswith("\n") for part in parts)
    assert "".join(parts) == painter(width).markdown(source)


@given(SOURCES)
@settings(max_examples=100, deadline=None)
def test_colours_change_nothing_but_colours(source: str) -> None:
    coloured = Painter(50, "16", PLAIN).markdown(source)
    assert SGR.sub("", coloured) == painter(50).markdown(source)


@pytest.mark.parametrize("words", ["One sentence here. ", "好的，这是一句话。", "x"])
def test_a_long_paragraph_is_given_away_in_parts_that_do_not_depend_on_chunks(words: str) -> None:
    source = words * (9000 // len(words))
    stream = AnswerStream(painter(80))
    parts = [stream.add(source[at : at + 4]) for at in range(0, len(source), 4)]
    assert sum(map(bool, parts)) >= 4
    assert "".join([*parts, stream.end()]) == painter(80).markdown(source)
    assert "".join(painter(80).markdown(source).split()) == "".join(source.split())
