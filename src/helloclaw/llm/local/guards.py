"""What stands between a pull and a half-written file: the lock, room on the disk, and errors a person can act on."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from helloclaw.i18n import AdvisedError, Phrase
from helloclaw.i18n.system import reason_of

_MARGIN_BYTES = 32 * 2**20

PullFailureKind = Literal["unknown", "busy", "disk", "directory", "offline", "checksum", "not_gguf"]


class PullFailed(AdvisedError):
    """The weights are not there (yet). The text names what and where, `hint` the next step. What came is kept."""

    def __init__(self, kind: PullFailureKind, key: str, /, **fields: object) -> None:
        super().__init__(key, **fields)
        self.kind: PullFailureKind = kind
        self.blame = "later" if kind == "offline" else "world"


@contextmanager
def alone(directory: Path, name: str) -> Generator[None]:
    """Hold the kernel's lock on these weights: two pulls would write into the same file. Raises `PullFailed`."""
    from filelock import FileLock, Timeout

    lock = FileLock(directory / f".{name}.lock", timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout as error:
        raise PullFailed("busy", "pull.busy", name=name, directory=directory) from error
    try:
        yield
    finally:
        lock.release()


def need_room(needed: int, directory: Path, what: str) -> None:
    """Raises `PullFailed` unless `needed` bytes and a margin are free in `directory`."""
    needed += _MARGIN_BYTES
    free = shutil.disk_usage(directory).free
    if free < needed:
        raise PullFailed("disk", "pull.no_room", what=what, needed=_mib(needed), free=_mib(free), directory=directory)


@contextmanager
def writing_to(directory: Path) -> Generator[None]:
    """Turn what the file system says into what a person can do about it. Raises `PullFailed`."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise PullFailed("disk", "pull.full", directory=directory, why=_told(error)) from error
        raise PullFailed("directory", "pull.directory", directory=directory, why=_told(error)) from error


def make_directory(directory: Path) -> None:
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)


def _told(error: OSError) -> Phrase | str:
    return Phrase("pull.at", path=error.filename, why=reason_of(error)) if error.filename else reason_of(error)


def _mib(count: int) -> str:
    return f"{count / 2**20:,.0f} MiB"
