"""Brace expansion: the only one that makes several words of one before anything else is looked at. Pure.

Source: Bash Reference Manual, "Brace Expansion".
"""

from __future__ import annotations

import re
from itertools import pairwise

MAX_ALTERNATIVES = 256
MAX_BRACES = 32

_TOKEN = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*"|\$\{[^}]*\}|[{},]|[^\\'"{},$]+|.""", re.DOTALL)
_INTEGERS = re.compile(r"(-?(?:0|[1-9]\d{0,3}))\.\.(-?(?:0|[1-9]\d{0,3}))")
_LETTERS = re.compile(r"([A-Za-z])\.\.([A-Za-z])")
_LIKE_SEQUENCE = re.compile(r"[^.]+\.\.[^.]+(\.\.[^.]+)?")


def expand_braces(text: str) -> list[str] | None:
    """The words that brace expansion makes of one; None if that is more than a command can mean well."""
    if text.count("{") > MAX_BRACES:
        return None
    tokens = _TOKEN.findall(text)
    for start, each in enumerate(tokens):
        if each != "{":
            continue
        cuts = _cuts(tokens, start)
        if cuts is None:
            continue
        inner = ["".join(tokens[a + 1 : b]) for a, b in pairwise(cuts)]
        if len(inner) == 1:
            if not _LIKE_SEQUENCE.fullmatch(inner[0]):
                continue
            inner = _sequence(inner[0])
        return _product("".join(tokens[:start]), inner, "".join(tokens[cuts[-1] + 1 :]))
    return [text]


def _cuts(tokens: list[str], start: int) -> list[int] | None:
    """The brace at `start`, its own commas, and the brace that closes it; None if nothing does."""
    depth, cuts = 0, [start]
    for index in range(start, len(tokens)):
        each = tokens[index]
        depth += (each == "{") - (each == "}")
        if depth == 0:
            return [*cuts, index]
        if each == "," and depth == 1:
            cuts.append(index)
    return None


def _product(prefix: str, inner: list[str] | None, suffix: str) -> list[str] | None:
    tails = expand_braces(suffix)
    if inner is None or tails is None:
        return None
    words: list[str] = []
    for each in inner:
        heads = expand_braces(each)
        if heads is None or len(words) + len(heads) * len(tails) > MAX_ALTERNATIVES:
            return None
        words += [f"{prefix}{head}{tail}" for head in heads for tail in tails]
    return words


def _sequence(text: str) -> list[str] | None:
    """`1..5` and `a..e`. None for what has steps or padding, which nobody has to write."""
    if match := _INTEGERS.fullmatch(text):
        first, last = int(match[1]), int(match[2])
        spell = str
    elif match := _LETTERS.fullmatch(text):
        first, last = ord(match[1]), ord(match[2])
        spell = chr
    else:
        return None
    if abs(last - first) >= MAX_ALTERNATIVES:
        return None
    return [spell(number) for number in range(first, last + (1 if last >= first else -1), 1 if last >= first else -1)]
