"""Lines with which a block of Markdown begins that is no paragraph. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from helloclaw.repl.output.leaves import Code, Raw

_FENCE = re.compile(r"(`{3,})([^`]*)$|(~{3,})(.*)$")
_HEADING = re.compile(r"(#{1,6})(?:\s+(.*?))??(?:\s+#+)?\s*$")
_RULE = re.compile(r"([-*_])(?:\s*\1){2,}\s*$")
_UNDERLINE = re.compile(r"(=+|-+)\s*$")
_HTML_BLOCK = re.compile(
    r"</?(?:address|article|aside|blockquote|body|center|details|dialog|div|dl|dt|dd|fieldset|figure|figcaption|footer"
    r"|form|h[1-6]|head|header|hr|html|iframe|li|link|main|menu|nav|ol|p|section|summary|table|tbody|td|tfoot|th|thead"
    r"|title|tr|ul)(?:\s|/?>|$)|</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>\s*$",
    re.IGNORECASE,
)
_HTML_RUN = re.compile(r"<(script|pre|style|textarea)(?:\s|>|$)|<(!--)", re.IGNORECASE)
_MATH = re.compile(r"\$\$(?!.*\$\$)|\\\[(?!.*\\\])")


class Heading(NamedTuple):
    text: str
    level: int


class Rule(NamedTuple):
    """A line across."""


def is_rule(text: str) -> bool:
    return _RULE.match(text) is not None


def underline_level(text: str) -> int | None:
    """Of which level a heading is if this line stands under it."""
    underline = _UNDERLINE.fullmatch(text)
    return None if underline is None else 1 if underline[1][0] == "=" else 2


def opening(line: str, *, in_paragraph: bool) -> Code | Raw | Heading | Rule | None:
    """What begins with a line. Of a `Raw`, the line itself is the first."""
    text = line.strip()
    indent = len(line) - len(line.lstrip(" "))
    if indent >= 4:
        return None
    if fence := _FENCE.match(text):
        return Code(fence[2] or fence[4] or "", fence=fence[1] or fence[3], indent=indent)
    if heading := _HEADING.match(text):
        return Heading((heading[2] or "").strip(), len(heading[1]))
    if is_rule(text):
        return Rule()
    if run := _HTML_RUN.match(text):
        end = re.compile("-->" if run[2] else f"</{run[1]}>", re.IGNORECASE)
        return Raw("html", end=end, through_blanks=True)
    if _MATH.match(text):
        # `$$` alone begins, and is not the end as well.
        return Raw(
            "math", end=re.compile(r"\$\$\s*$" if text.startswith("$$") else r"\\\]\s*$"), bare=text in {"$$", "\\["}
        )
    return Raw("html") if not in_paragraph and _HTML_BLOCK.match(text) else None
