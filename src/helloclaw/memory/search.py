"""Find notes and past conversations again: by words, best and latest first."""

from __future__ import annotations

import heapq
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Literal

from msgspec import Struct

from helloclaw.memory.index import TIMELESS, Index
from helloclaw.memory.pages import BadPage, read
from helloclaw.memory.pieces import Piece, pieces_of_page
from helloclaw.memory.words import Term, folded, indexed, terms

HALF_LIFE_DAYS = 30.0
"""So much time makes a dated note count half."""
_LOOKED_AT = 400
"""Of the matches so many of the latest are ranked: what is older than these counts next to nothing."""
_PER_DAY = 10_000_000
_SUPERSEDED = 0.05
_SAID = 0.5
"""What was said in passing, against what was noted."""

_QUERY = """
SELECT lookup.rowid, bm25(lookup), path, first, last, text, who, ts, superseded
FROM lookup JOIN pieces ON pieces.id = lookup.rowid
WHERE lookup MATCH ? AND {} ORDER BY lookup.rowid DESC LIMIT ?
"""

Where = Literal["notes", "sessions", "all"]

_QUERIES: dict[Where, str] = {
    "notes": _QUERY.format("pieces.who = ''"),
    "sessions": _QUERY.format("pieces.who != ''"),
    "all": _QUERY.format("1"),
}


class Hit(Struct, frozen=True, kw_only=True):
    """`path` is relative to the workspace for a note, the session's id for what was said; lines count from 1.

    `score` says how hits compare, nothing more.
    """

    path: str
    first: int
    last: int
    text: str
    day: date | None
    score: float
    who: str = ""
    ts: float = 0.0
    superseded: bool = False

    @property
    def is_said(self) -> bool:
        """Whether it was said in a conversation, of which `path` is the id and `first` the message's `seq`."""
        return bool(self.who)


class Found(Struct, frozen=True, kw_only=True):
    """`scanned`: the index could not be used, and the notes themselves were read; conversations were not searched."""

    hits: tuple[Hit, ...]
    scanned: bool = False


class Finder:
    """Searches one workspace. It never raises for what an index may be in: then it reads the notes themselves."""

    def __init__(
        self, workspace: Path, sessions: Path, database: Path, *, today: Callable[[], date] = date.today
    ) -> None:
        self._workspace = workspace
        self._index = Index(database, workspace, sessions)
        self._today = today
        self._one_at_a_time = threading.Lock()

    def close(self) -> None:
        self._index.close()

    def search(self, query: str, limit: int = 10, where: Where = "all") -> Found:
        """What has all words of the query, then what has some. It reads files: call it off the event loop."""
        wanted = terms(query)
        if not wanted or limit <= 0:
            return Found(hits=())
        try:
            with self._one_at_a_time:
                connection = self._index.current()
                return Found(hits=tuple(self._ranked(self._matches(connection, wanted, limit, where), limit)))
        except (sqlite3.Error, OSError):
            scanned = self._scan(wanted) if where != "sessions" else iter(())
            return Found(hits=tuple(self._ranked(scanned, limit)), scanned=True)

    def _matches(
        self, connection: sqlite3.Connection, wanted: Sequence[Term], limit: int, where: Where
    ) -> Iterator[tuple[Piece, float]]:
        found: dict[int, tuple[Piece, float]] = {}
        for expression, weight in _expressions(wanted):
            for number, piece, relevance in _matching(connection, expression, where):
                found.setdefault(number, (piece, weight * relevance))
            if len(found) >= limit:
                break
        yield from found.values()

    def _ranked(self, matches: Iterator[tuple[Piece, float]], limit: int) -> list[Hit]:
        today = self._today()
        scored = [(relevance * _weight(piece, today), piece) for piece, relevance in matches]
        best = heapq.nlargest(limit, scored, key=lambda each: each[0])
        return [self._hit(piece, score) for score, piece in best]

    def _hit(self, piece: Piece, score: float) -> Hit:
        name = Path(piece.path).stem if piece.who else os.path.relpath(piece.path, self._workspace)
        return Hit(
            path=name,
            first=piece.first,
            last=piece.last,
            text=piece.text,
            day=piece.day,
            score=score,
            who=piece.who,
            ts=piece.ts,
            superseded=piece.superseded,
        )

    def _scan(self, wanted: Sequence[Term]) -> Iterator[tuple[Piece, float]]:
        """Every note is read, and its words compared."""
        for path in self._index.pages():
            try:
                text = read(path) or ""
            except (OSError, BadPage):
                continue
            for piece in pieces_of_page(str(path), text):
                words, singles = (f" {row} " for row in indexed(piece.text))
                shared = sum(f" {' '.join(term.words)} " in (singles if term.single else words) for term in wanted)
                if shared:
                    yield piece, shared / len(wanted) / (1 + len(folded(piece.text)) / 400)


def _matching(connection: sqlite3.Connection, expression: str, where: Where) -> Iterator[tuple[int, Piece, float]]:
    """Rows of the latest matches: number, piece, relevance (BM25, more is better)."""
    rows = connection.execute(_QUERIES[where], (expression, _LOOKED_AT))
    for number, relevance, path, first, last, text, who, ts, superseded in rows:
        ordinal = number // _PER_DAY
        day = None if ordinal >= TIMELESS else date.fromordinal(ordinal)
        piece = Piece(
            path=path, first=first, last=last, text=text, day=day, who=who, ts=ts, superseded=bool(superseded)
        )
        yield number, piece, -relevance


def _expressions(wanted: Sequence[Term]) -> Iterator[tuple[str, float]]:
    """What to look for, from narrow to wide, and how much a match of it counts: all, some, parts of a long phrase."""
    yield " AND ".join(map(_quoted, wanted)), 1.0
    if len(wanted) > 1:
        yield " OR ".join(map(_quoted, wanted)), 0.3
    if parts := [Term(word, (word,)) for term in wanted if len(term.words) > 1 for word in term.words]:
        yield " OR ".join(map(_quoted, parts)), 0.1


def _quoted(term: Term) -> str:
    """A term in the syntax of FTS5. Its words are letters and digits only, so that nothing in them is syntax."""
    column = "singles" if term.single else "words"
    return f'{column} : "{" ".join(term.words)}"'


def _weight(piece: Piece, today: date) -> float:
    weight = _SUPERSEDED if piece.superseded else 1.0
    if piece.who:
        weight *= _SAID
    if piece.day is None:
        return weight
    return weight * 0.5 ** (max(0, (today - piece.day).days) / HALF_LIFE_DAYS)
