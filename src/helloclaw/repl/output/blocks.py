"""Markdown cut into blocks as it is written: each block comes out as soon as nothing more can belong to it.

Lists come out item by item, code line by line. Block rules are CommonMark's (0.31, chapters 4 and 5), as far as models
use them; what is cut too early is shown as two blocks, never lost.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Kind = Literal["text", "item", "code", "code_end"]

LONG_TEXT = 2_000
"""Characters of a paragraph after which it is cut at a sentence's or word's end."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})\s*([^`]*)$")
_HEADING = re.compile(r" {0,3}#{1,6}(\s|$)")
_RULE = re.compile(r" {0,3}([-*_])(\s*\1){2,}\s*$")
_ITEM = re.compile(r"( *)([-*+]|\d{1,9}[.)])( +|$)")
_QUOTE = re.compile(r" {0,3}>")
_END = re.compile(r"[.!?。！？；]\s*|[,，、]\s*|\s+")


class Block(NamedTuple):
    """`joined` says that it follows the block before it without a blank row. A code block comes as its lines, the first
    of them with its `language`; `code_end` closes it.
    """

    kind: Kind
    source: str
    joined: bool = False
    language: str | None = None


class Blocks:
    """`feed` text in pieces of any size; `open` is the source of what is not finished."""

    def __init__(self) -> None:
        self._partial = ""
        self._lines: list[str] = []
        self._kind: Literal["text", "item", ""] = ""
        self._fence = ""
        self._fence_indent = 0
        self._code_begun = False
        self._language = ""
        self._indent = 0
        self._inner_fence = ""
        self._blank = False
        self._loose = True

    @property
    def in_code(self) -> bool:
        return bool(self._fence)

    @property
    def language(self) -> str:
        return self._language

    @property
    def open(self) -> str:
        lines = self._lines if not self._partial else [*self._lines, self._partial]
        return "\n".join(lines)

    @property
    def open_kind(self) -> str:
        return "code" if self._fence else self._kind or "text"

    @property
    def joined(self) -> bool:
        """Whether what is open will follow without a blank row."""
        return self._code_begun if self._fence else self._kind == "item" and not self._loose

    def feed(self, text: str) -> list[Block]:
        *whole, self._partial = (self._partial + text).split("\n")
        done: list[Block] = []
        for line in whole:
            self._take(line.removesuffix("\r"), done)
        if not self._fence and self._kind != "item" and len(self._partial) > LONG_TEXT:
            self._cut_partial(done)
        return done

    def end(self) -> list[Block]:
        """Nothing more comes."""
        done: list[Block] = []
        last, self._partial = self._partial, ""
        if last:
            self._take(last, done)
        if self._fence:
            self._close_code(done)
        self._close(done)
        return done

    def _take(self, line: str, done: list[Block]) -> None:
        if self._fence:
            self._take_code(line, done)
        elif self._inner_fence:
            self._lines.append(line)
            if _closes(line, self._inner_fence):
                self._inner_fence = ""
        elif not line.strip():
            self._take_blank(done)
        elif self._kind == "item" and self._belongs(line):
            self._keep(line)
        elif fence := _FENCE.match(line):
            self._open_code(fence, line, done)
        elif item := self._begins_item(line):
            self._open_item(item, line, done)
        elif _HEADING.match(line) or (_RULE.match(line) and self._kind != "text"):
            self._close(done)
            done.append(Block("text", line))
        else:
            self._take_text(line, done)

    def _take_text(self, line: str, done: list[Block]) -> None:
        if self._kind == "item" or (
            self._kind == "text" and bool(_QUOTE.match(line)) != bool(_QUOTE.match(self._lines[0]))
        ):
            self._close(done)
        self._kind = "text"
        self._lines.append(line)
        if sum(map(len, self._lines)) > LONG_TEXT and "|" not in line:
            self._close(done)

    def _take_blank(self, done: list[Block]) -> None:
        if self._kind == "item":
            self._blank = True
        else:
            self._close(done)

    def _belongs(self, line: str) -> bool:
        """Whether a line goes on with the open list item: it is indented, or carries its paragraph on."""
        indent = len(line) - len(line.lstrip(" "))
        if indent >= self._indent:
            return True
        lazy = (
            _ITEM.match(line) or _FENCE.match(line) or _HEADING.match(line) or _RULE.match(line) or _QUOTE.match(line)
        )
        return not self._blank and not lazy

    def _keep(self, line: str) -> None:
        if self._blank:
            self._lines.append("")
            self._blank = False
        self._lines.append(line)
        if fence := re.match(r"\s*(`{3,}|~{3,})[^`]*$", line):
            self._inner_fence = fence[1]

    def _begins_item(self, line: str) -> re.Match[str] | None:
        item = _ITEM.match(line)
        if item is None or len(item[1]) > 3 or _RULE.match(line):
            return None
        # In a paragraph «1986. A good year» begins no list (CommonMark 5.3).
        number = item[2][:-1]
        return None if self._kind == "text" and (number not in {"", "1"} or not item[3]) else item

    def _open_item(self, item: re.Match[str], line: str, done: list[Block]) -> None:
        loose = self._kind != "item" or self._blank
        self._close(done)
        self._kind = "item"
        self._loose = loose
        self._indent = len(item[1]) + len(item[2]) + max(1, min(len(item[3]), 4))
        self._lines = [line]
        if fence := re.search(r"(`{3,}|~{3,})[^`]*$", line[self._indent :]):
            self._inner_fence = fence[1] if line[self._indent :].startswith(fence[1]) else ""

    def _open_code(self, fence: re.Match[str], line: str, done: list[Block]) -> None:
        self._close(done)
        self._fence = fence[1]
        self._fence_indent = len(line) - len(line.lstrip(" "))
        self._language = fence[2].strip()
        self._code_begun = False

    def _take_code(self, line: str, done: list[Block]) -> None:
        if _closes(line, self._fence):
            self._close_code(done)
            return
        blanks = len(line) - len(line.lstrip(" "))
        done.append(Block("code", line[min(blanks, self._fence_indent) :], self._code_begun, self._language))
        self._code_begun = True

    def _close_code(self, done: list[Block]) -> None:
        done.append(Block("code_end", "", self._code_begun, self._language))
        self._fence = self._language = ""

    def _close(self, done: list[Block]) -> None:
        if self._lines and self._kind:
            joined = self._kind == "item" and not self._loose
            done.append(Block(self._kind, "\n".join(self._lines), joined))
        self._lines, self._kind, self._blank, self._inner_fence = [], "", False, ""

    def _cut_partial(self, done: list[Block]) -> None:
        """A paragraph without line ends: give away all up to the last place where it can be cut."""
        ends = [match.end() for match in _END.finditer(self._partial, LONG_TEXT // 2, LONG_TEXT)]
        at = ends[-1] if ends else LONG_TEXT
        self._lines.append(self._partial[:at])
        self._kind = "text"
        self._partial = self._partial[at:]
        self._close(done)


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(fence) and not stripped.strip(fence[0])
