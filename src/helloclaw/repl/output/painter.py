"""Text, code, diffs and Markdown as rows with colours, for a terminal of a given width.

What comes out holds no escape sequence but SGR: text from elsewhere can colour nothing, move no cursor, set no link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from helloclaw.repl.output.blocks import Blocks, Look
from helloclaw.repl.output.highlight import Highlighter
from helloclaw.repl.output.inline import Inline
from helloclaw.repl.output.leaves import CODE_INDENT, code_rows
from helloclaw.repl.output.rows import Row, Span, chopped, columns, untabbed, wrapped
from helloclaw.repl.output.theme import Depth, Palette
from helloclaw.wording.plain import visible

_RESET = "\x1b[0m"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_HEAD = re.compile(r"diff --git |index [0-9a-f]+\.\.|--- .*\n\+\+\+ ")
LEAST_WIDTH = 20


class Painter:
    """`width` is in columns; what is painted never is wider. All results end in a newline unless they are empty.

    At depth "none" there are no escape sequences at all. `ascii` is for marks; the text itself stays as it is.
    """

    def __init__(self, width: int, depth: Depth, palette: Palette, *, ascii: bool = False) -> None:  # noqa: A002
        self.width = max(LEAST_WIDTH, width)
        self.depth: Depth = depth
        self.ascii = ascii
        self._palette = palette
        self._codes: dict[str, str] = {}
        self._inline: Inline | None = None

    @property
    def palette(self) -> Palette:
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self._codes.clear()

    def resize(self, width: int) -> None:
        self.width = max(LEAST_WIDTH, width)

    def styled(self, text: str, style: str) -> str:
        """One row's text in styles (their names, with blanks between them); the text is taken as it is."""
        if not style or not text or self.depth == "none":
            return text
        codes = self._codes.get(style)
        if codes is None:
            parts = [self._palette.sgr(name, self.depth) for name in style.split()]
            codes = self._codes[style] = ";".join(part for part in parts if part)
        return f"\x1b[{codes}m{text}{_RESET}" if codes else text

    def row(self, spans: Iterable[Span]) -> str:
        """A row without the blanks at its end, and without a newline."""
        kept = list(spans)
        while kept and not (text := kept[-1][1].rstrip()):
            kept.pop()
        if not kept:
            return ""
        style, text = kept[-1]
        kept[-1] = (style, text.rstrip())
        return "".join(self.styled(text, style) for style, text in kept)

    def rows(self, rows: Iterable[Row]) -> str:
        return "".join(f"{self.row(row)}\n" for row in rows)

    def plain(self, text: str, style: str = "", *, indent: str = "") -> str:
        """Text of one or more lines, wrapped at words."""
        room = max(4, self.width - columns(indent))
        spans = [untabbed([(style, line)]) for line in visible(text).split("\n")]
        return self.rows([("", indent), *row] for line in spans for row in wrapped(line, room))

    def code(self, text: str, language: str = "", *, indent: str = CODE_INDENT) -> str:
        """Source code or a command, each blank kept, long lines cut at the edge and continued."""
        highlighter = Highlighter(language)
        lines = text.replace("\r\n", "\n").rstrip("\n").split("\n")
        return self.rows(row for line in lines for row in code_rows(highlighter, line, self.width, indent))

    def diff(self, unified: str, limit_rows: int | None = None) -> str:
        """A unified diff with line numbers: of the file after the change, of that before it where a line is gone."""
        rows = list(self._diff_rows(unified.replace("\r\n", "\n").rstrip("\n").split("\n")))
        return self.rows(rows if limit_rows is None else rows[:limit_rows])

    def markdown(self, source: str) -> str:
        blocks = self.blocks()
        return self.rows([*blocks.feed(source), *blocks.end()])

    def blocks(self) -> Blocks:
        """For Markdown that comes in pieces."""
        if self._inline is None:
            self._inline = Inline()
        return Blocks(Look(lambda: self.width, self.ascii, self._inline))

    def _diff_rows(self, lines: list[str]) -> Iterator[Row]:
        """Nothing is left out but what repeats the name of the file: a diff is what people say yes to."""
        hunks = [hunk for line in lines if (hunk := _HUNK.match(line))]
        digits = max(3, 1 + max((len(number) for hunk in hunks for number in hunk.groups("")), default=0))
        old = new = old_left = new_left = 0
        for at, line in enumerate(lines):
            if line.startswith("\\"):
                yield from self._diff_line(f"{'':>{digits}} ", line, "\\")
            elif old_left > 0 or new_left > 0:
                sign = line[:1] if line[:1] in {"+", "-"} else " "
                yield from self._diff_line(f"{old if sign == '-' else new:>{digits}} {sign} ", line[1:], sign)
                old, old_left = (old + 1, old_left - 1) if sign != "+" else (old, old_left)
                new, new_left = (new + 1, new_left - 1) if sign != "-" else (new, new_left)
            elif hunk := _HUNK.match(line):
                if new:
                    yield [("dim", " " * digits + ("..." if self.ascii else "⋯"))]
                old, new = int(hunk[1]), int(hunk[3])
                old_left, new_left = int(hunk[2] or 1), int(hunk[4] or 1)
            elif line.startswith("+++ ") and at and lines[at - 1].startswith("--- "):
                new = 0
                yield from chopped([("dim", visible(_file_name(lines[at - 1], line)))], self.width)
            elif line and not _HEAD.match("\n".join(lines[at : at + 2])):
                yield from chopped(untabbed([("dim", visible(line))]), self.width)

    def _diff_line(self, head: str, text: str, sign: str) -> Iterator[Row]:
        style = {"+": "added", "-": "removed", "\\": "dim"}.get(sign, "")
        line = untabbed([(style, visible(text))])
        for index, row in enumerate(chopped(line, max(2, self.width - len(head)))):
            yield [(style or "dim", head if index == 0 else " " * len(head)), *row]


def _file_name(before: str, after: str) -> str:
    """Of a diff's head: the name after the change, or the one before it if the file is gone."""
    name = (before if after.startswith("+++ /dev/null") else after)[4:].partition("\t")[0]
    return name[2:] if name.startswith(("a/", "b/")) else name
