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
    rb"""(?P<blank>[ \t]+)
  | (?P<redirect>[0-9]*(?:<&|>&|>>|>\||<|>)(?![<>(&|])|&>>|&>)
  | (?P<operator>&&|\|\||\|&|[;|\n()](?!;))
  | (?P<word>(?:
        [^\s;&|()<>'"\\$`\#]++
      | (?<=[^\s;&|()<>])\#
      | \\[^\n]
      | '[^']*'
      | "(?:[^"\\$`]|\\[^\n]|%(name)s|\$(?=["\s]))*"
      | \$'(?:[^'\\\n]|\\[^\n])*'
      | %(name)s
      | \$(?=[\s;&|)]|$)
    )+)"""
    % {b"name": _NAME},
    re.VERBOSE,
)
_RESERVED_BEFORE_COMMAND = frozenset({b"!", b"{", b"}", b"if", b"then", b"elif", b"else", b"fi"})
_NOT_PLAIN = frozenset(
    {b"for", b"while", b"until", b"do", b"done", b"case", b"esac", b"select", b"function", b"coproc", b"in", b"[["}
)
_FD_BRACE = re.compile(rb"\{\w+\}")


def read_runs(source: bytes) -> tuple[Run, ...] | None:
    """The simple commands in order; None if the text is not plain."""
    runs: list[Run] = []
    words: list[Span] = []
    targets: list[Span] = []
    pos, pending = 0, False
    while pos < len(source):
        match = _TOKEN.match(source, pos)
        if match is None:
            return None
        start, pos = match.span()
        match match.lastgroup:
            case "word" if pending:
                targets.append((start, pos))
                pending = False
            case "word":
                word = match.group()
                if not words and not targets and word in _RESERVED_BEFORE_COMMAND:
                    continue
                if (not words and word in _NOT_PLAIN) or (_FD_BRACE.fullmatch(word) and source[pos : pos + 1] in b"<>"):
                    return None
                words.append((start, pos))
            case "redirect":
                if pending:
                    return None
                pending = True
            case "operator":
                if pending or (match.group() == b"(" and (words or targets)):
                    return None
                if words or targets:
                    runs.append(Run(tuple(words), tuple(targets)))
                words, targets = [], []
            case _:
                pass
    if pending:
        return None
    if words or targets:
        runs.append(Run(tuple(words), tuple(targets)))
    return tuple(runs)
