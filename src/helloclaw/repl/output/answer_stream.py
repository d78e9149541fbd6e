"""An answer as it is written: what is final is handed out once, the open end can be shown until then."""

from __future__ import annotations

from helloclaw.repl.output.painter import Painter


class AnswerStream:
    """What `add` and `end` return, one after the other, is the answer; in which pieces it came makes no difference.

    It is what `Painter.markdown` makes of the whole.
    """

    def __init__(self, painter: Painter) -> None:
        self._painter = painter
        self._blocks = painter.blocks()
        self._shown: tuple[int, int, str] | None = None

    def add(self, delta: str) -> str:
        """Text with colours that is final, whole rows; empty if there is none yet."""
        self._shown = None
        return self._painter.rows(self._blocks.feed(delta))

    def end(self) -> str:
        """The rest."""
        self._shown = None
        return self._painter.rows(self._blocks.end())

    def resize(self) -> None:
        """The painter's width or palette has changed: what is still open follows it."""
        self._shown = None

    def tail(self, rows: int) -> str:
        """The open end, at most its last `rows` rows, without a newline at the end. Nothing is painted twice."""
        key = (rows, self._painter.width)
        if self._shown is None or self._shown[:2] != key:
            painted = self._painter.rows(self._blocks.tail(rows)) if rows > 0 else ""
            self._shown = (*key, painted.rstrip("\n"))
        return self._shown[2]
