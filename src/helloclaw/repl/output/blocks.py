"""Markdown cut into blocks as it is written: rows come out as soon as nothing that follows can change them.

Block rules are CommonMark's (0.31, chapters 4 and 5) and GFM's for tables, read line by line and never twice. What has
to wait for later text is left out: a link's address given further down stays where it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from typing import NamedTuple

from helloclaw.repl.output.containers import Quote, item_at
from helloclaw.repl.output.inline import Inline
from helloclaw.repl.output.leaves import Code, Leaf, Paragraph, Raw, heading_style
from helloclaw.repl.output.margin import Margin
from helloclaw.repl.output.openings import Heading, Rule, is_rule, opening, underline_level
from helloclaw.repl.output.rows import Row, wrapped
from helloclaw.repl.output.table import Table, delimits

LONG_TEXT = 2_000
"""Characters of a paragraph after which it is cut at a sentence's or word's end."""

_SENTENCE_END = re.compile(r"[.!?][\"')\]*_]*\s+|[。！？；…][”’」』）*_]*|\n")
_WORD_END = re.compile(r"\s+|[，、,;:：]")
_ONLY_MARKS = re.compile(r"\s*[-=*_`~#>+|:.<\[\]!$\\()\d]{0,4}\s*")


class Look(NamedTuple):
    """What rows need to know of the terminal: columns now, and whether it shows ASCII only."""

    width: Callable[[], int]
    ascii: bool
    inline: Inline


class Blocks:
    """`feed` text in pieces of any size: the same rows come out, in other portions."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._pending = ""
        self._mid_line = False
        self._leaf: Leaf | None = None
        self._margin = Margin(look.width, ascii=look.ascii)

    def feed(self, text: str) -> list[Row]:
        rows: list[Row] = []
        unseen = len(self._pending)
        source = self._pending + text
        at = 0
        while True:
            limit = self._limit()
            line_end = source.find("\n", max(at, unseen))
            if line_end >= 0 and (limit is None or line_end - at < limit):
                rows += self._line(source[at:line_end].removesuffix("\r"))
                at = line_end + 1
            elif limit is not None and len(source) - at >= limit:
                cut = self._cut_at(source[at : at + limit])
                rows += self._cut(source[at : at + cut])
                at += cut
            else:
                break
        self._pending = source[at:]
        return rows

    def end(self, last: int = 0, *, whole_lines: bool = False) -> list[Row]:
        """Nothing more comes: the rows that are left. With `last`, only the last so many need be right; `whole_lines`
        leaves out the line that has not ended.
        """
        rows: list[Row] = []
        line, self._pending = self._pending, ""
        if line and not whole_lines:
            rows += self._line(line.removesuffix("\r"))
        return rows + self._leave(0, last)

    def tail(self, count: int) -> list[Row]:
        """The last `count` rows of what `end` would return now."""
        if self._leaf is None and not self._pending and not self._margin.containers:
            return []
        other = copy(self)
        other.detach()
        # A row of a table counts when it is whole; a few marks may become anything.
        whole_lines = isinstance(self._leaf, Table) or _ONLY_MARKS.fullmatch(self._pending) is not None
        return other.end(count, whole_lines=whole_lines)[-count:]

    def detach(self) -> None:
        """Share nothing that changes with what this was copied from."""
        self._margin = copy(self._margin)
        self._margin.detach()
        if self._leaf is not None:
            self._leaf = copy(self._leaf)
            self._leaf.detach()

    # Long lines.

    def _limit(self) -> int | None:
        """After how many characters the line that is coming in is cut; None for never."""
        match self._leaf:
            case Table():
                return None
            case Paragraph():
                return max(1, LONG_TEXT - self._leaf.size)
            case _:
                return LONG_TEXT

    def _cut_at(self, text: str) -> int:
        for ends in (_SENTENCE_END, _WORD_END):
            found = [match.end() for match in ends.finditer(text, len(text) // 2)]
            if found:
                return found[-1]
        return 0 if isinstance(self._leaf, Paragraph) and self._leaf.lines and not self._mid_line else len(text)

    def _cut(self, text: str) -> list[Row]:
        rows = self._line(text) if text else []
        if isinstance(self._leaf, Paragraph):
            rows += self._margin.placed(self._leaf.close(self._margin.room))
            self._leaf = Paragraph(self._look.inline)
        self._mid_line = self._mid_line or bool(text)
        return rows

    # Lines.

    def _line(self, line: str) -> list[Row]:
        if self._mid_line:
            self._mid_line = False
            return self._rest_of_line(line)
        rest, matched = self._inside(line.replace("\t", "    ") if line.lstrip(" ")[:1] == "\t" else line)
        if matched == len(self._margin.containers) and (rows := self._of_open_block(rest)) is not None:
            return rows
        if not rest.strip():
            return self._empty_line(matched)
        return self._block_line(rest, matched)

    def _rest_of_line(self, text: str) -> list[Row]:
        if self._leaf is None:
            self._leaf = Paragraph(self._look.inline)
        return self._margin.placed(self._leaf.add(text, self._margin.room)) if text.strip() else []

    def _inside(self, line: str) -> tuple[str, int]:
        """What is left of a line within the open containers it is in, and how many these are."""
        for index, container in enumerate(self._margin.containers):
            rest = container.inside(line)
            if rest is None:
                return line, index
            line = rest
        return line, len(self._margin.containers)

    def _of_open_block(self, rest: str) -> list[Row] | None:
        """What a line gives if the open leaf takes it, whatever it looks like."""
        match self._leaf:
            case Code(fence=str(fence)) as code if fence:
                if code.closes(rest):
                    return self._close()
                if not rest.strip():
                    code.blank()
                    return []
                return self._margin.placed(code.add(rest, self._margin.room))
            case Raw() as raw if rest.strip():
                rows = self._margin.placed(raw.add(rest, self._margin.room))
                return rows + self._close() if raw.ended else rows
            case Code() as code if rest.startswith("    "):
                return self._margin.placed(code.add(rest, self._margin.room))
            case Code() | Raw() if not rest.strip() and self._leaf.blank():
                return []
            case _:
                return None

    def _empty_line(self, matched: int) -> list[Row]:
        rows = self._close()
        self._margin.empty_line()
        # A quotation ends where its marks do; a list may go on.
        outside = next(
            (
                at
                for at in range(matched, len(self._margin.containers))
                if isinstance(self._margin.containers[at], Quote)
            ),
            None,
        )
        return rows if outside is None else rows + self._leave(outside)

    def _block_line(self, rest: str, matched: int) -> list[Row]:
        """A line that may begin a block, and containers around it."""
        rows: list[Row] = []
        opened = False
        while True:
            indent = len(rest) - len(rest.lstrip(" "))
            paragraph = self._leaf if isinstance(self._leaf, Paragraph) and not opened else None
            whole = matched == len(self._margin.containers)
            if indent >= 4:
                if paragraph is None and (opened or self._leaf is None or not whole):
                    rows += [] if opened else self._leave(matched)
                    self._open(Code("", indent=4))
                    return rows + self._of_open(rest)
                break
            text = rest[indent:]
            if text.startswith(">"):
                rows += [] if opened else self._leave(matched)
                self._margin.enter(Quote())
                rest, opened = text[1:].removeprefix(" "), True
                matched = len(self._margin.containers)
                continue
            if paragraph is not None and whole and (heading := self._underlined(paragraph, text)) is not None:
                return rows + heading
            item = None if is_rule(text) else item_at(text, indent, interrupts=paragraph is not None and whole)
            if item is None:
                break
            item_rest, container = item
            rows += [] if opened else self._leave(matched)
            self._margin.enter(container)
            rest, opened = item_rest, True
            matched = len(self._margin.containers)
            if not rest.strip():
                return rows
        return rows + self._leaf_line(rest, matched, opened=opened)

    def _leaf_line(self, rest: str, matched: int, *, opened: bool) -> list[Row]:
        text = rest.strip()
        whole = matched == len(self._margin.containers)
        paragraph = self._leaf if isinstance(self._leaf, Paragraph) and not opened else None
        if (block := opening(rest, in_paragraph=paragraph is not None)) is not None:
            rows = [] if opened else self._leave(matched)
            return rows + self._began(block, text)
        if paragraph is not None:
            if whole and paragraph.lines and delimits(text, paragraph.lines[-1]):
                return self._turn_into_table(paragraph, text)
            paragraph.add(rest.lstrip(), self._margin.room)
            return []
        if whole and not opened and isinstance(self._leaf, Table):
            return self._margin.placed(self._leaf.add(text, self._margin.room))
        rows = [] if opened else self._leave(matched)
        self._open(Paragraph(self._look.inline))
        return rows + self._of_open(rest.lstrip())

    # Leaves.

    def _open(self, leaf: Leaf) -> None:
        self._leaf = leaf
        self._margin.begin()

    def _of_open(self, text: str) -> list[Row]:
        return self._margin.placed(self._leaf.add(text, self._margin.room)) if self._leaf else []

    def _began(self, block: Code | Raw | Heading | Rule, text: str) -> list[Row]:
        """What an opening line gives."""
        room = self._margin.room
        match block:
            case Code():
                self._open(block)
                return []
            case Raw():
                self._open(block)
                rows = self._of_open(text)
                return rows + self._close() if block.ended else rows
            case Heading():
                self._margin.begin()
                spans = self._look.inline.spans(block.text, heading_style(block.level))
                return self._margin.placed(wrapped(spans, room)) if spans else []
            case Rule():
                self._margin.begin()
                return self._margin.placed([[("border", ("-" if self._look.ascii else "─") * room)]])

    def _underlined(self, paragraph: Paragraph, text: str) -> list[Row] | None:
        if not paragraph.lines or (level := underline_level(text)) is None:
            return None
        self._leaf = None
        return self._margin.placed(paragraph.heading(level, self._margin.room))

    def _turn_into_table(self, paragraph: Paragraph, delimiter: str) -> list[Row]:
        head = paragraph.lines.pop()
        rows: list[Row] = []
        if paragraph.lines:
            rows = self._close()
            self._margin.separate()
        self._leaf = Table(self._look.inline, head, delimiter, ascii=self._look.ascii)
        return rows

    def _close(self, last: int = 0) -> list[Row]:
        leaf, self._leaf = self._leaf, None
        return self._margin.placed(leaf.close(self._margin.room, last)) if leaf is not None else []

    def _leave(self, keep: int, last: int = 0) -> list[Row]:
        """Close the leaf, and all containers but the first `keep`."""
        rows = self._close(last)
        while len(self._margin.containers) > keep:
            if self._margin.containers[-1].fresh:
                # An item without anything in it.
                self._margin.begin()
                rows += self._margin.placed([[]])
            self._margin.containers.pop()
        return rows
