"""A menu as rows of text, whatever the width of the terminal. Pure.

Marks tell what colours tell, so that without colours nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from helloclaw.repl.menu_state import Menu
from helloclaw.wording.plain import clean, one_line
from helloclaw.wording.width import columns, wrapped

# (style class, text), as prompt_toolkit takes them.
Fragment = tuple[str, str]
_Line = list[Fragment]

_ABOUT_AT_LEAST = 10
"""Columns an explanation must have to stand beside its label; with fewer it stands below."""


class _Marks(NamedTuple):
    cursor: str
    search: str
    above: str
    below: str
    cut: str


_PLAIN_MARKS = _Marks(">", "/", "^", "v", "~")
_DRAWN_MARKS = _Marks("❯", "/", "↑", "↓", "…")


def render(menu: Menu, width: int, rows: int, ascii: bool = False) -> list[Fragment]:  # noqa: A002 - the name it has elsewhere
    """The menu as rows joined by line feeds: none wider than `width` columns, at most `rows` of them (but never none).

    A menu to decide by shows its labels whole, over several rows if need be; in a searchable one they are cut.
    """
    marks = _PLAIN_MARKS if ascii else _DRAWN_MARKS
    head = [_query_line(menu, marks)] if menu.searchable and rows > 1 else []
    lines = [*head, *_window(_Rows(menu, max(1, width), marks), max(1, rows - len(head)), marks)]
    fragments: list[Fragment] = []
    for line in lines:
        fragments += [*_clipped(line, width, marks), ("", "\n")]
    return fragments[:-1]


def _query_line(menu: Menu, marks: _Marks) -> _Line:
    count = f"{len(menu.shown)}/{len(menu.choices)}"
    return [("class:menu.query", f"{marks.search} {_safe(menu.query)}"), ("class:menu.more", f"  {count}")]


class _Rows:
    """The rows of each choice of a menu, made when they are asked for."""

    def __init__(self, menu: Menu, width: int, marks: _Marks) -> None:
        self.shown = menu.shown
        self.cursor = min(menu.cursor, len(self.shown) - 1)
        self._marks = marks
        self._whole = not menu.searchable
        self._digits = len(str(len(menu.choices))) if not menu.searchable and width >= 12 else 0
        self._indent = 2 + (self._digits + 2 if self._digits else 0)
        self._room = max(1, width - self._indent)
        longest = max((columns(_safe(each.label)) for each in self.shown), default=0)
        self._beside = min(longest, max(8, self._room * 3 // 5))
        self._side_by_side = self._room - self._beside - 2 >= self._needed()

    def of(self, place: int) -> list[_Line]:
        choice, chosen = self.shown[place], place == self.cursor
        label, about = _safe(choice.label), _safe(choice.about)
        style = "class:menu.chosen" if chosen else "class:menu.label"
        lead = f"{self._marks.cursor if chosen else ' '} "
        if self._digits:
            lead += f"{place + 1:>{self._digits}}. "
        if about and self._side_by_side and columns(label) <= self._beside:
            room = self._room - self._beside - 2
            gap = " " * (self._beside - columns(label) + 2)
            return [[(style, lead + label + gap), ("class:menu.about", _cut(about, room, self._marks))]]
        texts = self._broken(label)
        lines: list[_Line] = [[(style, (" " * self._indent if row else lead) + text)] for row, text in enumerate(texts)]
        lines += [
            [("class:menu.about", " " * self._indent + text)] for text in self._broken(about) if about and self._whole
        ]
        return lines

    def _needed(self) -> int:
        """Columns beside the labels without which explanations go below: enough for the longest where none is cut."""
        longest = max((columns(_safe(each.about)) for each in self.shown), default=0)
        return longest if self._whole else min(longest, _ABOUT_AT_LEAST)

    def _broken(self, text: str) -> list[str]:
        return list(wrapped(text, self._room)) if self._whole else [_cut(text, self._room, self._marks)]


def _window(rows: _Rows, room: int, marks: _Marks) -> list[_Line]:
    """As many choices around the cursor as there is room for, and how many more there are on either side."""
    count = len(rows.shown)
    if not count:
        return [[("class:menu.more", f"  {marks.cut}")]]
    lines = rows.of(rows.cursor)[:room]
    first = last = rows.cursor
    while wider := _wider(rows, first, last, room - len(lines)):
        above = wider[0] < first
        more = rows.of(wider[0] if above else wider[1])
        lines = [*more, *lines] if above else [*lines, *more]
        first, last = wider
    if first and len(lines) < room:
        lines = [[("class:menu.more", f"  {marks.above} {first}")], *lines]
    if last + 1 < count and len(lines) < room:
        lines = [*lines, [("class:menu.more", f"  {marks.below} {count - last - 1}")]]
    return lines


def _wider(rows: _Rows, first: int, last: int, room: int) -> tuple[int, int] | None:
    """One choice more in sight, on the side with fewer of them, so that what comes next is seen either way."""
    ways = [(first - 1, last), (first, last + 1)]
    for begin, end in ways if rows.cursor - first <= last - rows.cursor else reversed(ways):
        if begin < 0 or end >= len(rows.shown):
            continue
        added = rows.of(begin if begin < first else end)
        if len(added) + (begin > 0) + (end + 1 < len(rows.shown)) <= room:
            return begin, end
    return None


def _safe(text: str) -> str:
    return clean(one_line(text))


def _clipped(line: _Line, width: int, marks: _Marks) -> Iterator[Fragment]:
    left = width
    for style, text in line:
        piece = _cut(text, left, marks)
        left -= columns(piece)
        if piece:
            yield style, piece
        if piece != text:
            return


def _cut(text: str, width: int, marks: _Marks) -> str:
    """`text` in at most `width` columns, with a mark where something is missing."""
    if columns(text) <= width:
        return text
    kept, used = "", 1
    for char in text:
        used += columns(char)
        if used > width:
            break
        kept += char
    return kept + marks.cut if width > 0 else ""
