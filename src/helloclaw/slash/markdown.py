"""Words of others in a reply's Markdown: shown as they are, whatever they hold. Pure."""

from __future__ import annotations

import re

from helloclaw.wording.plain import one_line, visible

_MEANING = re.compile(r"[\\`*_\[\]<>|~&!#]")


def literal(text: str, limit: int = 0) -> str:
    """One line of plain text: nothing in it is a link, emphasis, markup or the end of a table's cell."""
    return _MEANING.sub(lambda found: f"\\{found[0]}", one_line(text, limit))


def code(text: str, limit: int = 0) -> str:
    """One line as code, also where it has backticks (CommonMark 6.1)."""
    shown = one_line(text, limit)
    if "`" not in shown:
        return f"`{shown}`"
    fence = "`" * (max(len(run) for run in re.findall("`+", shown)) + 1)
    return f"{fence} {shown} {fence}"


def fenced(text: str) -> str:
    """Lines as a block of code, in a fence longer than any in them (CommonMark 4.5)."""
    shown = visible(text)
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    return f"{fence}\n{shown}\n{fence}"


def cell(text: str) -> str:
    """What stands in a table's cell: a bar would end it (GFM 4.10)."""
    return text.replace("\\|", "|").replace("|", "\\|")
