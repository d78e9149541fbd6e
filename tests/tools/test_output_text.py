"""Output as text, however it was cut into pieces."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.tools.output_text import OutputDecoder, cleaned

ESC = "\x1b"
fragments = st.sampled_from(
    ["a", "中文", "\n", "\r\n", "\r", f"{ESC}[31m", f"{ESC}]0;t\x07", f"{ESC}(B", "b\x08", "\x00", ESC, "\t", "👩‍👧"]
)
texts = st.lists(fragments, max_size=15).map("".join)


@given(texts, st.lists(st.integers(0, 60), max_size=5))
def test_pieces_give_the_same_as_the_whole(text: str, cuts: list[int]) -> None:
    data = text.encode()
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    decoder, whole = OutputDecoder(), OutputDecoder()
    pieces = [decoder.feed(data[start:end]) for start, end in pairwise(places)]
    assert "".join(pieces) + decoder.flush() == whole.feed(data) + whole.flush()


@given(st.text())
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    assert not any(ord(character) < 32 and character not in "\n\t" for character in cleaned(text))


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        (f"{ESC}[1;32mok{ESC}[0m\n", "ok\n"),
        (f"{ESC}]8;;https://example.org{ESC}\\link{ESC}]8;;{ESC}\\\n", "link\n"),
        ("10%\r50%\r100%\r\n", "100%\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("N\x08NA\x08A\n", "NA\n"),
        (f"{ESC}[2J{ESC}[H{ESC}[?25ltop\x07\n", "top\n"),
        ("\x9b31mred\n", "31mred\n"),
    ],
)
def test_what_a_terminal_would_show_is_kept(raw: str, clean: str) -> None:
    assert cleaned(raw) == clean


def test_each_line_has_its_own_encoding() -> None:
    data = "国标\n".encode("gb18030") + "统一码\n".encode() + b"caf\xe9 \n" + "结尾".encode("gb18030")
    decoder = OutputDecoder()
    assert decoder.feed(data) + decoder.flush() == "国标\n统一码\ncaf\ufffd \n结尾"


def test_a_progress_bar_is_kept_short_however_long_it_runs() -> None:
    decoder = OutputDecoder()
    assert "".join(decoder.feed(f"\r{n:06d} of 100000".encode()) for n in range(100_001)) == ""
    assert decoder.feed(b"\ndone\n") == "100000 of 100000\ndone\n"


def test_a_line_without_end_is_passed_on_in_whole_characters() -> None:
    decoder = OutputDecoder()
    given = "中" * 100_000
    passed = decoder.feed(given.encode())
    assert 0 < len(passed) < len(given)
    assert set(passed) == {"中"}
    assert passed + decoder.flush() == given
