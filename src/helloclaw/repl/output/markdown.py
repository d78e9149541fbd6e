"""Markdown for a terminal by way of rich: headings at the left, no hidden links, no HTML, tables that fit."""

from __future__ import annotations

from typing import ClassVar

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Heading, Markdown, MarkdownElement, TableElement
from rich.table import Table, box
from rich.text import Text

NARROW = 60


class LeftHeading(Heading):
    """A heading is a line of its own, no more."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class FittingTable(TableElement):
    """A table; where the terminal is too narrow for it, each row as lines of «heading: cell»."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heads = [cell.content for cell in self.header.row.cells] if self.header and self.header.row else []
        rows = [[cell.content for cell in row.cells] for row in self.body.rows] if self.body else []
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, style="markdown.table.border", show_edge=False)
        for head in heads:
            table.add_column(head, overflow="fold", header_style="markdown.table.header")
        for row in rows:
            table.add_row(*row)
        wanted = console.measure(table, options=options.update(max_width=10_000)).maximum
        if wanted <= options.max_width or options.max_width > NARROW:
            yield table
            return
        for index, row in enumerate(rows):
            if index:
                yield Text("")
            for head, cell in zip(heads, row, strict=False):
                yield Text.assemble((f"{head.plain}: ", "markdown.table.header"), cell)


class BlockMarkdown(Markdown):
    """`source` must be visible text."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": LeftHeading,
        "table_open": FittingTable,
    }

    def __init__(self, source: str, *, dark: bool) -> None:
        super().__init__("", code_theme="ansi_dark" if dark else "ansi_light", hyperlinks=False)
        self.markup = source
        self.parsed = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"]).parse(source)
