"""Where in a sentence something is worth keeping. A value."""

from __future__ import annotations

from typing import NamedTuple

from helloclaw.memory.note import Category


class Trigger(NamedTuple):
    """`start` is where what is worth keeping begins, `said` how the note begins instead of the text up to `rest`."""

    category: Category
    start: int
    rest: int
    said: str = ""
