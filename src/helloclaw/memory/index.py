"""The index of notes and past conversations: one SQLite file, made of the files and made again when it is gone.

A file whose stamp has changed is read again, and indexed again if its content has. Of journals, which only grow, what
is new is read. Files are the truth: an index that is locked, damaged or gone costs time, never an answer.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import date
from pathlib import Path

from helloclaw.memory.pages import FOLDER, LONGTERM, BadPage, daily_pages, read
from helloclaw.memory.pieces import OTHER_PAGES, Piece, pieces_of_journal, pieces_of_page
from helloclaw.memory.words import indexed
from helloclaw.storage.atomic import private_directory

VERSION = 1
TIMELESS = 1_000_000
"""The day number of what has no date; later than any day, so that it comes first."""
_PER_DAY = 10_000_000
_UNSETTLED_NS = 2_000_000_000
_BUSY_S = 2.0
_LOOKED_AT_ALWAYS = 300
_LOOKED_AT_AGAIN_S = 1.0

_SCHEMA = f"""
PRAGMA user_version = {VERSION};
CREATE TABLE files (path TEXT PRIMARY KEY, stamp TEXT NOT NULL, hash TEXT NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE pieces (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, text TEXT NOT NULL,
  who TEXT NOT NULL, ts REAL NOT NULL, superseded INTEGER NOT NULL
);
CREATE INDEX pieces_of_files ON pieces (path);
CREATE VIRTUAL TABLE lookup USING fts5(words, singles, tokenize = 'porter unicode61');
"""


class Index:
    """`database` is where it lies, `workspace` holds notes, `sessions` journals. Not for two threads at once."""

    def __init__(self, database: Path, workspace: Path, sessions: Path) -> None:
        self._database = database
        self._workspace = workspace
        self._sessions = sessions
        self._connection: sqlite3.Connection | None = None
        self._known: dict[str, str] = {}  # paths and stamps, as in the database
        self._seen_version = -1
        self._all_seen_at = 0.0
        self._names: dict[str, tuple[int, list[str]]] = {}  # folders as they were at a time

    def current(self) -> sqlite3.Connection:
        """The database, brought up to date. Raises `sqlite3.Error`, `OSError`."""
        try:
            return self._refreshed()
        except sqlite3.DatabaseError as error:
            self.close()
            if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise
            # Damaged, or of another version: it is only a copy of what the files say.
            for suffix in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    os.unlink(f"{self._database}{suffix}")
            return self._refreshed()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection, self._seen_version, self._all_seen_at = None, -1, 0.0

    def _refreshed(self) -> sqlite3.Connection:
        if self._connection is not None and not self._database.exists():
            self.close()  # somebody removed it
        if self._connection is None:
            private_directory(self._database.parent)
            self._connection = _opened(self._database)
        self._refresh(self._connection)
        return self._connection

    def _refresh(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._seen_version:  # another process has written
            self._known = dict(connection.execute("SELECT path, stamp FROM files"))
            self._seen_version = version
        names, there = self._files()
        now_ns = time.time_ns()
        changed = {
            path: status
            for path, status in there.items()
            if self._known.get(path) != _stamp(status) or now_ns - status.st_mtime_ns < _UNSETTLED_NS
        }
        gone = self._known.keys() - names
        if not changed and not gone:
            return
        with _Transaction(connection):
            for path in gone:
                _forget(connection, path)
                connection.execute("DELETE FROM files WHERE path = ?", (path,))
                del self._known[path]
            for path, status in changed.items():
                # Another process may have done it while this one waited.
                row = connection.execute("SELECT stamp, hash, bytes FROM files WHERE path = ?", (path,)).fetchone()
                with suppress(OSError, BadPage):
                    self._update(connection, path, status, row)

    def _update(
        self, connection: sqlite3.Connection, path: str, status: os.stat_result, row: tuple[str, str, int] | None
    ) -> None:
        if path.endswith(".jsonl"):
            digest, size = _add_journal(connection, path, status, row)
        else:
            text = read(Path(path)) or ""
            data = text.encode("utf-8", "surrogateescape")
            digest, size = hashlib.sha256(data).hexdigest(), len(data)
            if row is None or row[1] != digest:
                _forget(connection, path)
                _add(connection, pieces_of_page(path, text))
        connection.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", (path, _stamp(status), digest, size))
        self._known[path] = _stamp(status)

    def pages(self) -> Iterator[Path]:
        """The files of notes, whether they exist or not."""
        yield self._workspace / LONGTERM
        for name in OTHER_PAGES:
            yield self._workspace / name
        for each in daily_pages(self._workspace):
            yield each.path

    def _files(self) -> tuple[set[str], dict[str, os.stat_result]]:
        """The paths that are searched, and the status of those that may have changed.

        The latest ones are looked at each time, and whatever is new. To look at years of days takes longer than to
        search them: these are looked at again only after a second.
        """
        paths = [str(self._workspace / name) for name in (LONGTERM, *OTHER_PAGES)]
        for folder, ending in ((self._workspace / FOLDER, ".md"), (self._sessions, ".jsonl")):
            with suppress(FileNotFoundError, NotADirectoryError):
                paths += self._listed(str(folder), ending)
        now = time.monotonic()
        is_due = len(paths) <= _LOOKED_AT_ALWAYS or now - self._all_seen_at > _LOOKED_AT_AGAIN_S
        if is_due:
            self._all_seen_at = now
        names: set[str] = set()
        there: dict[str, os.stat_result] = {}
        for number, path in enumerate(paths):
            if not is_due and number > _LOOKED_AT_ALWAYS and path in self._known:
                names.add(path)
                continue
            with suppress(OSError):
                status = os.lstat(path)
                if stat.S_ISREG(status.st_mode) and (path in self._known or _is_searched(path)):
                    names.add(path)
                    there[path] = status
        return names, there

    def _listed(self, folder: str, ending: str) -> list[str]:
        """Paths of the names in a folder, the latest first; listed again only when names have changed."""
        modified_ns = os.stat(folder).st_mtime_ns
        kept = self._names.get(folder)
        if kept is None or kept[0] != modified_ns or time.time_ns() - modified_ns < _UNSETTLED_NS:
            names = sorted((name for name in os.listdir(folder) if name.endswith(ending)), reverse=True)
            kept = self._names[folder] = (modified_ns, [f"{folder}/{name}" for name in names])
        return kept[1]


def _opened(database: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(database, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        os.chmod(database, 0o600)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")  # what a power cut takes is made again
        if _version(connection) == 0:
            with _Transaction(connection):
                if _version(connection) == 0:
                    for statement in _SCHEMA.strip().split(";\n"):
                        connection.execute(statement)
        if (version := _version(connection)) != VERSION:
            raise sqlite3.DatabaseError(f"version {version}")
    except BaseException:
        connection.close()
        raise
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


class _Transaction:
    """`BEGIN IMMEDIATE`: whoever writes waits for the others at the beginning, not in the middle."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._connection.execute("COMMIT" if kind is None else "ROLLBACK")


def _stamp(status: os.stat_result) -> str:
    return f"{status.st_ino}:{status.st_size}:{status.st_mtime_ns}"


def _is_searched(path: str) -> bool:
    name = os.path.basename(path)
    if name in (LONGTERM, *OTHER_PAGES) or name.endswith(".jsonl"):
        return True
    try:
        date.fromisoformat(name[:10])
    except ValueError:
        return False
    return True


def _forget(connection: sqlite3.Connection, path: str) -> None:
    ids = connection.execute("SELECT id FROM pieces WHERE path = ?", (path,)).fetchall()
    connection.executemany("DELETE FROM lookup WHERE rowid = ?", ids)
    connection.execute("DELETE FROM pieces WHERE path = ?", (path,))


def _add(connection: sqlite3.Connection, pieces: Iterator[Piece]) -> None:
    """Rows are numbered by day, so that the latest are found first without looking at all."""
    next_of: dict[int, int] = {}
    for piece in pieces:
        number = (piece.day.toordinal() if piece.day else TIMELESS) * _PER_DAY
        if number not in next_of:
            last = connection.execute("SELECT max(id) FROM pieces WHERE id < ?", (number + _PER_DAY,)).fetchone()[0]
            next_of[number] = max(number, (last or 0) + 1)
        own = next_of[number]
        next_of[number] += 1
        connection.execute(
            "INSERT INTO pieces VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (own, piece.path, piece.first, piece.last, piece.text, piece.who, piece.ts, piece.superseded),
        )
        connection.execute("INSERT INTO lookup (rowid, words, singles) VALUES (?, ?, ?)", (own, *indexed(piece.text)))


def _add_journal(
    connection: sqlite3.Connection, path: str, status: os.stat_result, row: tuple[str, str, int] | None
) -> tuple[str, int]:
    """What a journal says beyond what is known of it; its first line's digest, and how far it was read."""
    with closing(open(path, "rb", buffering=0)) as stream:
        header = stream.read(4096).partition(b"\n")[0]
        digest = hashlib.sha256(header).hexdigest()
        known = row[2] if row is not None and row[1] == digest and row[2] <= status.st_size else 0
        if known == 0:
            _forget(connection, path)
        stream.seek(known)
        data = stream.read()
    whole = data[: data.rfind(b"\n") + 1]
    _add(connection, pieces_of_journal(path, whole))
    return digest, known + len(whole)
