"""Rows of a terminal: styled text wrapped between words or Chinese characters, cut where nothing else helps. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from helloclaw.wording.width import columns, size

Span = tuple[str, str]
"""Names of styles with blanks between them, and the text that is in them."""

Row = list[Span]

TAB = 4

_WIDE = (
    "\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60"
    "\uffe0-\uffe6\U0001f300-\U0001faff\U00020000-\U0003fffd"
)
_MARKS = "\u0300-\u036f\u20d0-\u20f0\ufe00-\ufe0f\U0001f3fb-\U0001f3ff"
# What no row may begin with, and what none may end with.
_CLOSING = re.escape("，。；：！？、）】》」』”’…,.;:!?)]}")
_OPENING = re.escape("（【《「『“‘([{")


@lru_cache(maxsize=1)
def _pieces() -> re.Pattern[str]:
    """What may not be torn apart. Compiled when first needed: that takes longer than all of this file."""
    return re.compile(
        f"\\s+|[{_OPENING}]*(?:[{_WIDE}][{_MARKS}]*(?:\u200d.[{_MARKS}]*)*|[^\\s{_WIDE}]+|.)[{_CLOSING}{_MARKS}]*"
    )


def wrapped(spans: Sequence[Span], width: int) -> list[Row]:
    """Rows of at most `width` columns; a newline in a span ends a row. Blanks where a row ends are dropped."""
    rows: list[Row] = []
    plain = "".join(text for _, text in spans)
    slices: list[tuple[int, int]] = []
    start = 0
    for line in plain.split("\n"):
        slices += ((start + begin, start + end) for begin, end in _word_slices(line, width))
        start += len(line) + 1
    rows.extend(_sliced(spans, slices))
    return rows


def chopped(spans: Sequence[Span], width: int) -> list[Row]:
    """One line in rows of at most `width` columns, cut wherever it must be: for code, where each blank counts."""
    plain = "".join(text for _, text in spans)
    if columns(plain) <= width:
        return [list(spans)]
    slices = list(_hard_slices(plain, 0, len(plain), width))
    return list(_sliced(spans, slices))


def untabbed(spans: Iterable[Span]) -> Row:
    """One line with its tabs as blanks, up to the next multiple of `TAB` columns."""
    row: Row = []
    at = 0
    for style, text in spans:
        if "\t" in text:
            parts: list[str] = []
            for part in re.split("(\t)", text):
                parts.append(" " * (TAB - at % TAB) if part == "\t" else part)
                at += columns(parts[-1])
            text = "".join(parts)
        else:
            at += columns(text)
        row.append((style, text))
    return row


def fitted(text: str, width: int) -> str:
    """`text` cut to at most `width` columns, with `…` where something is missing."""
    if columns(text) <= width:
        return text
    taken, used = "", 0
    for char in text:
        if (used := used + size(char)) > width - 1:
            break
        taken += char
    return f"{taken}…" if width > 0 else ""


def _word_slices(line: str, width: int) -> Iterator[tuple[int, int]]:
    if columns(line) <= width:
        yield 0, len(line.rstrip())
        return
    start = end = used = 0
    for piece in _pieces().finditer(line):
        text, room = piece.group(), columns(piece.group())
        if text.isspace():
            used += room
            continue
        if used + room > width:
            if end > start:
                yield start, end
            start, used = piece.start(), 0
            if room > width:
                *whole, (start, _) = _hard_slices(line, piece.start(), piece.end(), width)
                yield from whole
                room = columns(line[start : piece.end()])
        end = piece.end()
        used += room
    if end > start:
        yield start, end


def _hard_slices(line: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    used = 0
    for at in range(start, end):
        room = size(line[at])
        if used + room > width and at > start:
            yield start, at
            start, used = at, 0
        used += room
    yield start, end


def _sliced(spans: Sequence[Span], slices: Iterable[tuple[int, int]]) -> Iterator[Row]:
    index = begun = 0
    for start, end in slices:
        row: Row = []
        while index < len(spans) and begun + len(spans[index][1]) <= start:
            begun += len(spans[index][1])
            index += 1
        at, offset = index, begun
        while at < len(spans) and offset < end:
            style, text = spans[at]
            if part := text[max(0, start - offset) : end - offset]:
                row.append((style, part))
            offset += len(text)
            at += 1
        yield row
