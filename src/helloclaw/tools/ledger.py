"""What the session has seen of each file: the hash of its content, by which an edit notices a change made meanwhile."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Literal

Seen = Literal["never", "same", "changed"]


class FileLedger:
    """Content hashes by resolved path, as of the session's last read or write."""

    def __init__(self) -> None:
        self._hashes: dict[Path, bytes] = {}

    def record(self, path: Path, data: bytes) -> None:
        self._hashes[path] = _hash(data)

    def compare(self, path: Path, data: bytes) -> Seen:
        """Whether `data`, which `path` holds now, is what the session last saw there."""
        known = self._hashes.get(path)
        if known is None:
            return "never"
        return "same" if known == _hash(data) else "changed"


def _hash(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()
