"""What files held before the agent changed them, kept beside the session's journal so that a rewind can put it back."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from helloclaw.storage.atomic import PRIVATE_FILE, private_directory, replace_file

LIMIT_BYTES = 20 * 1024 * 1024
"""A larger content is not kept; a rewind leaves its file alone and says so."""


def backups_of(journal: Path) -> Path:
    """The directory of a journal's copies. It need not exist."""
    return journal.with_suffix(".files")


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


class Backups:
    """Contents by their SHA-256, so that one content is kept once."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def keep(self, data: bytes) -> str:
        """Its name; it is on disk then, fsynced, unless it is too large. Raises `OSError`."""
        name = digest(data)
        path = self._directory / name
        if len(data) <= LIMIT_BYTES and not path.exists():
            private_directory(self._directory)
            replace_file(path, data, mode=PRIVATE_FILE)
        return name

    def load(self, name: str) -> bytes | None:
        """The content of that name, None if it is not there or no longer what it was."""
        try:
            data = (self._directory / name).read_bytes()
        except OSError:
            return None
        return data if digest(data) == name else None
