"""What a directory brings that would take effect once it is trusted, and a digest of each of these. It only looks."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, cast

import msgspec

FILES = (".env", ".hooks.json", ".claude/permissions.json", ".claude/scheduled_tasks.json", ".mcp.json")
TREES = (".claude/commands/", ".claude/skills/", "skills/")

_MOST_FILES = 5_000
_MOST_BYTES = 100 * 1024 * 1024
_UNREADABLE = ""


class _Unreadable(Exception):
    """Something is there that can't be read whole."""


def digests(directory: Path) -> dict[str, str]:
    """What waits, by name, with its SHA-256 in hexadecimal; "" for what can't be read or is more than can be looked at.

    Links count with what they lead to now. `.claude/permissions.json` waits only if it allows something: what it
    denies counts anyway.
    """
    found: dict[str, str] = {}
    for name in (*FILES, *TREES):
        path = directory / name
        try:
            # Files are all asked about before any is read: a directory with none of them costs a few system calls.
            # Where a file should be, an empty directory is what a sandbox puts there so that nobody makes the file.
            may_be_empty = name in TREES or path.is_dir()
            if not os.path.lexists(path) or (may_be_empty and not _holds_anything(path)):
                continue
            content = _file(path) if name in FILES else _tree(path)
        except (OSError, _Unreadable):
            found[name] = _UNREADABLE
            continue
        if name != ".claude/permissions.json" or _allows(content):
            found[name] = hashlib.sha256(content).hexdigest()
    return found


def is_digest(digest: str) -> bool:
    """Whether the content was read, so that a change would show."""
    return digest != _UNREADABLE


def _file(path: Path) -> bytes:
    """Raises `OSError`, and `_Unreadable` for what a read would wait for or never end with."""
    if not stat.S_ISREG(os.stat(path).st_mode) or path.stat().st_size > _MOST_BYTES:
        raise _Unreadable
    return path.read_bytes()


def _holds_anything(path: Path) -> bool:
    try:
        with os.scandir(path) as entries:
            return next(entries, None) is not None
    except NotADirectoryError:
        return False


def _tree(path: Path) -> bytes:
    """One text for all that a directory holds: names, whether they can be executed, and the content's digests."""
    lines: list[bytes] = []
    size = 0
    files = list(islice(_walk(path, "", frozenset()), _MOST_FILES + 1))
    if len(files) > _MOST_FILES:
        raise _Unreadable
    for name, each in sorted(files):
        status = os.stat(each)
        size += status.st_size
        if size > _MOST_BYTES:
            raise _Unreadable
        mark = b"x" if status.st_mode & 0o111 else b"-"
        lines.append(b"%s %s %s" % (mark, hashlib.sha256(_file(each)).hexdigest().encode(), os.fsencode(name)))
    return b"\0".join(lines)


def _walk(path: Path, prefix: str, above: frozenset[str]) -> Iterator[tuple[str, Path]]:
    """Every file below `path` with its name from there; links are followed, but never round in a circle."""
    real = os.path.realpath(path)
    if real in above:
        return
    with os.scandir(path) as entries:
        for entry in entries:
            name = f"{prefix}{entry.name}"
            if entry.is_dir():
                yield from _walk(path / entry.name, f"{name}/", above | {real})
            else:
                yield name, path / entry.name


def _allows(content: bytes) -> bool:
    """Whether a rule file allows anything; one that can't be understood may."""
    try:
        value: Any = msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf")) if content.strip() else {}
    except (msgspec.DecodeError, UnicodeDecodeError):
        return True
    return not isinstance(value, dict) or bool(cast("dict[str, Any]", value).get("allow"))
