"""What stands between a pull and a half-written file: the lock, room on the disk, and errors a person can act on."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

_MARGIN_BYTES = 32 * 2**20

PullFailureKind = Literal["unknown", "busy", "disk", "directory", "offline", "checksum", "not_gguf"]


class PullFailed(Exception):
    """The weights are not there (yet). The text names what and where, `hint` the next step. What came is kept."""

    def __init__(self, kind: PullFailureKind, message: str, hint: str) -> None:
        super().__init__(message)
        self.kind: PullFailureKind = kind
        self.hint = hint


@contextmanager
def alone(directory: Path, name: str) -> Generator[None]:
    """Hold the kernel's lock on these weights: two pulls would write into the same file. Raises `PullFailed`."""
    from filelock import FileLock, Timeout

    lock = FileLock(directory / f".{name}.lock", timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout as error:
        raise PullFailed(
            "busy",
            f"another process is pulling {name} into {directory}",
            "Wait for it, or stop it and run this again: what it has fetched is kept.",
        ) from error
    try:
        yield
    finally:
        lock.release()


def need_room(needed: int, directory: Path, what: str) -> None:
    """Raises `PullFailed` unless `needed` bytes and a margin are free in `directory`."""
    needed += _MARGIN_BYTES
    free = shutil.disk_usage(directory).free
    if free < needed:
        raise _no_room(directory, f"{what} needs {_mib(needed)}, {_mib(free)} are free in {directory}")


@contextmanager
def writing_to(directory: Path) -> Generator[None]:
    """Turn what the file system says into what a person can do about it. Raises `PullFailed`."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise _no_room(directory, str(error)) from error
        raise PullFailed(
            "directory",
            f"weights can't be written to {directory}: {error}",
            "Make it writable, or name another directory: HELLOCLAW_MODELS=/other/disk helloclaw model pull",
        ) from error


def make_directory(directory: Path) -> None:
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)


def _no_room(directory: Path, message: str) -> PullFailed:
    return PullFailed(
        "disk",
        f"not enough disk space: {message}",
        f"Free some space and run it again (what came is kept), or name another directory than {directory}: "
        f"HELLOCLAW_MODELS=/other/disk helloclaw model pull",
    )


def _mib(count: int) -> str:
    return f"{count / 2**20:,.0f} MiB"
