"""Where an old text is, in the file's own offsets."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from helloclaw.tools.matching import Span, explain_no_match, find_spans

pieces = st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "中"]), max_size=12).map("".join)


@given(pieces, pieces.filter(bool))
def test_spans_hold_the_text_whatever_the_line_endings(content: str, old: str) -> None:
    unix, wanted = content.replace("\r\n", "\n"), old.replace("\r\n", "\n")
    spans = find_spans(content, old)
    assert len(spans) == unix.count(wanted)
    for span in spans:
        assert content[span.start : span.end].replace("\r\n", "\n") == wanted
        assert span.line == content[: span.start].count("\n") + 1
        assert content[span.end - 1 : span.end + 1] != "\r\n"


def test_a_span_takes_the_return_with_its_line_feed() -> None:
    assert find_spans("a\r\nb\r\nc", "b\n") == [Span(3, 6, 2)]
    assert find_spans("a\r\nb\r\nc", "b") == [Span(3, 4, 2)]
    assert find_spans("a\r\nb\r\nc", "\nb") == [Span(1, 4, 1)]


def test_many_near_misses_are_counted() -> None:
    assert explain_no_match("x  = 1\n" * 5, "x = 1").startswith(
        "it differs only in whitespace at line 1, line 2, line 3 and 2 more places; the file has exactly:\nx  = 1"
    )


def test_a_near_miss_in_lines_that_repeat_is_found_without_comparing_each_with_each() -> None:
    content, started = "a\n" * 100_000 + "b c\n", time.process_time()
    assert explain_no_match(content, "a \n" * 50_000 + "bc").startswith(
        "it differs only in whitespace at lines 50001-100001; "
    )
    assert time.process_time() - started < 10  # minutes, in the square of the lines
