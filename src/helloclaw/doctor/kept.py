"""What is kept on disk: the home directory, locks between processes, sessions and the room for more of them."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from helloclaw.doctor.check import Check, Ground
from helloclaw.i18n import Phrase
from helloclaw.i18n.system import reason_of
from helloclaw.storage.journal import JournalError, scan
from helloclaw.storage.locks import Busy, hold

_LEAST_FREE_BYTES = 200 * 1024 * 1024
_LOOK_S = 1.5
"""Seconds for reading journals, the latest first: a large collection is looked at only so far."""


def home(ground: Ground) -> Sequence[Check]:
    root = ground.home.root
    if os.path.lexists(root) and not root.is_dir():
        what, fix = Phrase("doctor.home.file", path=str(root)), Phrase("doctor.home.file.fix")
        return (Check(name="home", state="fail", what=what, fix=fix),)
    place = _existing(root)
    try:
        with tempfile.TemporaryDirectory(prefix=".doctor-", dir=place) as made:
            (Path(made) / "file").write_bytes(b"x")
    except OSError as error:
        what = Phrase("doctor.home.unwritable", path=str(place), error=reason_of(error))
        return (Check(name="home", state="fail", what=what, fix=Phrase("doctor.home.unwritable.fix", path=str(place))),)
    key = "doctor.home.ok" if place == root else "doctor.home.new"
    return (Check(name="home", state="ok", what=Phrase(key, path=str(root))),)


def locks(ground: Ground) -> Sequence[Check]:
    """Whether a lock that is held really keeps another one out."""
    place = _existing(ground.home.root)
    try:
        with tempfile.TemporaryDirectory(prefix=".doctor-", dir=place) as made:
            first = hold(Path(made) / "lock")
            try:
                hold(Path(made) / "lock").release()
            except Busy:
                return (Check(name="locks", state="ok", what=Phrase("doctor.locks.ok")),)
            finally:
                first.release()
    except OSError as error:
        what = Phrase("doctor.locks.none", path=str(place), error=reason_of(error))
        return (Check(name="locks", state="fail", what=what, fix=Phrase("doctor.locks.fix")),)
    what = Phrase("doctor.locks.void", path=str(place))
    return (Check(name="locks", state="fail", what=what, fix=Phrase("doctor.locks.fix")),)


def sessions(ground: Ground) -> Sequence[Check]:
    return (_journals(ground.home.sessions), *_room(_existing(ground.home.root)))


def _journals(directory: Path) -> Check:
    try:
        paths = sorted(directory.glob("*.jsonl"), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError as error:
        what = Phrase("doctor.sessions.unreadable", path=str(directory), error=reason_of(error))
        return Check(name="sessions", state="fail", what=what, fix=Phrase("doctor.sessions.unreadable.fix"))
    damaged, looked_at = _damaged(paths)
    if damaged:
        names = ", ".join(path.name for path in damaged[:3]) + (" …" if len(damaged) > 3 else "")
        what = Phrase("doctor.sessions.damaged", count=len(damaged), names=names)
        return Check(name="sessions", state="warn", what=what, fix=Phrase("doctor.sessions.damaged.fix"))
    key = "doctor.sessions.ok" if looked_at == len(paths) else "doctor.sessions.some"
    return Check(name="sessions", state="ok", what=Phrase(key, count=len(paths), looked_at=looked_at))


def _damaged(paths: list[Path]) -> tuple[list[Path], int]:
    """Journals that lost something, and how many were looked at. A torn last line is mended when one is resumed."""
    damaged: list[Path] = []
    until = time.monotonic() + _LOOK_S
    for count, path in enumerate(paths):
        if time.monotonic() > until:
            return damaged, count
        try:
            if scan(path).damaged:
                damaged.append(path)
        except (JournalError, OSError):
            damaged.append(path)
    return damaged, len(paths)


def _room(place: Path) -> Sequence[Check]:
    free = shutil.disk_usage(place).free
    if free >= _LEAST_FREE_BYTES:
        return ()
    what = Phrase("doctor.sessions.full", path=str(place), megabytes=free // 2**20)
    return (Check(name="sessions", state="warn", what=what, fix=Phrase("doctor.sessions.full.fix")),)


def _existing(path: Path) -> Path:
    """The path, or the nearest of its parents that is there."""
    return next(each for each in (path, *path.parents) if each.is_dir())
