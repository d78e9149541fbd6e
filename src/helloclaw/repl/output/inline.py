"""Emphasis, code, links and formulas inside one paragraph of Markdown, as styled text. Formulas stay as they are.

Links show where they lead, in brackets. A line end in the source stays one: models break lines where they mean it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from helloclaw.repl.output.rows import Span
from helloclaw.wording.plain import one_line, visible

if TYPE_CHECKING:
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_LONGEST_ADDRESS = 200
_STYLES = {"em_open": "em", "strong_open": "strong", "s_open": "strike", "link_open": "link"}
# Pandoc's rule for `$…$`, so that prices are none; and TeX's own brackets.
_MATH = re.compile(r"\$\$.+?\$\$|\$(?![\s$])(?:\\.|[^\\$\n])*?(?<!\s)\$(?!\d)|\\\(.+?\\\)|\\\[.+?\\\]", re.DOTALL)
# CommonMark 6.2 takes «**好。**然后» for no emphasis, since a letter follows the closing marks.
_STRONG = re.compile(r"\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


class Inline:
    """A parser, to be kept: making one is dear."""

    def __init__(self) -> None:
        from markdown_it import MarkdownIt

        self._md = MarkdownIt("commonmark").enable("strikethrough")
        self._md.inline.ruler.before("escape", "math", _math)
        self._md.validateLink = _any_link
        self._md.normalizeLink = _as_written
        self._md.normalizeLinkText = _as_written_text

    def spans(self, source: str, style: str = "") -> list[Span]:
        """`source` in style `style`; newlines stand where a row must end."""
        source = visible(source).replace("\t", " ")
        if not _MARKUP.search(source):
            return [(style, source)] if source else []
        return _shown(self._md.inline.parse(source, self._md, {}, []), style)


_MARKUP = re.compile(r"[*_`\[\]<>&~$\\!]|  \n")


def _any_link(url: str) -> bool:  # noqa: ARG001
    """Links are only shown, so that none is dangerous."""
    return True


def _as_written(url: str) -> str:
    return url


def _as_written_text(link: str) -> str:
    return link


def _math(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    found = _MATH.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("math_inline", "", 0).content = found.group()
    state.pos = found.end()
    return True


def _shown(tokens: Iterable[Token], style: str) -> list[Span]:
    spans: list[Span] = []
    styles = [style] if style else []
    links: list[tuple[str, int]] = []
    for token in tokens:
        if token.type in _STYLES:
            styles.append(_STYLES[token.type])
            if token.type == "link_open":
                links.append((str(token.attrs.get("href", "")), len(spans)))
            continue
        if token.nesting < 0:
            styles.pop()
            if token.type == "link_close":
                href, start = links.pop()
                spans += _address(href, "".join(text for _, text in spans[start:]))
            continue
        spans += _leaf(token, " ".join(styles))
    return _strong_again(spans)


def _leaf(token: Token, style: str) -> list[Span]:
    content = visible(token.content).replace("\t", " ")
    match token.type:
        case "softbreak" | "hardbreak":
            return [(style, "\n")]
        case "code_inline":
            return [(f"{style} code".strip(), content.replace("\n", " "))]
        case "math_inline":
            return [(f"{style} math".strip(), content)]
        case "html_inline" if _BREAK.fullmatch(content):
            return [(style, "\n")]
        case "html_inline":
            return [(f"{style} html".strip(), content)]
        case "image":
            return [(f"{style} link".strip(), content), *_address(str(token.attrs.get("src", "")), content)]
        case "text_special":
            return [(f"{style} escaped".strip(), content)]
        case _:
            return [(style, content)] if content else []


def _address(href: str, text: str) -> list[Span]:
    """Where a link leads, unless its text says so already."""
    if href in {"", text, f"mailto:{text}"}:
        return []
    return [("dim", f" ({one_line(href, _LONGEST_ADDRESS)})" if text else one_line(href, _LONGEST_ADDRESS))]


def _strong_again(spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for style, text in spans:
        if joined and joined[-1][0] == style:
            joined[-1] = (style, joined[-1][1] + text)
        else:
            joined.append((style, text))
    done: list[Span] = []
    for style, text in joined:
        if "**" not in text or "code" in style or "math" in style:
            done.append((style, text))
            continue
        for index, part in enumerate(_STRONG.split(text)):
            if part:
                done.append((f"{style} strong".strip() if index % 2 else style, part))
    return done
