"""Notes within the text of a page: where they stand, and the text with one more, one marked, one gone. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from helloclaw.memory.note import Note, parse, render

_COMMENT = re.compile(r"[ \t]*<!--[^>]*?-->")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")


class Placed(Struct, frozen=True, kw_only=True):
    """A note and where it stands: its page and line, counted from 1."""

    page: str
    line: int
    note: Note


def notes_in(text: str, page: str) -> Iterator[Placed]:
    in_code = False
    for number, row in enumerate(text.splitlines(), 1):
        if _FENCE.match(row):
            in_code = not in_code
        elif not in_code and (note := parse(row)) is not None:
            yield Placed(page=page, line=number, note=note)


def shown(row: str) -> str:
    """A line without comments."""
    return _COMMENT.sub("", row) if "<!--" in row else row


def with_note(text: str, note: Note, heading: str, title: str) -> str:
    """`text` with `note` under the section `heading`, at the end without one. A new page gets a `title`, if any."""
    line = render(note)
    rows = text.splitlines() if text.strip() else ([f"# {title}"] if title else [])
    at = _end_of_section(rows, heading) if heading else len(rows)
    if at is None:
        return "\n".join([*rows, *([""] if rows else []), f"## {heading}", "", line]) + "\n"
    while at > 0 and not rows[at - 1].strip():
        at -= 1
    gap = [""] if at > 0 and parse(rows[at - 1]) is None else []
    rest = rows[at:]
    return "\n".join([*rows[:at], *gap, line, *rest]) + "\n"


def with_superseded(text: str, placed: Placed, gone: Note) -> str:
    """`text` with a note marked; as it is if the note has moved on."""
    rows = text.splitlines()
    for index in (placed.line - 1, *range(len(rows))):
        if index < len(rows) and parse(rows[index]) == placed.note:
            rows[index] = render(gone)
            return "\n".join(rows) + "\n"
    return text


def without_line(text: str, line: int) -> str:
    """`text` without a line, and without the section that is empty then."""
    rows = text.splitlines()
    del rows[line - 1]
    start = line - 2
    while start >= 0 and not rows[start].strip():
        start -= 1
    end = line - 1
    while end < len(rows) and not rows[end].strip():
        end += 1
    if start >= 0 and re.match(r"## \d\d:\d\d$", rows[start]) and (end == len(rows) or rows[end].startswith("#")):
        rows[start:end] = []
    return "\n".join(rows) + "\n" if rows else ""


def _end_of_section(rows: list[str], heading: str) -> int | None:
    """The index after the last line of the last section of that name, None if there is none."""
    found: int | None = None
    inside = False
    for index, row in enumerate(rows):
        if row.startswith("#"):
            inside = row.lstrip("#").strip().casefold() == heading.casefold()
        if inside:
            found = index + 1
    return found
