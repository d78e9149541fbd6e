from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.llm.sse import SseDecoder, TooLong
from helloclaw.llm.wire import SseEvent

RECORDED = (
    "\ufeff: PROCESSING\r\n\r\nevent: one\rdata: grüß\rdata:dich\r\rdata: 世界😀\n\nid: 7\nretry: 3\ndata\n\ndata:  x"
)


def decode(*chunks: bytes) -> list[SseEvent]:
    decoder = SseDecoder()
    return [event for chunk in chunks for event in decoder.feed(chunk)] + decoder.close()


def cut(body: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(body) + 1) for place in places), len(body)]
    return [body[start:end] for start, end in pairwise(edges)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 4096])
def test_the_format(size: int) -> None:
    body = RECORDED.encode()
    assert decode(*(body[i : i + size] for i in range(0, len(body), size))) == [
        SseEvent("one", "grüß\ndich"),
        SseEvent("message", "世界😀"),
        SseEvent("message", ""),
        SseEvent("message", " x"),
    ]


def test_an_event_is_given_out_as_soon_as_its_blank_line_has_come() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: a\n") == []
    assert decoder.feed(b"\n") == [SseEvent("message", "a")]
    assert decoder.feed(b"data: b\r\n\r") == [SseEvent("message", "b")]
    assert decoder.feed(b"\ndata: c\n\n") == [SseEvent("message", "c")]


def test_a_name_belongs_to_one_event_only() -> None:
    assert decode(b"event: a\n\ndata: 1\n\nevent: b\ndata: 2\n\ndata: 3\n\n") == [
        SseEvent("message", "1"),
        SseEvent("b", "2"),
        SseEvent("message", "3"),
    ]


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    assert decode(b"data: \xff\xc3\n\n") == [SseEvent("message", "\ufffd\ufffd")]


@pytest.mark.parametrize("body", [b"data: " + b"x" * 200, b"data: x\n" * 200, b"data\n" * 200, b"x" * 200 + b"\n"])
def test_an_endless_event_is_refused(body: bytes) -> None:
    decoder = SseDecoder(limit=100)
    with pytest.raises(TooLong):
        [decoder.feed(body[i : i + 10]) for i in range(0, len(body), 10)]


def test_the_limit_is_for_one_event_not_for_the_stream() -> None:
    decoder = SseDecoder(limit=100)
    assert len([event for _ in range(1000) for event in decoder.feed(b"data: 12345678901234567890\n\n")]) == 1000


LINES = st.sampled_from(["data: a", "data:é世", "data", "event: e", ": note", "id: 1", "", "", "junk"])
ENDS = st.sampled_from(["\n", "\r", "\r\n"])


@given(st.lists(st.tuples(LINES, ENDS)), st.lists(st.integers(min_value=0)))
def test_any_chunking_gives_the_same_events(lines: list[tuple[str, str]], places: list[int]) -> None:
    body = "".join(line + end for line, end in lines).encode()
    assert decode(*cut(body, places)) == decode(body)


@given(st.binary(), st.lists(st.integers(min_value=0)))
def test_any_bytes_are_survived(body: bytes, places: list[int]) -> None:
    assert decode(*cut(body, places)) == decode(body)
