"""Other ways to read a text that the grammar may read wrongly, for finding what is denied. Crude on purpose. Pure."""

from __future__ import annotations

import re

from helloclaw.permissions.shell.braces import expand_braces

_BRACKET = re.compile(r"""\\.|\$'(?:[^'\\]|\\.)*'|'[^']*'|"(?:[^"\\]|\\.)*"|`[^`]*`|[(){}\n]""", re.DOTALL)


def other_readings(text: str) -> list[str]:
    """The text without its line continuations, and its lines one by one: of both, the grammar makes something else."""
    readings = [text.replace("\\\n", "")] if "\\\n" in text else []
    if "\n" not in text or "<<" in text:
        return readings
    lines, start, depth = list[str](), 0, 0
    for match in _BRACKET.finditer(text):
        mark = match.group()
        depth += (mark in ("(", "{")) - (mark in (")", "}"))
        if mark == "\n" and depth <= 0:
            lines.append(text[start : match.start()])
            start = match.end()
    return [*readings, *lines, text[start:]] if lines else readings


_STATEMENT = re.compile(r"[;\n]|&&|\|\|")
_SHARD = re.compile(r"\$\(|[<>]\(|[;&|()`{}\n]")
_BRACED = re.compile(r"\$\{\w+\}")  # counts as empty, as everywhere here
_QUOTES = re.compile(r"""['"\\]""")


def shards(text: str) -> list[str]:
    """Anything that could be a command by itself, whatever the quotes around it say: for texts nobody can parse."""
    pieces = {piece.strip() for piece in (*_STATEMENT.split(text), *_SHARD.split(_BRACED.sub("", text)))} - {""}
    unquoted = {_QUOTES.sub("", piece) for piece in pieces}
    expanded = " ".join(word for token in text.split() for word in expand_braces(token) or [token])
    return [*pieces, *(unquoted - pieces), expanded]
