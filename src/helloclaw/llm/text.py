"""Text that can always be encoded: what a model's server sends may hold half a character.

A JSON escape can carry one half of a UTF-16 pair (`\\ud83d`), and some gateways cut an answer between the halves.
Python keeps such a half in a `str`, but no terminal, file or JSON encoder takes it.
"""

from __future__ import annotations

import re
from typing import Any

_HALF = re.compile("[\ud800-\udfff]")


def has_half_character(text: str) -> bool:
    return not text.isascii() and _HALF.search(text) is not None


def join_halves(text: str) -> str:
    """Join halves that belong together; what is alone stays as it is."""
    if not has_half_character(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def encodable(text: str) -> str:
    """The same text with halves joined, and U+FFFD in place of a half that is alone."""
    if not has_half_character(text):
        return text
    return _HALF.sub("\ufffd", join_halves(text))


def encodable_value(value: Any) -> Any:
    """`encodable` for every string in a JSON value. A value without half characters is returned as it is."""
    match value:
        case str():
            return encodable(value)
        case list():
            return [encodable_value(entry) for entry in value]  # pyright: ignore[reportUnknownVariableType] - JSON is Any
        case dict():
            return {encodable(key): encodable_value(entry) for key, entry in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - JSON is Any
        case _:
            return value


class HalfJoiner:
    """Makes streamed pieces encodable one by one: a half at the end of a piece waits for the next one."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        if not self._held and not has_half_character(piece):
            return piece
        piece = self._held + piece
        self._held = piece[-1] if "\ud800" <= piece[-1:] <= "\udbff" else ""
        return encodable(piece[:-1] if self._held else piece)

    def close(self) -> str:
        """What is still held: nothing, or U+FFFD for a half whose other half never came."""
        held, self._held = self._held, ""
        return encodable(held)
