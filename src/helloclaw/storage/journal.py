"""Append-only journals: a header line, then one JSON object a line, numbered 1, 2, 3…

One process writes at a time (`locks.py`). Each line is handed to the kernel before `append` returns, so that a killed
process loses nothing; `sync` makes it survive a power cut too. A crash leaves at most a torn last line.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from helloclaw.i18n import SpokenError
from helloclaw.i18n.system import reason_of
from helloclaw.storage.atomic import PRIVATE_FILE, private_directory, sync_directory

FORMAT_VERSION = 1


class JournalError(SpokenError):
    """A journal can't be read or written. The text names the file and the reason."""

    blame = "world"


class Scan(Struct, frozen=True, kw_only=True):
    """A journal as it is on disk. `size` is where its last whole line ends; `torn` is what follows, or empty.

    `damaged` counts lines in the middle which are no JSON object, left out of `lines`.
    """

    header: dict[str, Any]
    lines: list[bytes]
    size: int
    torn: bytes = b""
    damaged: int = 0


class _Numbered(Struct):
    seq: int


def scan(path: Path) -> Scan:
    """Read a whole journal. Raises `JournalError` if there is no readable header, `OSError` as `open` does."""
    if not path.is_file() and not path.is_dir() and path.exists():  # a FIFO would be waited for, for ever
        raise JournalError("journal.no_file", path=path)
    data = path.read_bytes()
    size = data.rfind(b"\n") + 1
    header_line, *lines = data[:size].splitlines() or [b""]
    try:
        header = msgspec.json.decode(header_line, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise JournalError("journal.no_header", path=path) from error
    if (version := header.get("v")) != FORMAT_VERSION:
        raise JournalError("journal.format", path=path, found=repr(version), known=FORMAT_VERSION)
    whole = [line for line in lines if line.startswith(b"{") and line.endswith(b"}")]
    return Scan(header=header, lines=whole, size=size, torn=data[size:], damaged=len(lines) - len(whole))


def last_seq(lines: list[bytes]) -> int:
    """The number of the last line that has one, 0 if none has."""
    for line in reversed(lines):
        try:
            return msgspec.json.decode(line, type=_Numbered).seq
        except msgspec.MsgspecError:
            continue
    return 0


class Journal:
    """One open journal. The caller holds its lock."""

    def __init__(self, path: Path, handle: int, size: int, next_seq: int) -> None:
        self.path = path
        self.next_seq = next_seq
        self._handle = handle
        self._size = size
        self._dirty = True

    @classmethod
    def create(cls, path: Path, header: dict[str, Any], lines: list[bytes] | None = None) -> Journal:
        """Start a new journal with `lines` in it. Raises `FileExistsError` if there is one, `OSError` otherwise."""
        private_directory(path.parent)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, PRIVATE_FILE)
        journal = cls(path, handle, 0, last_seq(lines or []) + 1)
        try:
            journal._write(
                b"".join(line + b"\n" for line in [msgspec.json.encode({"v": FORMAT_VERSION} | header), *(lines or [])])
            )
            sync_directory(path.parent)
        except BaseException as error:
            # Half a journal could never be read again.
            journal.close()
            path.unlink(missing_ok=True)
            if isinstance(error, OSError) and error.filename is None:  # a full disk does not say where
                raise OSError(error.errno, error.strerror, str(path)) from error
            raise
        return journal

    @classmethod
    def reopen(cls, path: Path, found: Scan) -> Journal:
        """Go on with a journal that was scanned under the same lock; its torn end is cut off. Raises `OSError`."""
        handle = os.open(path, os.O_RDWR | os.O_APPEND)
        if found.torn:
            os.ftruncate(handle, found.size)
        return cls(path, handle, found.size, last_seq(found.lines) + 1)

    def append(self, line: bytes) -> None:
        """Write one line, already carrying `next_seq`. Raises `JournalError`; then the line is not in the file."""
        try:
            self._write(line + b"\n")
        except OSError as error:
            self._cut_back()
            raise JournalError("journal.unwritten", path=self.path, why=reason_of(error)) from error
        self.next_seq += 1

    def sync(self) -> None:
        """fsync what was appended since the last time. Raises `JournalError`."""
        if not self._dirty:
            return
        # Cleared first: a line that is appended meanwhile, from another thread, is not in this fsync.
        self._dirty = False
        try:
            os.fsync(self._handle)
        except OSError as error:
            self._dirty = True
            raise JournalError("journal.unwritten", path=self.path, why=reason_of(error)) from error

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._handle, view) :]
        self._size += len(data)
        self._dirty = True

    def _cut_back(self) -> None:
        """Remove the half line that a full disk left, so that the next line starts on its own."""
        try:
            os.ftruncate(self._handle, self._size)
        except OSError:
            # The next open finds a damaged line and skips it.
            return
