"""How text fits a terminal: two columns for East Asian wide characters, none for combining ones; cut, or wrapped."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width

# What no line may begin with, and what none may end with.
_CLOSING = "，。；：！？、）】》”’…,.;:!?)]}"
_OPENING = "（【《“‘([{"
_WIDE = r"\u2e80-\u9fff\uac00-\ud7af\uff00-\uff60"


def columns(text: str) -> int:
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def cut(text: str, width: int) -> str:
    """`text` in at most `width` columns, its end replaced by `…` if it is longer. `width` 0 is no limit."""
    if width <= 0 or columns(text) <= width:
        return text
    kept, used = list[str](), 1
    for char in text:
        used += columns(char)
        if used > width:
            break
        kept.append(char)
    return f"{''.join(kept)}…"


def cut_start(text: str, width: int) -> str:
    """As `cut`, but the start goes: of a path the end tells most."""
    return text if width <= 0 or columns(text) <= width else cut(text[::-1], width)[::-1]


def padded(text: str, width: int) -> str:
    """`text` cut or filled up to exactly `width` columns."""
    shown = cut(text, width) if width > 0 else ""
    return shown + " " * (width - columns(shown))


def wrapped(text: str, width: int, *, hang: int = 0) -> list[str]:
    """`text` in lines of at most `width` columns, broken between words or Chinese characters; a longer word is cut.

    The lines after the first are indented by `hang`. `width` 0 is no limit.
    """
    if width <= 0 or columns(text) <= width:
        return [text]
    lines, line = list[str](), ""
    for piece in _unbroken(text):
        for part in _fitting(piece, max(2, width - hang)):
            if line and columns(line) + columns(part.rstrip()) > width:
                if line.strip():
                    lines.append(line.rstrip())
                line = " " * (hang if lines else 0) + part.lstrip()
            else:
                line += part
    return [*lines, line.rstrip()]


def _unbroken(text: str) -> list[str]:
    """The pieces between which a line may end; spaces stay with what stands before them."""
    pieces: list[str] = []
    for piece in re.findall(rf"\s+|[{_WIDE}]|[^\s{_WIDE}]+", text):
        joins = piece.isspace() or piece[0] in _CLOSING or (pieces and pieces[-1][-1] in _OPENING)
        if pieces and joins:
            pieces[-1] += piece
        else:
            pieces.append(piece)
    return pieces


def _fitting(piece: str, width: int) -> list[str]:
    """A piece as it is, or cut where it is wider than a whole line."""
    parts = [""]
    for char in piece:
        if columns(parts[-1]) + columns(char) > width and not char.isspace():
            parts.append("")
        parts[-1] += char
    return parts
