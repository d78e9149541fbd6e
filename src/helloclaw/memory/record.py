"""What the program has written, so that what a person deletes stays deleted: `memory/.written.jsonl`, append-only.

It holds no texts: who deletes a note does not want it kept elsewhere. A note is known again by hashes of its words.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from helloclaw.memory.similar import SIMILAR, features, hashed
from helloclaw.storage.atomic import PRIVATE_FILE

NAME = ".written.jsonl"


class _Line(Struct, frozen=True, omit_defaults=True):
    """Hashes of a text and of its words, and what became of it: an `old` one was cleaned up, which is not unwanted."""

    hash: str
    words: tuple[int, ...] = ()
    is_: Literal["written", "forgotten", "old"] = "written"


class Record:
    """Of one workspace. Read anew when another process has written."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._read_bytes = 0
        self._inode = 0
        self._by_hash: dict[str, _Line] = {}

    def write(self, texts: Iterable[str], is_: Literal["written", "forgotten", "old"]) -> None:
        """Raises `OSError`."""
        lines = [_line(text, is_) for text in texts]
        data = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        if not data:
            return
        handle = os.open(
            self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), PRIVATE_FILE
        )
        with os.fdopen(handle, "ab") as stream:
            if stream.tell() and not self._ends_in_line():
                stream.write(b"\n")
            stream.write(data)

    def is_unwanted(self, text: str, present: frozenset[str]) -> bool:
        """Whether such a note was deleted: said so, or written once and not among the hashes `present` any more.

        Raises `OSError`.
        """
        known = self._lines()
        own = known.get(hashed(text))
        if own is not None and own.is_ != "old":
            return own.is_ == "forgotten" or own.hash not in present
        words = frozenset(_line(text, "written").words)
        return any(_shares(words, line.words) for line in known.values() if line.is_ != "old" and _gone(line, present))

    def _lines(self) -> dict[str, _Line]:
        try:
            with open(self._path, "rb") as stream:
                status = os.fstat(stream.fileno())
                if status.st_ino != self._inode or status.st_size < self._read_bytes:
                    self._by_hash, self._read_bytes, self._inode = {}, 0, status.st_ino
                stream.seek(self._read_bytes)
                data = stream.read()
        except FileNotFoundError:
            self._by_hash, self._read_bytes = {}, 0
            return self._by_hash
        whole = data[: data.rfind(b"\n") + 1]
        self._read_bytes += len(whole)
        for line in _decoded(whole):
            self._by_hash[line.hash] = line
        return self._by_hash

    def _ends_in_line(self) -> bool:
        """A crash may have left half a line."""
        with open(self._path, "rb") as stream:
            stream.seek(-1, os.SEEK_END)
            return stream.read(1) == b"\n"


def _decoded(data: bytes) -> Iterator[_Line]:
    for raw in data.splitlines():
        try:
            yield msgspec.json.decode(raw, type=_Line)
        except msgspec.DecodeError:
            continue


def _line(text: str, is_: Literal["written", "forgotten", "old"]) -> _Line:
    words = sorted({zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in features(text)})
    return _Line(hashed(text), tuple(words), is_)


def _gone(line: _Line, present: frozenset[str]) -> bool:
    return line.is_ == "forgotten" or line.hash not in present


def _shares(words: frozenset[int], others: tuple[int, ...]) -> bool:
    """Like `similarity`, of hashed words."""
    if not words or not others:
        return False
    shared = len(words.intersection(others))
    return shared / (len(words) + len(others) - shared) >= SIMILAR
