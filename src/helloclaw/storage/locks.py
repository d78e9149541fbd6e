"""Locks between processes, held by the kernel and so freed by a crash, on every system (`filelock`)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from helloclaw.storage.atomic import private_directory

if TYPE_CHECKING:
    from filelock import BaseFileLock


class Busy(Exception):
    """Another process holds the lock. The text names the file."""


def hold(path: Path, *, timeout_s: float = 0.0) -> BaseFileLock:
    """Take the lock at `path`, waiting up to `timeout_s`. Release it with `.release()`.

    Raises `Busy`, or `OSError` if the lock file can't be made.
    """
    from filelock import FileLock, Timeout

    private_directory(path.parent)
    # A session is opened in a thread and closed in another: the lock is the process's, not the thread's.
    lock = FileLock(path, timeout=timeout_s, mode=0o600, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise Busy(str(path)) from error
    return lock
