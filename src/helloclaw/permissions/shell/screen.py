"""What makes a command unfit to be judged by its text: characters that hide, and sheer length. Pure."""

from __future__ import annotations

import re
import unicodedata

from helloclaw.permissions.reasons import Why
from helloclaw.permissions.tables import names

MAX_CHARACTERS = 10_000
# Linux: MAX_ARG_STRLEN. A longer text can't be handed to `bash -c` at all.
MAX_BYTES = 131_071

_ASCII_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# Letters and marks by category, but nothing to be seen: fillers, joiners, variation selectors, a blank Braille cell.
_BLANK = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_HIDING = names("Cc Cf Cs Co Cn Zl Zp")


def hidden_characters(text: str) -> Why | None:
    """A character that a person can't see, other than a space, a tab or a line's end."""
    if found := _ASCII_CONTROL.search(text):
        return Why("hidden_characters", _named(found.group()))
    if text.isascii():
        return None
    if found := _BLANK.search(text):
        return Why("hidden_characters", _named(found.group()))
    for character in set(text):
        if character > "\x7f":
            category = unicodedata.category(character)
            if category in _HIDING or category == "Zs":
                return Why("hidden_characters", _named(character))
    return None


def _named(character: str) -> str:
    return f"U+{ord(character):04X}"


def too_long(text: str) -> Why | None:
    return Why("too_long", f"{MAX_CHARACTERS:,}") if len(text) > MAX_CHARACTERS else None


def too_long_to_run(text: str) -> Why | None:
    size = len(text.encode("utf-8", "replace"))
    return Why("too_long_to_run", f"{size:,}") if size > MAX_BYTES else None
