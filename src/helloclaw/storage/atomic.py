"""Replace a file whole or not at all, so that no crash leaves half of one."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

PRIVATE_DIR = 0o700
PRIVATE_FILE = 0o600


def replace_file(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Write `data` to a temporary file beside `path`, fsync it, and rename it over `path`.

    `mode` is the new file's permission bits; None keeps the old file's, or the umask's default for a new one.
    Raises `OSError`; then `path` is as it was and the temporary file is gone.
    """
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:64]}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _mode_for(path) if mode is None else mode)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    """Make a rename or a new file in `directory` survive a power cut. Windows has no such thing."""
    if os.name == "nt":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def private_directory(path: Path) -> Path:
    """Make `path` and its missing parents, each 0700. Raises `OSError`."""
    missing = [parent for parent in (path, *path.parents) if not parent.exists()]
    for directory in reversed(missing):
        with contextlib.suppress(FileExistsError):
            directory.mkdir(mode=PRIVATE_DIR)
    if not path.is_dir():
        raise NotADirectoryError(20, "Not a directory", str(path))
    return path


def _mode_for(path: Path) -> int:
    try:
        return path.stat().st_mode & 0o7777
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask
