"""How text fits a terminal: the columns it takes; cut, or wrapped.

Counted so that no terminal shows more: where terminals differ (emoji of several parts), the larger counts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import category, combining, east_asian_width

_FIRST_EMOJI = 0x1F1E6
# What no line may begin with, and what none may end with.
_CLOSING = "，。；：！？、）】》”’…,.;:!?)]}"
_OPENING = "（【《“‘([{"
_WIDE = r"\u2e80-\u9fff\uac00-\ud7af\uff00-\uff60"


def columns(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(map(size, text)) - 2 * _flags(text)


@lru_cache(maxsize=8192)
def size(char: str) -> int:
    """Columns of one character: 0, 1 or 2."""
    if char == "\ufe0f":
        return 1  # it makes the sign before it an emoji, which may be wide
    if char == "\u00ad":
        return 1
    if combining(char) or category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if east_asian_width(char) in "WF" or _FIRST_EMOJI <= ord(char) < 0x20000 else 1


def _flags(text: str) -> int:
    """Pairs of regional indicators, which are one sign of two columns."""
    return len(re.findall("[\U0001f1e6-\U0001f1ff]{2}", text))


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
