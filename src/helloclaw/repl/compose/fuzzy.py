"""Find what was meant by a few characters of a path or a name: the best of many thousand, in milliseconds. Pure.

Matches are in classes that C code can tell apart; only within a class that is not full yet are matches compared.
"""

from __future__ import annotations

import heapq
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

# Which characters a text has, as bits; a text without one of the query's can't match.
_BITS = 61
_WORD_STARTS = re.compile(r"(?:(?<![^\W_])[^\W_]|(?<=[a-z0-9])[A-Z])")
_BOUNDARY = r"(?<![^\W_])"


class Match(NamedTuple):
    """A candidate that fits. `grade` orders matches, the best first; the first of it is the class."""

    text: str
    grade: tuple[int, int, int, str]


class _Candidate(NamedTuple):
    text: str
    folded: str
    base: str
    initials: str
    mask: int


class Candidates:
    """Texts prepared for search, with the result of the last query, which the next one narrows if it goes on."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._all = [_prepared(text) for text in texts]
        self._last: tuple[str, list[_Candidate]] = ("", self._all)

    def __len__(self) -> int:
        return len(self._all)

    def rank(self, query: str, limit: int) -> list[Match]:
        """The best `limit` matches, best first."""
        wanted = fold(query)
        before, pool = self._last
        if not (before and wanted.startswith(before)):
            pool = self._all
        mask = _mask(wanted)
        pool = [candidate for candidate in pool if candidate.mask & mask == mask]
        if len(wanted) > 1:
            search = _subsequence(wanted).match
            pool = [candidate for candidate in pool if search(candidate.folded)]
        self._last = (wanted, pool)
        return _best(wanted, pool, limit)


def rank(query: str, candidates: Sequence[str], limit: int | None = None) -> list[Match]:
    """All candidates that have the query's characters in order, best first. Case and Unicode form don't count.

    From best to worst class: the text itself or its last part; at the start of the last part; at a word in it; within
    it; initials of words; at a word of the path; within the path; scattered in the last part; scattered anywhere. In a
    class: the closest together, the shortest, then by text.
    """
    return Candidates(candidates).rank(query, len(candidates) if limit is None else limit)


def fold(text: str) -> str:
    """`text` without differences of case and Unicode form."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text).lower()


def _prepared(text: str) -> _Candidate:
    folded = fold(text)
    base = folded[folded.rstrip("/").rfind("/") + 1 :]
    return _Candidate(text, folded, base, "".join(_WORD_STARTS.findall(text)).lower(), _mask(folded))


def _mask(text: str) -> int:
    mask = 0
    for character in set(text):
        mask |= 1 << (ord(character) % _BITS)
    return mask


def _subsequence(query: str) -> re.Pattern[str]:
    """Matches what has the query's characters in order, never going back (no other way could fit better)."""
    return re.compile("".join(f"[^{re.escape(c)}]*+{re.escape(c)}" for c in query), re.DOTALL)


def _best(query: str, pool: list[_Candidate], limit: int) -> list[Match]:
    if not query:
        return heapq.nsmallest(limit, (Match(c.text, (0, 0, len(c.text), c.text)) for c in pool), key=_grade)
    found: list[Match] = []
    for number, fits in enumerate(_classes(query)):
        if len(found) >= limit:
            break
        hits = [candidate for candidate in pool if fits(candidate)]
        if not hits:
            continue
        gap = _gap(query, in_base=number == _SCATTERED_IN_BASE) if number >= _SCATTERED_IN_BASE else _no_gap
        graded = (Match(c.text, (number, gap(c), len(c.text), c.text)) for c in hits)
        found += heapq.nsmallest(limit - len(found), graded, key=_grade)
        pool = [candidate for candidate in pool if not fits(candidate)]
    return found


_SCATTERED_IN_BASE = 7


def _classes(query: str) -> tuple[Callable[[_Candidate], object], ...]:
    word = re.compile(_BOUNDARY + re.escape(query)).search
    scattered = _subsequence(query).match
    return (
        lambda c: c.base.rstrip("/") == query or c.folded == query,
        lambda c: c.base.startswith(query),
        lambda c: query in c.base and word(c.base),
        lambda c: query in c.base,
        lambda c: query in c.initials,
        lambda c: query in c.folded and word(c.folded),
        lambda c: query in c.folded,
        lambda c: scattered(c.base),
        lambda c: scattered(c.folded),
    )


def _gap(query: str, *, in_base: bool) -> Callable[[_Candidate], int]:
    """How many characters the leftmost match spans."""
    spanning = re.compile("[^\0]*?".join(map(re.escape, query)), re.DOTALL).search

    def gap(candidate: _Candidate) -> int:
        found = spanning(candidate.base if in_base else candidate.folded)
        return found.end() - found.start() if found else len(candidate.folded)

    return gap


def _no_gap(_: _Candidate) -> int:
    return 0


def _grade(match: Match) -> tuple[int, int, int, str]:
    return match.grade
