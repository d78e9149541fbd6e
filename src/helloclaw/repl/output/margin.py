"""The margin of an answer: marks of open lists and quotations before each row, and empty rows between blocks."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

from helloclaw.repl.output.containers import Container, Item, marks_of, same_list
from helloclaw.repl.output.rows import Row, Span, columns


class Margin:
    """`containers` are open, the outermost first. `width` gives the terminal's columns now."""

    def __init__(self, width: Callable[[], int], *, ascii: bool) -> None:  # noqa: A002
        self.containers: list[Container] = []
        self._width = width
        self._ascii = ascii
        self._gap = False
        self._begun = False
        self._blank = False
        self._after: list[Container] = []
        """Where the last row stood."""

    def detach(self) -> None:
        """Share nothing that changes with what this was copied from."""
        self.containers = [copy(each) for each in self.containers]

    @property
    def room(self) -> int:
        """Columns beside the marks."""
        return max(4, self._width() - sum(columns(text) for _, text in self._marks(self.containers)))

    def enter(self, container: Container) -> None:
        if isinstance(container, Item):
            container.follow(self._after[len(self.containers) :][:1])
        self.containers.append(container)

    def begin(self) -> None:
        """A block begins: see whether an empty row is due."""
        self._gap = self._begun and not self._joined()
        self._blank = False

    def separate(self) -> None:
        """A block begins within what was taken for one."""
        self._gap = self._begun

    def empty_line(self) -> None:
        self._blank = True

    def placed(self, rows: list[Row]) -> list[Row]:
        """Rows with their marks before them, the first one after an empty row if one is due."""
        done: list[Row] = []
        for row in rows:
            if self._gap:
                done.append(self._gap_row())
                self._gap = False
            done.append([*self._marks(self.containers), *row])
            for container in self.containers:
                container.fresh = False
        if rows:
            self._begun = True
            self._after = [copy(each) for each in self.containers]
        return done

    def _joined(self) -> bool:
        """Whether the block that begins follows the last row without an empty one: lists are compact, however they are
        written, and what is within an item is as it is written.
        """
        new = self._first_fresh()
        before = self._after
        if new is None:
            within = bool(self.containers) and isinstance(self.containers[-1], Item)
            return within and not self._blank and len(before) == len(self.containers)
        if not isinstance(self.containers[new], Item):
            return False
        if [each.identity for each in before[:new]] != [each.identity for each in self.containers[:new]]:
            return False
        if len(before) > new:
            return same_list(before[new], self.containers[new])
        return new > 0 and isinstance(self.containers[new - 1], Item)

    def _first_fresh(self) -> int | None:
        return next((at for at, each in enumerate(self.containers) if each.fresh), None)

    def _gap_row(self) -> Row:
        return self._marks(self.containers[: self._first_fresh()])

    def _marks(self, containers: list[Container]) -> list[Span]:
        return marks_of(containers, self._width() // 2, ascii=self._ascii)
