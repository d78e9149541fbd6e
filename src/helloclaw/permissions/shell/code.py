"""Programs for interpreters, given on a command line: which commands they would start, by their strings. Pure.

A guess, for finding what is denied: nothing that an interpreter runs is ever allowed by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from helloclaw.permissions.tables import names

# A command's words, or shell text.
Launched = list[str] | str

MAX_LITERALS = 40

INTERPRETERS = names(
    "python pypy perl ruby node nodejs deno bun php lua luajit awk gawk mawk nawk osascript tclsh wish expect "
    "rscript julia groovy scala ghc runghc emacs vi vim nvim view ex ed gdb lldb sed gsed make gmake sqlite psql "
    "mysql m4 jshell irb guile racket sbcl clojure elixir erl swift ocaml r octave gnuplot"
)
_STARTS_SOMETHING = re.compile(
    r"system|popen|exec|spawn|subprocess|shell|syscmd|child_process|\b(?:run|call|do|qx|fork|os)\b|[`!]"
    r"|\|\s*[\"']|[\"']\s*\||\$\(|(?<![A-Za-z])e\s|/[a-z]*e[a-z]*$",
    re.IGNORECASE,
)
_LITERAL = re.compile(
    r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`|\bshell\s+([^)]*)|!\s*(.+)"""
    r"""|/([^/]*)/\w*e\w*$|(?<![A-Za-z])e\s+(.+)""",
    re.DOTALL,
)
_VERSION = re.compile(r"[\d.-]+$")


@lru_cache(maxsize=1024)
def is_interpreter(name: str) -> bool:
    return name in INTERPRETERS or _VERSION.sub("", name) in INTERPRETERS


def commands_in_code(arguments: Sequence[str], stdin: str | None) -> Iterator[Launched]:
    """Strings in program text, each as a command line, and all together as the words of one."""
    texts = [each for each in arguments if not each.startswith("-") and any(mark in each for mark in "'\"`!( ")]
    if stdin is not None:
        texts.append(stdin)
    for text in texts:
        if not _STARTS_SOMETHING.search(text):
            continue
        literals = ["".join(filter(None, match.groups())) for match in _LITERAL.finditer(text)][:MAX_LITERALS]
        yield from literals
        if len(literals) > 1:
            yield literals
