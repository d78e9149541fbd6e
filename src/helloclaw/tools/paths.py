"""Paths as the model writes them, and opening what they name without being led elsewhere by a last-moment symlink.

It does not judge who may touch what: that is the permissions' business, on the same resolved path.
"""

from __future__ import annotations

import difflib
import errno
import os
import stat
import unicodedata
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from helloclaw.permissions.verdict import Call
from helloclaw.tools.base import ToolError
from helloclaw.tools.context import Approval

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
# A FIFO or a terminal swapped in after the check must not block us, nor become our controlling terminal.
_READ_FLAGS = os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_LISTED = 20


def resolve_path(raw: str, cwd: Path) -> Path:
    """The absolute path that `raw` ends at: `~` expanded, relative to `cwd`, every symlink followed.

    The file need not exist. Raises `ToolError` for a path that can't name anything.
    """
    if not raw or not raw.strip():
        raise ToolError("path is empty; give a file's path, relative to the current directory or absolute")
    if "\0" in raw:
        raise ToolError("path contains a NUL character; give the path without it")
    try:
        raw.encode("utf-8", "surrogateescape")
        expanded = Path(raw).expanduser()
    except UnicodeEncodeError:
        raise ToolError(f"path {raw!r} is not valid text; give it again") from None
    except RuntimeError:
        raise ToolError(f"{raw}: no such user to expand ~ for; give an absolute path") from None
    try:
        return Path(os.path.realpath(cwd / expanded))
    except OSError as error:
        raise os_failure(error, cwd / expanded, "resolve") from error


def approval_of(call: Call, cwd: Path) -> Approval:
    """Where a call would act now: taken before the decision, it is what the decision is about. Raises `ToolError`."""
    return Approval(paths=frozenset(resolve_path(raw, cwd) for raw in (*call.reads, *call.writes)), cwd=cwd)


def shown(path: Path, cwd: Path) -> str:
    """`path` as the model should see it: relative where it lies below `cwd`."""
    try:
        return str(path.relative_to(cwd))
    except ValueError:
        return str(path)


@contextmanager
def open_regular(path: Path) -> Generator[BinaryIO]:
    """Open the resolved `path` for reading, if it is a regular file and still the one that was resolved.

    Raises `ToolError` for anything else, so that neither a device nor a swapped symlink is ever read.
    """
    try:
        kind = os.lstat(path).st_mode
    except OSError as error:
        raise _missing(path) if isinstance(error, FileNotFoundError) else os_failure(error, path, "read") from error
    _require_regular(kind, path)
    try:
        handle = os.open(path, _READ_FLAGS)
    except OSError as error:
        raise os_failure(error, path, "read") from error
    with os.fdopen(handle, "rb") as stream:
        _require_regular(os.fstat(handle).st_mode, path)
        _require_same_place(handle, path)
        yield stream


@contextmanager
def pinned_parent(path: Path) -> Generator[Path]:
    """A path that names `path` through an open handle on its directory, which no rename can lead elsewhere any more.

    Raises `ToolError` when the directory is not the one that was resolved. Without `/proc`, the path itself.
    """
    if not os.path.isdir("/proc/self/fd"):
        yield path
        return
    try:
        handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | _NO_FOLLOW)
    except OSError as error:
        raise os_failure(error, path.parent, "open") from error
    try:
        _require_same_place(handle, path.parent)
        yield Path(f"/proc/self/fd/{handle}") / path.name
    finally:
        os.close(handle)


def os_failure(error: OSError, path: Path, doing: str) -> ToolError:
    """What the operating system refused, as a text with the path, the reason and what to do."""
    reason = error.strerror or str(error)
    advice = {
        errno.ENOSPC: "free some space or choose another disk; the file is as it was",
        errno.EDQUOT: "the disk quota is used up; free some space; the file is as it was",
        errno.EROFS: "choose a place that can be written",
        errno.EACCES: "its permissions forbid it; choose another place or ask the person",
        errno.EPERM: "the system forbids it; choose another place or ask the person",
        errno.ELOOP: "a symlink is in the way, or it was replaced just now; look at it with `ls -l`",
        errno.ENAMETOOLONG: "use a shorter name",
        errno.ENOTDIR: "a part of the path is a file, not a directory",
        errno.EISDIR: "it is a directory; name a file",
        errno.EFBIG: "the file would be larger than allowed; write less",
        errno.ENOENT: "check the path",
    }.get(error.errno or 0, "check the path")
    return ToolError(f"cannot {doing} {path}: {reason}; {advice}")


def _require_regular(mode: int, path: Path) -> None:
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise ToolError(f"{path} is a directory, not a file. {_listing(path)}")
    if stat.S_ISLNK(mode):
        raise ToolError(f"{path} was replaced by a symlink just now; look at it with `ls -l` and try again")
    raise ToolError(f"{path} is {_kind(mode)}, not a regular file; it is not opened")


def _require_same_place(handle: int, path: Path) -> None:
    """Refuse when a directory above was replaced by a symlink between resolving and opening."""
    try:
        actual = os.readlink(f"/proc/self/fd/{handle}")
    except OSError:  # no /proc: O_NOFOLLOW has guarded the last component
        return
    # Deleted or replaced whole since it was opened, as an editor saves: still what was opened.
    if actual.removesuffix(" (deleted)") != str(path).removesuffix(" (deleted)"):
        raise ToolError(f"{path} was moved or replaced while it was being opened; look at it and try again")


def _kind(mode: int) -> str:
    for test, name in (
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a character device"),
        (stat.S_ISBLK, "a block device"),
    ):
        if test(mode):
            return name
    return "a special file"


def _listing(directory: Path) -> str:
    try:
        names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in os.scandir(directory))
    except OSError as error:
        return f"It can't be listed: {error.strerror}."
    if not names:
        return "It is empty."
    more = f" and {len(names) - _LISTED} more (list them with `ls`)" if len(names) > _LISTED else ""
    return f"It holds: {', '.join(names[:_LISTED])}{more}"


def _missing(path: Path) -> ToolError:
    parent = path.parent
    if not parent.is_dir():
        nearest = next(above for above in parent.parents if above.is_dir())
        return ToolError(f"{path} does not exist, nor does its directory; the nearest that does is {nearest}")
    near = near_names(path.name, parent)
    hint = f"did you mean {' or '.join(near)}?" if near else f"nothing in {parent} has a similar name"
    return ToolError(f"{path} does not exist; {hint}")


def near_names(name: str, directory: Path) -> list[str]:
    """Up to three names in `directory` that could have been meant: alike, or equal but for case or Unicode form."""
    try:
        names = os.listdir(directory)
    except OSError:
        return []
    folded = {other: unicodedata.normalize("NFKC", other).casefold() for other in names}
    wanted = unicodedata.normalize("NFKC", name).casefold()
    same = sorted(other for other, form in folded.items() if form == wanted)
    alike = difflib.get_close_matches(wanted, folded.values(), n=3, cutoff=0.6)
    by_likeness = sorted(
        (other for other in names if folded[other] in alike), key=lambda other: alike.index(folded[other])
    )
    return list(dict.fromkeys(same + by_likeness))[:3]
