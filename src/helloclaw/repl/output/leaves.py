"""What blocks of Markdown are made of, each fed line by line: paragraphs, code, raw text, tables.

A leaf gives away rows as soon as they are final. `room` is the columns there are for it.
"""

from __future__ import annotations

import re
from copy import copy
from typing import Protocol

from helloclaw.repl.output.highlight import Highlighter
from helloclaw.repl.output.inline import Inline
from helloclaw.repl.output.rows import Row, Span, chopped, columns, untabbed, wrapped
from helloclaw.wording.plain import visible

CODE_INDENT = "  "


class Leaf(Protocol):
    def add(self, line: str, room: int) -> list[Row]:
        """Take one more line; the rows that are final now."""
        ...

    def blank(self) -> bool:
        """Take an empty line. False if the leaf ends there."""
        ...

    def close(self, room: int, last: int = 0) -> list[Row]:
        """The rows that are left. With `last`, those before the last so many need not be right."""
        ...

    def detach(self) -> None:
        """Share nothing that changes with the leaf this one was copied from."""
        ...


class Paragraph:
    """Lines of text, painted when all of them are there."""

    def __init__(self, inline: Inline) -> None:
        self._inline = inline
        self.lines: list[str] = []
        self.size = 0

    def add(self, line: str, room: int) -> list[Row]:  # noqa: ARG002
        self.lines.append(line)
        self.size += len(line) + 1
        return []

    def blank(self) -> bool:
        return False

    def close(self, room: int, last: int = 0) -> list[Row]:  # noqa: ARG002
        return self._painted("\n".join(self.lines), "", room)

    def heading(self, level: int, room: int) -> list[Row]:
        """The same lines, which turn out to be a heading."""
        return self._painted(" ".join(line.strip() for line in self.lines), heading_style(level), room)

    def detach(self) -> None:
        self.lines = [*self.lines]

    def _painted(self, source: str, style: str, room: int) -> list[Row]:
        return wrapped(self._inline.spans(source.strip(), style), room) if source.strip() else []


def heading_style(level: int) -> str:
    return "heading.1" if level == 1 else "heading"


class Code:
    """Lines of code, in colour, each final at once. `fence` closes it; indented code has none and ends elsewhere."""

    def __init__(self, language: str, *, fence: str = "", indent: int = 0) -> None:
        self._highlighter = Highlighter(language)
        self.fence = fence
        self._indent = indent
        self._blanks = 0

    def closes(self, line: str) -> bool:
        mark = line.strip()
        return bool(self.fence) and len(mark) >= len(self.fence) and not mark.strip(self.fence[0])

    def add(self, line: str, room: int) -> list[Row]:
        blanks, self._blanks = self._blanks, 0
        begun = min(len(line) - len(line.lstrip(" ")), self._indent)
        return empty_rows(blanks) + code_rows(self._highlighter, line[begun:], room)

    def blank(self) -> bool:
        """Empty lines count only if more code follows, where no fence says how far it goes."""
        if self.fence:
            self._highlighter.line("")
        self._blanks += 1
        return True

    def close(self, room: int, last: int = 0) -> list[Row]:  # noqa: ARG002
        return []

    def detach(self) -> None:
        self._highlighter = copy(self._highlighter)


def empty_rows(count: int) -> list[Row]:
    return [list[Span]() for _ in range(count)]


def code_rows(highlighter: Highlighter, line: str, room: int, indent: str = CODE_INDENT) -> list[Row]:
    """One line of code as rows of at most `room` columns, indented."""
    pieces = untabbed(highlighter.line(visible(line)))
    return [[("", indent), *row] for row in chopped(pieces, max(2, room - columns(indent)))]


class Raw:
    """HTML and formulas: shown as they are written, up to an empty line or to what `end` finds: if `bare`, not in the
    first line.
    """

    def __init__(
        self, style: str, *, end: re.Pattern[str] | None = None, through_blanks: bool = False, bare: bool = False
    ) -> None:
        self._style = style
        self._end = end
        self._through_blanks = through_blanks
        self._bare = bare
        self._blanks = 0
        self.ended = False

    def add(self, line: str, room: int) -> list[Row]:
        blanks, self._blanks = self._blanks, 0
        self.ended = self._end is not None and not self._bare and self._end.search(line) is not None
        self._bare = False
        text = untabbed([(self._style, visible(line))])
        return empty_rows(blanks) + chopped(text, room)

    def blank(self) -> bool:
        self._blanks += 1
        return self._through_blanks

    def close(self, room: int, last: int = 0) -> list[Row]:  # noqa: ARG002
        return []

    def detach(self) -> None:
        pass
