"""Read a `.env` file: `NAME=value` lines, nothing executed and nothing expanded."""

from __future__ import annotations

import re

from msgspec import Struct

_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)", re.DOTALL)
_QUOTED = re.compile(r"""(?:'([^']*)'|"((?:[^"\\]|\\.)*)")\s*(?:#.*)?""", re.DOTALL)
_COMMENT = re.compile(r"(?:^|\s+)#.*", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


class DotenvProblem(Exception):
    """A line that assigns nothing. `line` counts from 1."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line}")
        self.line = line


class Assignment(Struct, frozen=True):
    value: str
    line: int


def parse_dotenv(text: str) -> dict[str, Assignment]:
    """The file's variables; the last assignment of a name counts. Raises `DotenvProblem`.

    A value is bare (a `#` after white space begins a comment), in single quotes (taken as it is), or in double quotes
    (`\\n`, `\\t`, `\\r`, `\\"` and `\\\\` are escapes). One line each.
    """
    found: dict[str, Assignment] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _LINE.fullmatch(stripped)
        value = _value(match.group(2)) if match else None
        if match is None or value is None:
            raise DotenvProblem(number)
        found[match.group(1)] = Assignment(value, number)
    return found


def _value(written: str) -> str | None:
    if not written.startswith(("'", '"')):
        return _COMMENT.sub("", written).strip()
    match = _QUOTED.fullmatch(written)
    if match is None:
        return None
    single, double = match.groups()
    if single is not None:
        return single
    return _ESCAPE.sub(lambda escape: _ESCAPED.get(escape.group(1), escape.group(1)), double)
