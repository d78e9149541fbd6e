"""A text file that a person, an editor or a stranger left somewhere: read without being led astray or kept waiting."""

from __future__ import annotations

import codecs
import errno
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from helloclaw.i18n import SpokenError
from helloclaw.i18n.system import reason_of

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_SETTLED_NS = 2_000_000_000
"""A file that changed less than this ago may change again within the same tick of its clock."""
_MOST_REPLACED = 0.1
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class BadFile(SpokenError):
    """Something is there that is no text file, or can't be read."""

    blame = "world"


class Text(NamedTuple):
    """A file's text with line feeds only; `lossy` if bytes that are no UTF-8 were replaced by U+FFFD."""

    text: str
    lossy: bool = False


class _Stamp(NamedTuple):
    """What is another once the file is another."""

    device: int
    inode: int
    bytes: int
    modified_ns: int
    changed_ns: int


def read_text(path: Path, *, limit_bytes: int) -> Text:
    """Read it whole. A symbolic link is an error.

    Raises `FileNotFoundError`, `BadFile`.
    """
    try:
        stamp_of(path)  # Before it is opened: to open some devices is to do something.
        handle = os.open(path, _FLAGS)
        with os.fdopen(handle, "rb") as stream:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise BadFile("workspace.is_special", path=shown(path))
            data = stream.read(limit_bytes + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _bad(path, error) from error
    if len(data) > limit_bytes:
        raise BadFile("workspace.too_large", path=shown(path), limit=limit_bytes >> 10)
    text = decoded(data)
    if text is None:
        raise BadFile("workspace.no_text", path=shown(path))
    return text


def decoded(data: bytes) -> Text | None:
    """The text; None for what is none. Pure."""
    try:
        text = Text(data.decode("utf-16")) if data.startswith(_UTF16) else _utf8(data)
    except UnicodeDecodeError:
        return None
    if "\0" in text.text or text.text.count("\ufffd") > _MOST_REPLACED * len(text.text):
        return None
    return text._replace(text=text.text.replace("\r\n", "\n").replace("\r", "\n"))


def _utf8(data: bytes) -> Text:
    try:
        return Text(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Text(data.decode("utf-8-sig", "replace"), lossy=True)


def stamp_of(path: Path) -> _Stamp:
    """Raises `OSError`, and `BadFile` for what is no regular file."""
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        raise BadFile("workspace.is_link", path=shown(path))
    if not stat.S_ISREG(status.st_mode):
        raise BadFile("workspace.is_special", path=shown(path))
    return _Stamp(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


class KeptTexts:
    """Files that are as they were are not read again: a look costs a system call each."""

    def __init__(self, *, limit_bytes: int, clock_ns: Callable[[], int] = time.time_ns) -> None:
        self._limit_bytes = limit_bytes
        self._clock_ns = clock_ns
        self._kept: dict[Path, tuple[_Stamp, Text]] = {}

    def read(self, path: Path) -> Text:
        """Raises as `read_text` does."""
        try:
            stamp = stamp_of(path)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise _bad(path, error) from error
        if (kept := self._kept.get(path)) is not None and kept[0] == stamp:
            return kept[1]
        text = read_text(path, limit_bytes=self._limit_bytes)
        if self._clock_ns() - max(stamp.modified_ns, stamp.changed_ns) >= _SETTLED_NS:
            self._kept[path] = (stamp, text)
        return text


def shown(path: Path) -> str:
    """A path as part of one line; what can't be seen in it is replaced."""
    return "".join(char if char.isprintable() else "?" for char in str(path))[:400]


def _bad(path: Path, error: OSError) -> BadFile:
    if error.errno in (errno.ELOOP, errno.EMLINK):
        return BadFile("workspace.is_link", path=shown(path))
    return BadFile("workspace.unreadable", path=shown(path), why=reason_of(error))
