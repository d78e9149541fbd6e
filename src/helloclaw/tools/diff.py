"""Unified diffs, cheap for any input: only the part that differs is compared, and only so much of it is shown. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

CONTEXT_LINES = 3
# `difflib` is quadratic; beyond this many changed lines on a side the block is shown as replaced whole.
_COMPARED_LINES = 1500
_SHOWN_LINES = 400
_SHOWN_COLUMNS = 400
_HUNK = re.compile(r"^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")


def unified_diff(before: str, after: str, name: str) -> str:
    """The diff from `before` to `after` of the file `name`; empty when they are equal. Line endings are not shown."""
    old, new = _lines(before), _lines(after)
    if old == new:
        return "" if before == after else f"--- a/{name}\n+++ b/{name}\n(only line endings change)\n"
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    start = max(0, head - CONTEXT_LINES)
    old_part = old[start : min(len(old), len(old) - tail + CONTEXT_LINES)]
    new_part = new[start : min(len(new), len(new) - tail + CONTEXT_LINES)]
    body = [_shifted(line, start) for line in _compare(old_part, new_part)]
    if len(body) > _SHOWN_LINES:
        body = [*body[:_SHOWN_LINES], f"(… {len(body) - _SHOWN_LINES} more lines of the diff)"]
    return "\n".join([f"--- a/{name}", f"+++ b/{name}", *map(_cut, body)]) + "\n"


def _lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many items both begin with."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))


def _compare(old: Sequence[str], new: Sequence[str]) -> list[str]:
    if len(old) <= _COMPARED_LINES and len(new) <= _COMPARED_LINES:
        return list(difflib.unified_diff(old, new, n=CONTEXT_LINES, lineterm=""))[2:]
    return [f"@@ -1,{len(old)} +1,{len(new)} @@", *(f"-{line}" for line in old), *(f"+{line}" for line in new)]


def _shifted(line: str, by: int) -> str:
    """A hunk's header with its line numbers moved by `by`; any other line as it is."""
    found = _HUNK.match(line)
    if not found or not by:
        return line
    old, old_count, new, new_count = found.groups(default="")
    return f"@@ -{int(old) + by}{old_count} +{int(new) + by}{new_count} @@{line[found.end() :]}"


def _cut(line: str) -> str:
    return line if len(line) <= _SHOWN_COLUMNS else f"{line[:_SHOWN_COLUMNS]}…"
