"""An answer as it is written: what is final is handed out once, the open end can be shown until then."""

from __future__ import annotations

from helloclaw.repl.output.blocks import Block, Blocks
from helloclaw.repl.output.highlight import Highlighter
from helloclaw.repl.output.painter import Painter
from helloclaw.wording.plain import visible

_TAIL_CHARACTERS = 4_000


class AnswerStream:
    """What `add` and `end` return, one after the other, is the answer; in which pieces it came makes no difference."""

    def __init__(self, painter: Painter) -> None:
        self._painter = painter
        self._blocks = Blocks()
        self._begun = False
        self._highlighter: Highlighter | None = None
        self._tail: tuple[str, int, int, str] = ("", 0, 0, "")

    def add(self, delta: str) -> str:
        """Text with colours that is final, whole rows; empty if there is none yet."""
        return "".join(map(self._painted, self._blocks.feed(delta)))

    def end(self) -> str:
        return "".join(map(self._painted, self._blocks.end()))

    def tail(self, rows: int) -> str:
        """The open end, at most its last `rows` rows, without a newline at the end."""
        source = self._blocks.open
        if not source.strip():
            return ""
        key = (source, rows, self._painter.width)
        if self._tail[:3] != key:
            self._tail = (*key, self._open_end(source, rows))
        return self._tail[3]

    def _open_end(self, source: str, rows: int) -> str:
        gap = "" if self._blocks.joined or not self._begun else "\n"
        if self._blocks.in_code:
            painted = self._painter.code_line([("", visible(source))])
        else:
            # Of something long only the end can be seen; a table needs its head to be one.
            shown = source if len(source) <= _TAIL_CHARACTERS or "|" in source else source[-_TAIL_CHARACTERS:]
            painted = self._painter.markdown_block(shown)
        return "\n".join(f"{gap}{painted}".rstrip("\n").split("\n")[-rows:])

    def _painted(self, block: Block) -> str:
        match block.kind:
            case "code":
                if self._highlighter is None:
                    self._highlighter = Highlighter(block.language or "")
                painted = self._painter.code_line(self._highlighter.line(visible(block.source)))
            case "code_end":
                self._highlighter = None
                return ""
            case "text" | "item":
                painted = self._painter.markdown_block(block.source)
        if not painted:
            return ""
        gap = "" if block.joined or not self._begun else "\n"
        self._begun = True
        return gap + painted
