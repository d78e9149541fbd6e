"""Source code in colour, line by line as it is written: each line is lexed once, so that time grows with length only.

The lexer's own stack of states goes from line to line. What many lexers take for one token over several lines
(comments, raw strings, here documents) is told by its delimiters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from helloclaw.repl.output.rows import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pygments.lexer import Lexer
    from pygments.token import _TokenType  # pyright: ignore[reportPrivateUsage] - it has no public name

    Token = tuple[int, _TokenType, str]

_LONGEST_LINE = 600
_NAME = re.compile(r"[A-Za-z0-9_+#.*-]{1,30}")
_DELIMITERS = (
    ("/*", "*/"),
    ("<!--", "-->"),
    ("`", "`"),
    ('"""', '"""'),
    ("[[", "]]"),
    ("(*", "*)"),
    ("=begin", "=end"),
)
_HERE_DOCUMENT = re.compile(r"(?<!<)<<-?\s*(['\"]?)(\w+)\1")


class _Open(NamedTuple):
    """A token that goes on until `closer` comes, or until a line that is nothing else."""

    style: str
    closer: str
    whole_line: bool = False


class Highlighter:
    """Feed lines in order. Without a known language they come back plain. A copy goes on by itself."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._lexer: Lexer | None = None
        self._looked_up = False
        self._stack: tuple[str, ...] = ()
        """Empty where the lexer is of a kind that has none: then each line is lexed for itself."""
        self._open: _Open | None = None

    def line(self, text: str) -> list[Span]:
        if not self._looked_up:
            self._looked_up = True
            self._lexer, self._stack = _lexer(self._language)
        if self._lexer is None or len(text) > _LONGEST_LINE:
            return [("", text)]
        if self._open is not None:
            return self._within(self._open, text)
        try:
            return self._lexed(self._lexer, text)
        except (TypeError, KeyError, AttributeError, IndexError, RecursionError):
            # Some callbacks know nothing of a stack from outside.
            self._stack = ()
            return self._lexed(self._lexer, text)

    def _within(self, opened: _Open, text: str) -> list[Span]:
        if opened.whole_line:
            if text.strip() == opened.closer:
                self._open = None
            return [(opened.style, text)]
        before, closer, after = text.partition(opened.closer)
        if not closer:
            return [(opened.style, text)]
        self._open = None
        return [(opened.style, before + closer), *(self.line(after) if after else [])]

    def _lexed(self, lexer: Lexer, text: str) -> list[Span]:
        if not self._stack:
            return _spans(lexer.get_tokens_unprocessed(f"{text}\n"), len(text))
        for opener, closer in _DELIMITERS:
            begins = text.count(opener) % 2 if opener == closer else text.rfind(opener) > text.rfind(closer)
            if begins and (spans := self._opening(lexer, text, closer)) is not None:
                return spans
        tokens, self._stack = _tokens(lexer, f"{text}\n", self._stack)
        if "bash" in lexer.aliases and (mark := _HERE_DOCUMENT.search(text)):
            self._open = _Open("syntax.string", mark[2], whole_line=True)
        return _spans(tokens, len(text))

    def _opening(self, lexer: Lexer, text: str, closer: str) -> list[Span] | None:
        """The line, if a token begins in it that `closer` would end."""
        tokens, stack = _tokens(lexer, f"{text}\n{closer}\n", self._stack)
        kind = next((kind for at, kind, value in tokens if at <= len(text) < at + len(value) - 1), None)
        if kind is None or not _goes_on(kind):
            return None
        self._stack = stack
        self._open = _Open(_style(kind), closer)
        return _spans(tokens, len(text))


def _goes_on(kind: _TokenType) -> bool:
    from pygments.token import Comment, String

    return kind in Comment or kind in String


def _tokens(lexer: Lexer, text: str, stack: tuple[str, ...]) -> tuple[list[Token], tuple[str, ...]]:
    """The tokens of `text`, and the stack of states after it."""
    from pygments.lexer import ExtendedRegexLexer, LexerContext

    context: Any = LexerContext(text, 0, stack=list(stack))
    tokens: Any = ExtendedRegexLexer.get_tokens_unprocessed(
        lexer,  # pyright: ignore[reportArgumentType] - it reads no more of it than a RegexLexer has
        context=context,
    )
    return list(tokens), tuple(context.stack)


def _spans(tokens: Iterable[Token], end: int) -> list[Span]:
    """The tokens' text up to `end`, in the styles of the palette."""
    spans: list[Span] = []
    for at, kind, value in tokens:
        text = value[: max(0, end - at)]
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


def _lexer(language: str) -> tuple[Lexer | None, tuple[str, ...]]:
    """The language's lexer and the stack it begins with."""
    name = _NAME.match(language.strip())
    if name is None:
        return None, ()
    from pygments.lexer import ExtendedRegexLexer, RegexLexer
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    try:
        lexer: Any = find_lexer_class_by_name(name.group().lower())(startinline=True)
    except ClassNotFound:
        return None, ()
    if not isinstance(lexer, RegexLexer) or isinstance(lexer, ExtendedRegexLexer):
        return lexer, ()
    return lexer, ("root", "php") if name.group().lower() == "php" else ("root",)
