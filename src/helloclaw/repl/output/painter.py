"""Text, code, diffs and Markdown as rows with colours, for a terminal of a given width.

What comes out holds no escape sequence but SGR: text from elsewhere can colour nothing, move no cursor, set no link.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from helloclaw.repl.output.highlight import Highlighter, Piece
from helloclaw.repl.output.rows import chopped, wrapped
from helloclaw.repl.output.theme import Depth, Palette
from helloclaw.wording.plain import visible
from helloclaw.wording.width import columns

if TYPE_CHECKING:
    from rich.console import Console

CODE_INDENT = "  "
_RESET = "\x1b[0m"
_TRAILING = re.compile(r"[ \t]+((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class Painter:
    """`width` is in columns; what is painted never is wider. All results end in a newline unless they are empty."""

    def __init__(self, width: int, depth: Depth, palette: Palette) -> None:
        self.width = width
        self.depth: Depth = depth
        self.palette = palette
        self._console: tuple[int, bool, Console] | None = None

    def resize(self, width: int) -> None:
        self.width = width

    def styled(self, text: str, style: str) -> str:
        """One row's text in a style; it is taken as it is."""
        codes = self.palette.sgr(style, self.depth) if style else ""
        return f"\x1b[{codes}m{text}{_RESET}" if codes and text else text

    def plain(self, text: str, style: str = "", *, indent: str = "") -> str:
        """Text of one or more lines, wrapped at words."""
        room = max(4, self.width - columns(indent))
        rows = [row for line in visible(text).split("\n") for row in wrapped(line, room)]
        return "".join(f"{indent}{self.styled(row, style)}\n" if row else "\n" for row in rows)

    def code(self, text: str, language: str = "", *, indent: str = CODE_INDENT * 2) -> str:
        """Source code or a command, each blank kept, long lines cut at the edge and continued."""
        highlighter = Highlighter(language)
        lines = visible(text.rstrip("\n")).split("\n")
        return "".join(self.code_line(highlighter.line(line), indent=indent) for line in lines)

    def code_line(self, pieces: Iterable[Piece], *, indent: str = CODE_INDENT) -> str:
        """One line of highlighted code as one or more rows."""
        room = max(4, self.width - columns(indent))
        rows: list[str] = [""]
        used = 0
        for style, text in pieces:
            for char_row, chunk in enumerate(_in_rows(text.expandtabs(4), room, used)):
                if char_row:
                    rows.append("")
                    used = 0
                rows[-1] += self.styled(chunk, style)
                used += columns(chunk)
        return "".join(f"{indent}{row}".rstrip() + "\n" for row in rows)

    def diff(self, unified: str, limit_rows: int | None = None) -> str:
        """A unified diff with line numbers; signs tell what colours do."""
        rows = list(self._diff_rows(visible(unified.rstrip("\n")).split("\n")))
        cut = rows if limit_rows is None or len(rows) <= limit_rows else rows[:limit_rows]
        return "".join(f"{row.rstrip()}\n" for row in cut)

    def markdown(self, source: str) -> str:
        from helloclaw.repl.output.answer_stream import AnswerStream

        stream = AnswerStream(self)
        return stream.add(source) + stream.end()

    def markdown_block(self, source: str) -> str:
        """One block of Markdown (a paragraph, a list item, a table), without blank rows around it."""
        from helloclaw.repl.output.markdown import BlockMarkdown

        console = self._rich()
        with console.capture() as capture:
            console.print(BlockMarkdown(visible(source), dark=self.palette.dark))
        rows = _TRAILING.sub(r"\1", capture.get()).strip("\n")
        return f"{rows}\n" if rows else ""

    def _diff_rows(self, lines: list[str]) -> Iterable[str]:
        old = new = 0
        for line in lines:
            if line.startswith(("--- ", "+++ ")):
                continue
            if hunk := _HUNK.match(line):
                old, new = int(hunk[1]), int(hunk[2])
                yield self.styled(f"{CODE_INDENT}@@ {hunk[1]}", "hunk")
                continue
            sign, text = line[:1] or " ", line[1:]
            number = old if sign == "-" else new
            old += sign in "- "
            new += sign in "+ "
            style = {"+": "added", "-": "removed"}.get(sign, "")
            room = max(4, self.width - 8)
            for index, row in enumerate(chopped(text, room)):
                head = f"{number:>5} {sign} " if index == 0 else " " * 8
                yield self.styled(head, style or "dim") + self.styled(row, style)

    def _rich(self) -> Console:
        if self._console is None or self._console[:2] != (self.width, self.palette.dark):
            from rich.console import Console
            from rich.theme import Theme

            looks = {f"markdown.{part}": self.palette.looks[name].rich() for part, name in _MARKDOWN_LOOKS.items()}
            console = Console(
                file=io.StringIO(),
                width=self.width,
                color_system="standard" if self.depth == "16" else "256",
                force_terminal=True,
                no_color=self.depth == "none",
                highlight=False,
                emoji=False,
                markup=False,
                legacy_windows=False,
                theme=Theme(looks),
            )
            self._console = (self.width, self.palette.dark, console)
        return self._console[2]


_MARKDOWN_LOOKS = {
    "code": "code",
    "h1": "heading.1",
    "h2": "heading",
    "h3": "heading",
    "h4": "heading",
    "h5": "heading",
    "h6": "heading",
    "block_quote": "quote",
    "link": "link",
    "link_url": "dim",
    "item.bullet": "accent",
    "item.number": "accent",
    "hr": "dim",
    "table.border": "dim",
    "table.header": "heading",
}


def _in_rows(text: str, room: int, used: int) -> list[str]:
    """`text` cut so that its first piece fits beside `used` columns and the others into `room`."""
    if used + columns(text) <= room:
        return [text]
    pieces: list[str] = []
    piece = ""
    for char in text:
        size = columns(char)
        if used + size > room:
            pieces.append(piece)
            piece, used = "", 0
        piece += char
        used += size
    return [*pieces, piece]
