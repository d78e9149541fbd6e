"""Words of others inside Markdown of ours: shown as they are, whatever they hold. Pure."""

from __future__ import annotations

import re

from helloclaw.wording.plain import one_line, visible

# What begins something, as far as it does there: a backslash before punctuation (CommonMark 2.4), `_` at a word's edge
# (6.2), `&` of an entity (2.5), two `~` (GFM 6.5); a bar ends a table's cell (GFM 4.10).
_MEANING = re.compile(
    r"[`*\[\]<>|#]|\\(?=[!-/:-@\[-`{-~]|$)|&(?=[#\w])|~(?=~)|(?<=~)~|(?<![^\W_])_|_(?![^\W_])", re.ASCII
)


def literal(text: str, limit: int = 0) -> str:
    """One line of plain text, for within a line: nothing in it is a link, emphasis, markup or the end of a cell."""
    return _MEANING.sub(lambda found: f"\\{found[0]}", one_line(text, limit))


def code(text: str, limit: int = 0) -> str:
    """One line as code, also where it has backticks (CommonMark 6.1)."""
    shown = one_line(text, limit)
    if "`" not in shown:
        return f"`{shown}`"
    fence = "`" * (max(map(len, re.findall("`+", shown))) + 1)
    return f"{fence} {shown} {fence}"


def fenced(text: str, language: str = "") -> str:
    """Lines as a block of code, in a fence longer than any in them (CommonMark 4.5)."""
    shown = visible(text)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", shown)), default=0))
    return f"{fence}{language}\n{shown}\n{fence}"


def cell(text: str) -> str:
    """What stands in a table's cell with no bar escaped yet."""
    return text.replace("|", "\\|")
