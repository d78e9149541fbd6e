"""Bytes to text and back, for any bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from helloclaw.tools.text import UTF8, Encoding, Text, decode, detect, dominant_newline, encode, with_newline


@given(st.binary(max_size=200))
def test_whatever_is_decoded_is_written_back_the_same(data: bytes) -> None:
    text = decode(data)
    assert text is None or encode(text.content, text.encoding) == data


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=200).filter(lambda x: x[:1] != "\ufeff"))
def test_utf8_is_taken_for_utf8(content: str) -> None:
    assert decode(content.encode()) == Text(content=content, encoding=UTF8, newline="\n")


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), min_size=1), st.integers(1, 4))
def test_a_sample_may_end_within_a_character(text: str, cut: int) -> None:
    data = text.encode()
    assert detect(data[: max(1, len(data) - cut)], whole=False) == Encoding(codec="utf-8")


def test_the_usual_line_ending_wins() -> None:
    assert [dominant_newline(text) for text in ("", "a", "a\n", "a\r\n", "a\r\nb\n", "a\r\nb\r\nc\n")] == [
        "\n", "\n", "\n", "\r\n", "\n", "\r\n",
    ]  # fmt: skip
    assert with_newline("a\r\nb\n", "\r\n") == "a\r\nb\r\n"
    assert with_newline("a\r\nb\n", "\n") == "a\nb\n"
