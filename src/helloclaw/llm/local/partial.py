"""The file that is being put together: bytes are appended in order, and each segment is checked when it is complete.

Whatever is in it at a segment's end is right, so that any source can go on where another one, or a killed process,
stopped.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO

from helloclaw.llm.local.weights import Weights

CHUNK_BYTES = 2**20


class WrongBytes(Exception):
    """A complete segment has another SHA-256 than the catalogue says. It has been dropped from the file."""


class Partial:
    """`NAME.gguf.partial`. Made by `reopen`; one process at a time (the caller holds the lock).

    All methods may raise `OSError` (a full disk, a directory that can't be written).
    """

    def __init__(self, path: Path, weights: Weights, stream: BinaryIO) -> None:
        self.path = path
        self.weights = weights
        self._stream = stream
        self._ends = tuple(accumulate(segment.bytes for segment in weights.segments))
        self._size = 0
        self._whole = hashlib.sha256()
        self._segment = hashlib.sha256()
        self._whole_at_boundary = self._whole.copy()

    @classmethod
    def reopen(cls, path: Path, weights: Weights, at: Callable[[int], None] = lambda _: None) -> Partial:
        """Open or make the file, and read what is there: from the first wrong segment on it is dropped."""
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        partial = cls(path, weights, os.fdopen(handle, "r+b"))
        try:
            while chunk := partial._stream.read(partial._room(CHUNK_BYTES)):
                partial._account(chunk)
                at(partial.size)
        except WrongBytes:
            pass
        except BaseException:
            partial.close()
            raise
        partial._cut(partial.size)
        return partial

    @property
    def size(self) -> int:
        return self._size

    @property
    def complete(self) -> bool:
        return self._size == self.weights.bytes

    @property
    def segment_index(self) -> int:
        """Which segment the next byte belongs to."""
        return sum(end <= self._size for end in self._ends)

    def drop_unfinished_segment(self) -> None:
        """Go back to the end of the last complete segment."""
        start = self._ends[self.segment_index - 1] if self.segment_index else 0
        self._segment = hashlib.sha256()
        self._whole = self._whole_at_boundary.copy()
        self._cut(start)

    def append(self, data: bytes) -> None:
        """Add the next bytes. Raises `WrongBytes` when they complete a segment wrongly, `ValueError` beyond the end."""
        view = memoryview(data)
        if len(view) > self.weights.bytes - self._size:
            raise ValueError(f"{len(view)} bytes more than {self.weights.filename} has room for")
        while view:
            piece = view[: self._room(len(view))]
            self._stream.write(piece)
            self._account(piece)
            view = view[len(piece) :]

    def sync(self) -> None:
        """Make what has been appended survive a power cut."""
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def sha256(self) -> str:
        """Of everything appended so far."""
        return self._whole.hexdigest()

    def close(self) -> None:
        self._stream.close()

    def _room(self, wanted: int) -> int:
        """How many of `wanted` bytes still belong to the current segment."""
        index = self.segment_index
        return min(wanted, self._ends[index] - self._size) if index < len(self._ends) else 0

    def _account(self, piece: bytes | memoryview) -> None:
        index = self.segment_index
        self._segment.update(piece)
        self._whole.update(piece)
        self._size += len(piece)
        if self._size < self._ends[index]:
            return
        found, expected = self._segment.hexdigest(), self.weights.segments[index].sha256
        if found != expected:
            self._size -= 1  # so that this segment still counts as unfinished
            self.drop_unfinished_segment()
            raise WrongBytes(f"segment {index + 1} has SHA-256 {found}, expected {expected}")
        self._segment = hashlib.sha256()
        self._whole_at_boundary = self._whole.copy()

    def _cut(self, size: int) -> None:
        self._stream.flush()
        self._stream.truncate(size)
        self._stream.seek(size)
        self._size = size
