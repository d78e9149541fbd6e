"""Words of others as one line in which nothing is hidden, and a budget for lines. Pure."""

from __future__ import annotations

import unicodedata

_BLANK = "\u034f\u115f\u1160\u2800\u3164\uffa0"


def one_line(text: str, limit: int = 0) -> str:
    """`text` as one line without control, format, private and unassigned characters, cut with `…` after `limit`.

    What can't be seen on a screen must not reach a model either: it could say there what no person has read.
    """
    line = " ".join("".join(char if char.isascii() or _is_seen(char) else "" for char in text).split())
    line = "".join(char for char in line if char.isprintable())
    return f"{line[: limit - 1]}…" if limit and len(line) > limit else line


def _is_seen(char: str) -> bool:
    # Variation selectors and other marks without a width can carry words, too.
    return char.isspace() or not (unicodedata.category(char)[0] == "C" or _selects(char))


def _selects(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef" or char in _BLANK
