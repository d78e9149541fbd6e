"""Break text into rows of a terminal. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from helloclaw.wording.width import columns


def wrapped(text: str, width: int) -> Iterator[str]:
    """Pieces of at most `width` columns, broken at blanks where there are any; none is empty but of an empty text."""
    rest = text
    while columns(rest) > width:
        used = end = 0
        for char in rest:
            used += columns(char)
            if used > width:
                break
            end += 1
        end = max(end, 1)
        blank = rest.rfind(" ", 1, end + 1)
        cut = blank if blank > end // 3 else end
        yield rest[:cut].rstrip()
        rest = rest[cut:].lstrip()
    if rest or not text:
        yield rest
