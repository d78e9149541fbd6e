"""Any text made safe to show: nothing in it can steer a terminal, reorder a line or fail to be encoded. Pure."""

from __future__ import annotations

import os
import re
from unicodedata import category

_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), 127) if code not in (9, 10)}
# Controls, and the Unicode categories Cf, Zl, Zp, Cs and Co: what reorders the text around it, so that a command can
# look like another one (CVE-2021-42574), what can't be seen at all, and what means something in one font only.
# Written down because to ask for the category of every character there is takes longer than the program's start.
_HIDDEN = (
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\ud800-\uf8ff\ufe0f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f\U000f0000-\U0010ffff]"
)
_JOINER, _AS_EMOJI, _KEYCAP = "\u200d", "\ufe0f", "\u20e3"
_EMOJI_OF_OTHER_KINDS = "‼⁉ℹ〰〽"


def visible(text: str, *, piece: bool = False) -> str:
    """Text that a terminal can only show: control characters and hidden ones become `\\x1b`, `\\u202e`…

    What joins the parts of an emoji stays. Of a `piece` of a longer text, the rest of the emoji may be in another one.
    """
    if text.isascii():
        return text.translate(_CONTROLS)
    return re.sub(_HIDDEN, lambda found: _shown(found, piece), text)


def _shown(found: re.Match[str], piece: bool) -> str:
    char = found[0]
    if char in (_JOINER, _AS_EMOJI) and _in_emoji(char, found.string, found.start(), piece):
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _in_emoji(char: str, text: str, at: int, piece: bool) -> bool:
    before, after = text[max(0, at - 2) : at], text[at + 1 : at + 2]
    if char == _AS_EMOJI:
        return after == _KEYCAP or (piece and not after) or _is_emoji(before[-1:], piece)
    return _is_emoji(before.removesuffix(_AS_EMOJI)[-1:], piece) and _is_emoji(after, piece)


def _is_emoji(char: str, beyond: bool) -> bool:
    """`beyond` is the answer for no character."""
    if char.isascii():
        return beyond and not char
    return "\U0001f000" <= char <= "\U0001faff" or category(char) in {"So", "Sk", "Sm"} or char in _EMOJI_OF_OTHER_KINDS


def one_line(text: str, limit: int = 0) -> str:
    """Text as one visible line, cut with `…` after `limit` characters."""
    line = visible(" ".join(text.split()))
    return f"{line[: limit - 1]}…" if limit and len(line) > limit else line


def sentences(message: str, hint: str) -> str:
    """What happened, and the next step, as one text."""
    return f"{message.rstrip().rstrip('.')}. {hint}" if hint else message


def clean(text: str) -> str:
    """Text without lone surrogates, which bytes that are no UTF-8 leave in arguments: they become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return (
            os.fsencode(text).decode("utf-8", "replace")
            if _from_bytes(text)
            else text.encode("utf-8", "replace").decode()
        )
    return text


def _from_bytes(text: str) -> bool:
    return all(not 0xD800 <= ord(char) <= 0xDFFF or 0xDC80 <= ord(char) <= 0xDCFF for char in text)
