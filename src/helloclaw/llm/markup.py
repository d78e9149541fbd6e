"""Markers inside streamed text: find one that is whole, and hold back only what may still become one.

A marker is a text, or a row of small patterns ("atoms") from which the pattern of its unfinished forms follows. What it
means is not known here; see `text_filter`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

BAR = r"[|｜‖∥¦│┃ǀ∣]"
"""The vertical bars that models spell special tokens with, or that gateways turn them into."""

LONGEST_HELD = 400
"""Characters: the longest tail that is held back as the start of a marker. No marker with its attributes is longer."""


class Marker(Struct, frozen=True, kw_only=True):
    """`kind` says what was found. Either `text`, or `atoms`: regular expressions without groups. It begins with `<`."""

    kind: str
    text: str = ""
    atoms: tuple[str, ...] = ()

    @property
    def pattern(self) -> str:
        return re.escape(self.text) or "".join(f"(?:{atom})" for atom in self.atoms)


class Found(Struct, frozen=True):
    kind: str
    start: int
    end: int
    text: str


class Markers:
    """Some markers, compiled once."""

    def __init__(self, markers: Iterable[Marker]) -> None:
        rows = list(markers)
        self._kinds = [row.kind for row in rows]
        self._texts = [row.text for row in rows if row.text]
        whole = "|".join(f"({row.pattern})" for row in rows)
        unfinished = "|".join(_unfinished(row.atoms) for row in rows if row.atoms)
        self._whole = re.compile(whole or r"(?!)", re.IGNORECASE)
        self._unfinished = re.compile(unfinished or r"(?!)", re.IGNORECASE)

    def find(self, text: str, start: int = 0) -> Found | None:
        """The first whole marker at or after `start`."""
        match = self._whole.search(text, start)
        if match is None or match.lastindex is None:
            return None
        return Found(self._kinds[match.lastindex - 1], match.start(), match.end(), match.group())

    def safe_length(self, text: str) -> int:
        """How much of `text`, which has no whole marker, can be shown now: all but a tail that may become one."""
        position = text.find("<", max(0, len(text) - LONGEST_HELD))
        while position != -1:
            tail = text[position:].lower()
            if any(marker.startswith(tail) for marker in self._texts) or self._unfinished.fullmatch(tail):
                return position
            position = text.find("<", position + 1)
        return len(text)


def _unfinished(atoms: tuple[str, ...]) -> str:
    """`a(?:b(?:c)?)?`: every beginning of the row, and the row itself."""
    pattern = ""
    for atom in reversed(atoms):
        pattern = f"(?:{atom})(?:{pattern})?" if pattern else f"(?:{atom})"
    return pattern
