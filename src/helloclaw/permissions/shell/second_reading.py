"""A second, independent reading of a command, for the plain part of the grammar only. Pure.

A grammar file that reads a text otherwise than bash does is how guards of this kind were passed before (a comment taken
for a string, a line continuation taken for a space). So nothing runs unasked unless two readings agree on every word:
tree-sitter's, and this one, which gives up on whatever it was not written for.
"""

from __future__ import annotations

import re

from msgspec import Struct

from helloclaw.permissions.shell.script import Span


class Run(Struct, frozen=True, order=True):
    """The words of one simple command, and the targets of its redirections, as places in the text (bytes)."""

    words: tuple[Span, ...]
    targets: tuple[Span, ...] = ()


# Bash Reference Manual 3.5.9, 3.1.2 and 3.6. `\n` in a word is refused, with it every line continuation.
_NAME = rb"\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9?\#@*$!-]|\{[A-Za-z_][A-Za-z0-9_]*\})"
_TOKEN = re.compile(
    rb"""[ \t]*(?:
    (?P<redirect>[0-9]*(?:<&|>&|>>|>\||<|>)(?![<>(&|])|&>>|&>)
  | (?P<operator>&&|\|\||\|&|;(?!;)|[|\n()])
  | (?P<word>(?:
        [^\s;&|()<>'"\\$`\#]++
      | (?<=[^\s;&|()<>])\#
      | \\[^\n]
      | '[^']*'
      | "(?:[^"\\$`]|\\[^\n]|%(name)s|\$(?=["\s]))*"
      | \$'(?:[^'\\\n]|\\[^\n])*'
      | %(name)s
      | \$(?=[\s;&|)]|$)
    )+)
  | (?P<end>\Z))"""
    % {b"name": _NAME},
    re.VERBOSE,
)
_RESERVED_BEFORE_COMMAND = frozenset({b"!", b"{", b"}", b"if", b"then", b"elif", b"else", b"fi"})
_NOT_PLAIN = frozenset(
    {b"for", b"while", b"until", b"do", b"done", b"case", b"esac", b"select", b"function", b"coproc", b"in"}
)
_FD_BRACE = re.compile(rb"\{\w+\}")


def read_runs(source: bytes) -> tuple[Run, ...] | None:
    """The simple commands in order; None if the text is not plain."""
    reading = _Reading(source)
    pos = 0
    while pos < len(source):
        match = _TOKEN.match(source, pos)
        if match is None or not reading.take(match):
            return None
        pos = match.end()
    return tuple(reading.runs) if reading.end_command() else None


class _Reading:
    """The state of one reading: the command so far, and whether a redirection waits for its target."""

    def __init__(self, source: bytes) -> None:
        self.runs: list[Run] = []
        self._source = source
        self._words: list[Span] = []
        self._targets: list[Span] = []
        self._pending = False

    def take(self, match: re.Match[bytes]) -> bool:
        """Take the next token. False if it is none that a plain text has there."""
        match match.lastgroup:
            case "word":
                return self._word(match)
            case "redirect":
                fits = not self._pending
                self._pending = True
                return fits
            case "operator":
                opens_late = match["operator"] == b"(" and bool(self._words or self._targets)
                return not opens_late and self.end_command()
            case _:
                return True

    def end_command(self) -> bool:
        """Note the command so far. False if it is not complete."""
        if self._words or self._targets:
            self.runs.append(Run(tuple(self._words), tuple(self._targets)))
        self._words, self._targets = [], []
        return not self._pending

    def _word(self, match: re.Match[bytes]) -> bool:
        if self._pending:
            self._targets.append(match.span("word"))
            self._pending = False
            return True
        word = match["word"]
        if not self._words:
            if word in _NOT_PLAIN:
                return False
            if not self._targets and word in _RESERVED_BEFORE_COMMAND:
                return True
        if _FD_BRACE.fullmatch(word) and self._source[match.end() : match.end() + 1] in (b"<", b">"):
            return False
        self._words.append(match.span("word"))
        return True
