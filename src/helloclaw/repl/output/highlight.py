"""Source code in colour, line by line as it is written: each line is lexed once, so that time grows with length only.

The lexer's own stack of states goes from line to line. Where a string or comment that is one single token has not
ended, the line it began in is lexed again with each line after it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from helloclaw.repl.output.rows import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pygments.lexer import RegexLexer
    from pygments.token import _TokenType  # pyright: ignore[reportPrivateUsage] - it has no public name

_LONGEST_LINE = 2_000
_NAME = re.compile(r"[A-Za-z0-9_+#.*-]{1,30}")


class Highlighter:
    """Feed lines in order. Without a known language they come back plain. A copy goes on by itself."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._lexer: RegexLexer | None = None
        self._looked_up = False
        self._opening = ""
        """The line in which a token of several lines began, if one is open."""
        self._before_opening: tuple[str, ...] = ("root",)
        self._stack: tuple[str, ...] = ("root",)

    def line(self, text: str) -> list[Span]:
        if not self._looked_up:
            self._looked_up = True
            self._lexer = _lexer(self._language)
        if self._lexer is None or len(text) > _LONGEST_LINE:
            return [("", text)]
        try:
            return self._lexed(self._lexer, text)
        except (TypeError, KeyError, AttributeError, RecursionError):
            self._lexer = None  # it has callbacks that know nothing of a stack from outside
            return [("", text)]

    def _lexed(self, lexer: RegexLexer, text: str) -> list[Span]:
        from pygments.lexer import ExtendedRegexLexer, LexerContext

        opening = self._opening
        whole = f"{opening}{text}\n"
        begin = len(opening)
        context: Any = LexerContext(whole, 0, stack=list(self._before_opening if opening else self._stack))
        before_line = self._stack
        tokens: list[tuple[int, _TokenType, str]] = []
        found: Iterable[tuple[int, _TokenType, str]] = ExtendedRegexLexer.get_tokens_unprocessed(
            lexer,  # pyright: ignore[reportArgumentType] - it reads no more of it than a RegexLexer has
            context=context,
        )
        for at, kind, value in found:
            if opening and at <= begin:
                before_line = tuple(context.stack)
            tokens.append((at, kind, value))
        self._remember(tokens, begin, whole[begin:], before_line, tuple(context.stack))
        return _spans(tokens, begin, len(whole) - 1)

    def _remember(
        self,
        tokens: list[tuple[int, _TokenType, str]],
        begin: int,
        line: str,
        before_line: tuple[str, ...],
        after_line: tuple[str, ...],
    ) -> None:
        self._stack = after_line
        at, kind, _ = tokens[-1] if tokens else (begin, None, "")
        if not _is_open(kind):
            self._opening = ""
        elif at >= begin or not self._opening:
            self._opening, self._before_opening = line, before_line


def _is_open(kind: _TokenType | None) -> bool:
    """Whether the token that holds the last line end may go on in the next line."""
    from pygments.token import Comment, String

    return kind is not None and (kind in Comment or kind in String)


def _spans(tokens: list[tuple[int, _TokenType, str]], begin: int, end: int) -> list[Span]:
    """The tokens' text between two places, in the styles of the palette."""
    spans: list[Span] = []
    for at, kind, value in tokens:
        text = value[max(0, begin - at) : max(0, end - at)]
        if not text:
            continue
        style = _style(kind)
        if spans and spans[-1][0] == style:
            spans[-1] = (style, spans[-1][1] + text)
        else:
            spans.append((style, text))
    return spans


def _style(kind: _TokenType) -> str:
    name = str(kind)
    return next((style for part, style in _STYLES if part in name), "")


_STYLES = (
    ("Comment", "syntax.comment"),
    ("String", "syntax.string"),
    ("Number", "syntax.number"),
    ("Keyword", "syntax.keyword"),
    ("Name.Function", "syntax.name"),
    ("Name.Class", "syntax.name"),
    ("Name.Tag", "syntax.name"),
    ("Name.Builtin", "syntax.builtin"),
    ("Name.Decorator", "syntax.builtin"),
    ("Name.Attribute", "syntax.builtin"),
    ("Generic.Inserted", "added"),
    ("Generic.Deleted", "removed"),
    ("Generic.Subheading", "hunk"),
)


def _lexer(language: str) -> RegexLexer | None:
    name = _NAME.match(language.strip())
    if name is None:
        return None
    from pygments.lexer import RegexLexer
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    options: dict[str, Any] = {"startinline": True} if name.group() == "php" else {}
    try:
        lexer: Any = find_lexer_class_by_name(name.group().lower())(**options)
    except ClassNotFound:
        return None
    return lexer if isinstance(lexer, RegexLexer) and "root" in getattr(lexer, "_tokens", {}) else None
