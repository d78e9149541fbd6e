"""Where an edit's old text is in a file, whatever the line endings, and what is there instead when it is not. Pure."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from collections.abc import Iterator

from msgspec import Struct

_CANDIDATES = 3
_NUMBERED = re.compile(r"^ *\d+\t", re.MULTILINE)


class Span(Struct, frozen=True):
    """A match: offsets in the file's own text, and the line it starts at, from 1."""

    start: int
    end: int
    line: int


def find_spans(content: str, old: str) -> list[Span]:
    """All places of `old`, not overlapping. Line endings don't count: `\\n` in `old` matches `\\r\\n` in `content`."""
    unix, wanted = content.replace("\r\n", "\n"), old.replace("\r\n", "\n")
    returns = _dropped_returns(content)
    spans: list[Span] = []
    line, counted = 1, 0
    for start in _occurrences(unix, wanted):
        line += unix.count("\n", counted, start)
        counted = start
        spans.append(Span(_original(start, returns), _original(start + len(wanted), returns), line))
    return spans


def explain_no_match(content: str, old: str) -> str:
    """What the file has that is nearest to `old`, with its real text, so that the next try can succeed."""
    unix, wanted = content.replace("\r\n", "\n"), old.replace("\r\n", "\n")
    if _NUMBERED.sub("", wanted) != wanted and _NUMBERED.sub("", wanted) in unix:
        return "old_text carries line numbers of read_file; give the lines without the number and the tab before them"
    lines = unix.split("\n")
    near = list(_same_but_whitespace(lines, wanted.strip("\n").split("\n")))
    if near:
        return f"it differs only in whitespace at {_places(near)}; the file has exactly:\n{_quoted(lines, near)}"
    if nearest := _nearest_line(lines, wanted):
        number, text = nearest
        return f"the nearest is line {number}: {text[:300]!r}; read that part of the file again"
    return "nothing there is similar; read the file again"


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    position = text.find(wanted)
    while position >= 0:
        yield position
        position = text.find(wanted, position + len(wanted))


def _dropped_returns(content: str) -> list[int]:
    """For every `\\r\\n` of `content`, the offset its line feed has once all the returns before it are dropped."""
    return [found.start() - count for count, found in enumerate(re.finditer("\r\n", content))]


def _original(offset: int, returns: list[int]) -> int:
    """The offset in the text with its returns. One at a line feed means the return before it."""
    return offset + bisect_left(returns, offset)


def _same_but_whitespace(lines: list[str], wanted: list[str]) -> Iterator[tuple[int, int]]:
    """Line ranges (first, last; from 1) that equal `wanted` once all whitespace is taken out."""
    target = [_squeezed(line) for line in wanted]
    if not any(target):
        return
    have = "\n".join(["", *map(_squeezed, lines), ""])
    sought = "\n".join(["", *target, ""])  # whole lines, and found by `str.find`: linear, however much repeats
    line, counted = 1, 0
    position = have.find(sought)
    while position >= 0:
        line += have.count("\n", counted, position)
        counted = position
        yield line, line + len(target) - 1
        position = have.find(sought, position + 1)


def _squeezed(line: str) -> str:
    return "".join(line.split())


def _places(near: list[tuple[int, int]]) -> str:
    named = ", ".join(
        f"line {first}" if first == last else f"lines {first}-{last}" for first, last in near[:_CANDIDATES]
    )
    return named if len(near) <= _CANDIDATES else f"{named} and {len(near) - _CANDIDATES} more places"


def _quoted(lines: list[str], near: list[tuple[int, int]]) -> str:
    first, last = near[0]
    return "\n".join(lines[first - 1 : last])


def _nearest_line(lines: list[str], wanted: str) -> tuple[int, str] | None:
    """The line most like the first line of `wanted` that says something."""
    sought = next((line.strip() for line in wanted.split("\n") if line.strip()), "")[:300]
    distinct = {
        line.strip()[:300]: number for number, line in reversed(list(enumerate(lines[:5000], 1))) if line.strip()
    }
    close = difflib.get_close_matches(sought, distinct, n=1, cutoff=0.6)
    return (distinct[close[0]], lines[distinct[close[0]] - 1]) if close else None
