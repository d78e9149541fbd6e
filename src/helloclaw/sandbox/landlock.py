"""Landlock, where no namespaces are to be had: which rights a confined command has on which paths. Pure but for `abi`.

Landlock only grants, and a grant on a directory reaches all below it. So nothing can be made directly in a directory
that holds something protected: what is there beside that is granted one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from helloclaw.sandbox.profile import Profile, cover

LEAST_ABI = 3
"""Before Linux 6.2 a file that can't be written could still be truncated."""

# linux/landlock.h; the number after each is the ABI that brought it.
_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_CHAR, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 6, 1 << 7, 1 << 8
_MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM = 1 << 9, 1 << 10, 1 << 11, 1 << 12
_REFER, _TRUNCATE = 1 << 13, 1 << 14  # 2, 3
_WRITE = (
    _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_CHAR | _MAKE_DIR | _MAKE_REG | _MAKE_SOCK | _MAKE_FIFO
    | _MAKE_BLOCK | _MAKE_SYM | _REFER | _TRUNCATE
)  # fmt: skip
_FOR_FILES = _WRITE_FILE | _READ_FILE | _TRUNCATE
_BIND_TCP, _CONNECT_TCP = 1, 2  # 4
_ABSTRACT_UNIX_SOCKET, _SIGNAL = 1, 2  # 6
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")
_SOURCES = ("/dev/random", "/dev/urandom")


def ruleset(
    profile: Profile, abi: int, entries: Callable[[Path], Iterator[Path]], socket_filter: bytes | None
) -> dict[str, Any]:
    """What `confine.py` is to put in force: rights handled, and rules as pairs of a path and its rights."""
    without = (*profile.protected, *profile.missing)
    writable = (profile.temporary, *cover(profile.workdir, without, entries))
    # Of devices just those that lead nowhere: a terminal that is read tells what a person types.
    readable = cover(Path("/"), (*profile.hidden, Path("/dev")), entries)
    rules = [
        ("/", _READ_DIR),
        *((str(path), _READ_FILE) for path in readable),
        *((str(path), _WRITE) for path in writable),
        *((path, _READ_FILE | _WRITE_FILE | _TRUNCATE) for path in _DEVICES),
        *((path, _READ_FILE) for path in _SOURCES),
    ]
    return {
        "files": _WRITE | _READ_FILE | _READ_DIR,
        "for_files": _FOR_FILES,
        "network": _BIND_TCP | _CONNECT_TCP if abi >= 4 else 0,
        "scoped": _ABSTRACT_UNIX_SOCKET | _SIGNAL if abi >= 6 else 0,
        "rules": rules,
        "filter": (socket_filter or b"").hex(),
    }


def encoded(rules: dict[str, Any]) -> bytes:
    return msgspec.json.encode(rules)
