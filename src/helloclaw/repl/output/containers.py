"""What blocks of Markdown stand in: items of lists, and quotations; how their lines and their marks look."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helloclaw.repl.output.rows import Span, columns

_ITEM = re.compile(r"([-+*]|\d{1,9}[.)])(\s+|$)")
_TASK = re.compile(r"\[([ xX])\]\s+")
_SHY_BULLET = re.compile(r" {2,}[-+*]\s+\S")
_QUOTED = re.compile(r" {0,3}> ?")


class Container:
    """`fresh` until the first of its rows is out. Copies share `identity`."""

    def __init__(self) -> None:
        self.fresh = True
        self.identity = object()

    def inside(self, line: str) -> str | None:
        """What of a line is within; None if the line is outside."""
        raise NotImplementedError

    def mark(self, *, ascii: bool) -> Span:  # noqa: A002
        """What stands before each of its rows."""
        raise NotImplementedError


class Quote(Container):
    def inside(self, line: str) -> str | None:
        mark = _QUOTED.match(line)
        return line[mark.end() :] if mark else None

    def mark(self, *, ascii: bool) -> Span:  # noqa: A002
        return ("border", "| " if ascii else "│ ")


class Item(Container):
    """`label` is what the source has: `-`, `3.`; `done` is a task's state; `indent` where its text begins."""

    def __init__(self, label: str, indent: int, *, done: bool | None) -> None:
        super().__init__()
        self.label = label
        self.indent = indent
        self.done = done

    def inside(self, line: str) -> str | None:
        if not line.strip():
            return ""
        if not line[: self.indent].strip():
            return line[self.indent :]
        # Under `1.`, models indent bullets by two; CommonMark would end the numbered list there.
        numbered = len(self.label) > 1
        return line.lstrip(" ") if numbered and _SHY_BULLET.match(line) else None

    def follow(self, before: Sequence[Container]) -> None:
        """Take the next number where the source repeats one: `1. 1. 1.` counts too (CommonMark 5.3)."""
        for each in before:
            if same_list(each, self) and isinstance(each, Item) and self.label[:-1].isdigit():
                number = max(int(self.label[:-1]), int(each.label[:-1]) + 1)
                self.label = f"{number}{self.label[-1]}"

    def mark(self, *, ascii: bool) -> Span:  # noqa: A002
        text = self.label if len(self.label) > 1 else "-" if ascii else "•"
        if self.done is not None:
            tick = ("[x]" if self.done else "[ ]") if ascii else ("☑" if self.done else "☐")
            text = tick if len(self.label) == 1 else f"{text} {tick}"
        return ("bullet", f"{text} ") if self.fresh else ("", " " * (columns(text) + 1))


def item_at(text: str, indent: int, *, interrupts: bool) -> tuple[str, Item] | None:
    """The item that begins with a line, and what of the line is in it. One that `interrupts` a paragraph must not be
    empty, nor begin with another number than 1: «1986. A good year» is no list.
    """
    mark = _ITEM.match(text)
    if mark is None:
        return None
    rest = text[mark.end() :]
    if interrupts and (not rest.strip() or mark[1][:-1] not in {"", "1"}):
        return None
    blanks = len(mark[2]) if rest.strip() and len(mark[2]) <= 4 else 1
    within = text[len(mark[1]) + blanks :]
    done = None
    if task := _TASK.match(within):
        done = task[1] != " "
        within = within[task.end() :]
    return within, Item(mark[1], indent + len(mark[1]) + blanks, done=done)


def same_list(one: Container, other: Container) -> bool:
    """Whether two items are of one list: alike in their bullet, or in what follows the number."""
    return (
        isinstance(one, Item)
        and isinstance(other, Item)
        and (one.label[-1] == other.label[-1] and one.label[:-1].isdigit() == other.label[:-1].isdigit())
    )


def marks_of(containers: Sequence[Container], most: int, *, ascii: bool) -> list[Span]:  # noqa: A002
    """The marks before a row, at most `most` columns: of what is nested too deep, the inner part."""
    marks = [each.mark(ascii=ascii) for each in containers]
    while marks and sum(columns(text) for _, text in marks) > most:
        del marks[0]
    return marks
