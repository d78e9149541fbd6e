"""How many columns text takes in a terminal: two for East Asian wide characters, none for combining ones."""

from __future__ import annotations

from unicodedata import combining, east_asian_width


def columns(text: str) -> int:
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def padded(text: str, width: int) -> str:
    """`text` cut or filled up to exactly `width` columns."""
    while columns(text) > width:
        text = text[:-2] + "…" if len(text) > 1 else ""
    return text + " " * (width - columns(text))
