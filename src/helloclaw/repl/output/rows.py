"""Text cut into rows of a terminal: at blanks, between Chinese characters, and inside a word that is too long. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from helloclaw.wording.width import columns

TAB = 4
# What may not be torn apart: a run of narrow characters that are no blanks, or one wide character.
_PIECES = re.compile(
    r"\s+|[^\s\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]+|."
)
_NO_LINE_START = "，。、；：？！）》」』】”’…,.;:?!)]}"


def wrapped(text: str, width: int) -> list[str]:
    """One line's text as rows of at most `width` columns. Blanks where it is cut go; no row begins with a comma."""
    text = text.expandtabs(TAB)
    if columns(text) <= width:
        return [text.rstrip()]
    rows: list[str] = []
    row, used = "", 0
    for piece in _fitting(text, width):
        size = columns(piece)
        if used + size > width and not (piece in _NO_LINE_START and used + size <= width + 1 and used < width):
            rows.append(row.rstrip())
            row, used = "", 0
            if piece.isspace():
                continue
        row += piece
        used += size
    return [*rows, row.rstrip()] if row.strip() or not rows else rows


def chopped(text: str, width: int) -> list[str]:
    """One line as rows of at most `width` columns, cut wherever it must be: for code, where each blank counts."""
    text = text.expandtabs(TAB)
    rows: list[str] = []
    row, used = "", 0
    for char in text:
        size = columns(char)
        if used + size > width and row:
            rows.append(row)
            row, used = "", 0
        row += char
        used += size
    return [*rows, row]


def _fitting(text: str, width: int) -> Iterator[str]:
    for match in _PIECES.finditer(text):
        piece = match.group()
        if columns(piece) <= width:
            yield piece
        else:
            yield from chopped(piece, width)
