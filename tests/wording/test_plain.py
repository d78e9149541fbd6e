"""Text made safe to show: what can't be seen is told, and what belongs to an emoji stays."""

from __future__ import annotations

import sys
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.wording.plain import one_line, visible

HIDDEN = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co"}
EMOJI = ["👩‍👩‍👧", "⚠️", "🏳️‍🌈", "👩🏽‍🚀", "❤️‍🔥", "🙂‍↔️", "1️⃣", "#️⃣", "ℹ️", "‼️", "©️", "🇨🇳", "🧑‍⚕️"]


def escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def test_every_hidden_character_is_told_and_every_other_one_shown() -> None:
    chars = [chr(code) for code in range(sys.maxunicode + 1)]
    told = {char for char in chars if visible(char) != char}
    hidden = {char for char in chars if category(char) in HIDDEN} - {"\t", "\n"}
    # Unassigned code points among them may become format characters; U+FE0F is hidden where it follows nothing.
    assert {char for char in told ^ hidden if category(char) != "Cn"} == {"\ufe0f"}
    assert [visible(char) for char in sorted(hidden)] == [escaped(char) for char in sorted(hidden)]


@pytest.mark.parametrize("text", EMOJI)
def test_an_emoji_stays_whole(text: str) -> None:
    assert visible(text) == text
    assert visible(f"a {text}，{text}.") == f"a {text}，{text}."


@pytest.mark.parametrize("text", EMOJI)
def test_an_emoji_stays_whole_in_any_two_pieces(text: str) -> None:
    for cut in range(len(text)):
        assert visible(text[:cut], piece=True) + visible(text[cut:], piece=True) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("rm\u200d -rf", "rm\\u200d -rf"),
        ("a\ufe0fb", "a\\ufe0fb"),
        ("👩\u200dx", "👩\\u200dx"),
        ("x\u200d👩", "x\\u200d👩"),
        ("x\ufe0f\u200d👩", "x\\ufe0f\\u200d👩"),
        ("👩\u200d\u200d👧", "👩\\u200d\\u200d👧"),
        ("⚠\ufe0f\ufe0f", "⚠\ufe0f\\ufe0f"),
        ("\u200d", "\\u200d"),
        ("pay\u00adpal", "pay\\xadpal"),
        ("🏴\U000e0067\U000e007f", "🏴\\U000e0067\\U000e007f"),
        ("一\u2028二\u061c\u180e", "一\\u2028二\\u061c\\u180e"),
        ("\udcff", "\\udcff"),
        ("\x1b[2J 你", "\\x1b[2J 你"),
    ],
)
def test_what_joins_no_emoji_is_told(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters(codec=None) | st.sampled_from("\u200d\ufe0f👩⚠1\u20e3\x1b")), st.booleans())
def test_what_is_visible_stays_as_it_is(text: str, piece: bool) -> None:
    shown = visible(text, piece=piece)
    assert visible(shown, piece=piece) == shown
    shown.encode()
    assert "\n" not in one_line(text)
