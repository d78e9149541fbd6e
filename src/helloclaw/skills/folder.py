"""Files that somebody dropped into a folder: looked at without being led out of it, kept waiting or overwhelmed."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Literal, NamedTuple

_SETTLED_NS = 2_000_000_000
"""A file that changed less than this ago may change again within the same tick of its clock."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)


class Stamp(NamedTuple):
    """What is another once the file is another."""

    device: int
    inode: int
    bytes: int
    modified_ns: int
    changed_ns: int

    def is_settled(self, now_ns: int) -> bool:
        """Whether the same stamp, seen again, will mean the same content."""
        return now_ns - max(self.modified_ns, self.changed_ns) >= _SETTLED_NS


def stamp_of(path: str, folder: str, limit_bytes: int) -> Stamp | Literal["outside", "too_long"]:
    """`outside` for what is no regular file within `folder`, links followed. Raises `OSError`.

    No link to a directory may have been followed on the way from `folder` to `path`.
    """
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode) or (os.path.islink(path) and not is_inside(path, folder)):
        return "outside"
    if status.st_size > limit_bytes:
        return "too_long"
    return Stamp(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def is_inside(path: str, folder: str) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def text_of(path: str, limit_bytes: int) -> str | None:
    """A file's text with line feeds only; None if it is not UTF-8. Raises `OSError`, also for more than the limit."""
    handle = os.open(path, _FLAGS)
    with os.fdopen(handle, "rb") as stream:
        # It may be another one than was looked at by now.
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
        content = stream.read(limit_bytes + 1)
    if len(content) > limit_bytes:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        return None
