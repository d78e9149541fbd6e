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
_WITHOUT_QUOTES = str.maketrans("", "", "'\"\\")


def shards(text: str) -> list[str]:
    """Anything that could be a command by itself, whatever the quotes around it say: for texts nobody can parse."""
    split = (*_STATEMENT.split(text), *_SHARD.split(_BRACED.sub("", text)))
    pieces = dict.fromkeys(stripped for piece in split if (stripped := piece.strip()))
    unquoted = dict.fromkeys(piece.translate(_WITHOUT_QUOTES) for piece in pieces)
    tokens = text.split()
    if "{" in text:
        tokens = [word for token in tokens for word in (expand_braces(token) or [token] if "{" in token else [token])]
    expanded = " ".join(tokens)
    # In the order they are written: what an earlier one sets, a later one may use.
    return [*pieces, *(each for each in unquoted if each not in pieces), expanded]
