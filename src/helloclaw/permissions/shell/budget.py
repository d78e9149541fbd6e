"""How much looking through one command line may take. Pure.

Nested texts, loops and variables that hold one another make a short text stand for any amount of work.
"""

from __future__ import annotations


class TooMuch(Exception):
    """There is more than can be looked through."""


class Budget:
    """Work that is left, in units of about a word looked at."""

    def __init__(self, units: int) -> None:
        self._left = units

    def spend(self, units: int) -> None:
        """Raises `TooMuch` once nothing is left."""
        self._left -= units
        if self._left < 0:
            raise TooMuch
