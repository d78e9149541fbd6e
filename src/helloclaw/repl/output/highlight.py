"""Source code in colour, line by line as it is written, in time that grows with its length only.

Each line is lexed from the last line end that was not inside a string or comment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pygments.lexer import Lexer

Piece = tuple[str, str]
"""A style's name, and text without line ends."""

_LONGEST_LINE = 2_000
_OPEN_CHARACTERS = 20_000


class Highlighter:
    """Feed lines in order. Without a known language they come back plain."""

    def __init__(self, language: str) -> None:
        self._lexer = _lexer(language)
        self._open = ""
        """Lines since the last safe place."""

    def line(self, text: str) -> list[Piece]:
        if self._lexer is None or len(text) > _LONGEST_LINE:
            self._open = ""
            return [("", text)]
        before = self._open
        tokens = [(str(kind), value) for kind, value in self._lexer.get_tokens(f"{before}{text}\n")]
        pieces = _after(tokens, len(before))
        inside = _ends_inside(tokens)
        self._open = f"{before}{text}\n" if inside and len(before) < _OPEN_CHARACTERS else ""
        return [(_style(kind), value) for kind, value in pieces if value]


def _after(tokens: list[tuple[str, str]], start: int) -> list[tuple[str, str]]:
    """The tokens' text from `start` on, without the final line end."""
    found: list[tuple[str, str]] = []
    at = 0
    for kind, value in tokens:
        end = at + len(value)
        if end > start:
            found.append((kind, value[max(0, start - at) :].rstrip("\n")))
        at = end
    return found


def _ends_inside(tokens: list[tuple[str, str]]) -> bool:
    """Whether the last line end belongs to a string or a comment of several lines."""
    last = next(
        (kind for kind, value in reversed(tokens) if value.strip("\n") or "String" in kind or "Comment" in kind), ""
    )
    kind, value = tokens[-1] if tokens else ("", "")
    return ("String" in kind or "Comment.Multiline" in kind or ("Comment" in kind and "Single" not in kind)) and (
        value.endswith("\n") or "String" in last
    )


def _style(kind: str) -> str:
    for part, style in (
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
    ):
        if part in kind:
            return style
    return ""


def _lexer(language: str) -> Lexer | None:
    name = re.split(r"[\s{,:]", language.strip().lower(), maxsplit=1)[0]
    if not name or not re.fullmatch(r"[a-z0-9_+#.-]{1,30}", name):
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    options: dict[str, Any] = {"stripnl": False, "ensurenl": False}
    try:
        return get_lexer_by_name(name, **options)
    except ClassNotFound:
        return None
