from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from helloclaw.llm.text import HalfJoiner, encodable, encodable_value

ANY_TEXT = st.text(alphabet=st.characters(codec=None, categories=None) | st.sampled_from("\ud83d\ude00a"))


def test_halves_are_joined_and_lone_ones_replaced() -> None:
    assert encodable("a\ud83d\ude00b\ud83dc\ude00") == "a😀b\ufffdc\ufffd"
    assert encodable_value({"\ud83d": ["x", {"y": "\ude00", "n": 1}]}) == {"\ufffd": ["x", {"y": "\ufffd", "n": 1}]}


@given(ANY_TEXT)
def test_every_text_becomes_encodable_and_good_text_stays(text: str) -> None:
    clean = encodable(text)
    clean.encode()
    assert encodable(clean) == clean


@given(st.lists(ANY_TEXT))
def test_pieces_give_what_the_whole_text_would(pieces: list[str]) -> None:
    joiner = HalfJoiner()
    out = [joiner.feed(piece) for piece in pieces]
    assert all(encodable(piece) == piece for piece in out)
    assert "".join([*out, joiner.close()]) == encodable("".join(pieces))
