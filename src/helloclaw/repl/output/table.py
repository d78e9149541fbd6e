"""Tables of Markdown in columns that fit the terminal; where they can't, each row as lines of «heading: cell»."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from helloclaw.repl.output.inline import Inline
from helloclaw.repl.output.rows import Row, Span, columns, wrapped

NARROW = 60
"""Up to this many columns a table that does not fit is stacked rather than squeezed."""

Align = Literal["left", "right", "centre"]
Cell = list[Span]

_LEAST = 8
"""Columns that a squeezed column keeps, if its cells need them."""
_DELIMITER = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")
_BAR = re.compile(r"(?<!\\)\|")


def cells_of(line: str) -> list[str]:
    """The cells of one row (GFM 4.10): bars at both ends are optional, `\\|` is no bar."""
    text = line.strip().removeprefix("|")
    if text.endswith("|") and not text.endswith("\\|"):
        text = text[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(text)]


def delimits(line: str, head: str) -> bool:
    """Whether `line` is the row under a table's head `head`."""
    text = line.strip()
    return "|" in text and _DELIMITER.fullmatch(text) is not None and len(cells_of(text)) == len(cells_of(head))


class Table:
    """Rows are measured as they come, and painted together at the end."""

    def __init__(self, inline: Inline, head: str, delimiter: str, *, ascii: bool) -> None:  # noqa: A002
        self._inline = inline
        self._aligns: list[Align] = [_align(cell) for cell in cells_of(delimiter)]
        self._ascii = ascii
        self._rows: list[list[Cell]] = []
        self._widths = [1] * len(self._aligns)
        self._head = self._measured([inline.spans(cell, "table.head") for cell in cells_of(head)])

    def add(self, line: str, room: int) -> list[Row]:  # noqa: ARG002
        cells = [self._inline.spans(cell) for cell in cells_of(line)[: len(self._aligns)]]
        self._rows.append(self._measured(cells + [[] for _ in range(len(self._aligns) - len(cells))]))
        return []

    def blank(self) -> bool:
        return False

    def close(self, room: int, last: int = 0) -> list[Row]:
        rows = self._rows[-last:] if last else self._rows
        widths = self._fitting(room)
        if widths is None:
            return list(self._stacked(rows, room))
        bar, cross, line = (" | ", "-+-", "-") if self._ascii else (" │ ", "─┼─", "─")
        rule: Row = [("border", cross.join(line * width for width in widths))]
        painted = [*self._beside(self._head, widths, bar), rule]
        for cells in rows:
            painted += self._beside(cells, widths, bar)
        return painted

    def detach(self) -> None:
        self._rows = [*self._rows]
        self._widths = [*self._widths]

    def _measured(self, cells: list[Cell]) -> list[Cell]:
        for index, cell in enumerate(cells):
            longest = max(columns(line) for line in "".join(text for _, text in cell).split("\n"))
            self._widths[index] = max(self._widths[index], longest)
        return cells

    def _fitting(self, room: int) -> list[int] | None:
        """The columns' widths; None where the table is to be stacked."""
        space = room - 3 * (len(self._widths) - 1)
        if sum(self._widths) <= space:
            return self._widths
        least = [min(width, _LEAST) for width in self._widths]
        if room <= NARROW or sum(least) > space:
            return None
        # The widest give way, down to one common limit.
        low, high = 1, max(self._widths)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (
                (middle, high) if sum(min(width, middle) for width in self._widths) <= space else (low, middle - 1)
            )
        return [min(width, low) for width in self._widths]

    def _beside(self, cells: Sequence[Cell], widths: Sequence[int], bar: str) -> Iterator[Row]:
        wraps = [wrapped(cell, width) or [[]] for cell, width in zip(cells, widths, strict=True)]
        for index in range(max(map(len, wraps))):
            row: Row = []
            for column, (lines, width) in enumerate(zip(wraps, widths, strict=True)):
                if column:
                    row.append(("border", bar))
                line = lines[index] if index < len(lines) else []
                left, right = _blanks(self._aligns[column], width - sum(columns(text) for _, text in line))
                row += [("", " " * left), *line, ("", " " * right)]
            yield row

    def _stacked(self, rows: Sequence[list[Cell]], room: int) -> Iterator[Row]:
        if not rows:
            for head in self._head:
                yield from wrapped(head, room)
        for index, cells in enumerate(rows):
            if index:
                yield []
            for head, cell in zip(self._head, cells, strict=True):
                if cell or head:
                    yield from wrapped([*head, *([("table.head", ": ")] if head else []), *cell], room)


def _align(cell: str) -> Align:
    match cell.startswith(":"), cell.endswith(":"):
        case True, True:
            return "centre"
        case False, True:
            return "right"
        case _:
            return "left"


def _blanks(align: Align, free: int) -> tuple[int, int]:
    match align:
        case "left":
            return 0, free
        case "right":
            return free, 0
        case "centre":
            return free // 2, free - free // 2
