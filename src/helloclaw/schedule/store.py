"""The durable schedules of a directory, `.claude/scheduled_tasks.json`: read by all, changed by each under a lock.

It says what would run by itself, so that it counts only in a directory that a person trusts. Nothing that fires changes
it; that is in the claims beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from helloclaw.i18n import Phrase, SpokenError
from helloclaw.schedule.expression import BadExpression, Expression
from helloclaw.schedule.job import Job
from helloclaw.storage.atomic import PRIVATE_FILE, private_directory, replace_file
from helloclaw.storage.locks import hold

if TYPE_CHECKING:  # imported when it is used
    from filelock import BaseFileLock

FOLDER = ".claude"
NAME = "scheduled_tasks.json"
MOST_JOBS = 100
LARGEST_BYTES = 1024 * 1024
_LOCK_WAIT_S = 10.0


class ScheduleError(SpokenError):
    """The schedules can't be read or changed."""


class _File(Struct, frozen=True, kw_only=True):
    version: int = 1
    tasks: tuple[Job, ...] = ()


class Store:
    """Methods raise `ScheduleError`, `OSError`, `Busy`. `changed` is told the file's bytes before and after."""

    def __init__(self, workdir: Path, changed: Callable[[bytes | None, bytes], None] = lambda _, __: None) -> None:
        self.folder = workdir / FOLDER
        self.path = self.folder / NAME
        self._changed = changed

    def jobs(self) -> tuple[Job, ...]:
        """As they are now; one whose expression makes no sense is passed over."""
        return _jobs(self._read())

    def add(self, job: Job) -> None:
        def more(jobs: tuple[Job, ...]) -> tuple[Job, ...]:
            if len(jobs) >= MOST_JOBS:
                raise ScheduleError("cron.too_many", limit=MOST_JOBS)
            return (*jobs, job)

        self._change(more)

    def remove(self, *ids: str) -> tuple[Job, ...]:
        """Those that were there."""
        gone: list[Job] = []

        def fewer(jobs: tuple[Job, ...]) -> tuple[Job, ...]:
            gone.extend(job for job in jobs if job.id in ids)
            return tuple(job for job in jobs if job.id not in ids)

        self._change(fewer)
        return tuple(gone)

    def rescue(self) -> Phrase | None:
        """If the file is broken, keep it aside and begin anew; what to tell of that."""
        try:
            self._read()
        except ScheduleError:
            lock = self._lock()
            try:
                aside = self.path.with_name(f"{NAME}.corrupt-{int(time.time())}")
                self.path.rename(aside)
            finally:
                lock.release()
            return Phrase("cron.corrupt", path=self.path, aside=aside.name)
        return None

    def _change(self, edit: Callable[[tuple[Job, ...]], tuple[Job, ...]]) -> None:
        """Also of jobs that this program does not understand nothing is lost."""
        private_directory(self.folder)
        lock = self._lock()
        try:
            before = self._read()
            jobs = _decoded(before, self.path).tasks if before is not None else ()
            after = msgspec.json.format(msgspec.json.encode(_File(tasks=edit(jobs))), indent=2) + b"\n"
            replace_file(self.path, after, mode=PRIVATE_FILE)
            self._changed(before, after)
        finally:
            lock.release()

    def _lock(self) -> BaseFileLock:
        return hold(self.folder / f"{NAME}.lock", timeout_s=_LOCK_WAIT_S)

    def _read(self) -> bytes | None:
        if self.path.is_symlink() or (self.path.exists() and not self.path.is_file()):
            raise ScheduleError("cron.no_file", path=self.path)
        try:
            with self.path.open("rb") as stream:
                data = stream.read(LARGEST_BYTES + 1)
        except FileNotFoundError:
            return None
        if len(data) > LARGEST_BYTES:
            raise ScheduleError("cron.broken", path=self.path)
        _decoded(data, self.path)
        return data


def _decoded(data: bytes, path: Path) -> _File:
    try:
        return msgspec.json.decode(data, type=_File)
    except msgspec.MsgspecError as error:
        raise ScheduleError("cron.broken", path=path) from error


def _jobs(data: bytes | None) -> tuple[Job, ...]:
    jobs = msgspec.json.decode(data, type=_File).tasks if data is not None else ()
    return tuple(job for job in jobs if _makes_sense(job))


def _makes_sense(job: Job) -> bool:
    try:
        Expression(job.cron)
    except BadExpression:
        return False
    return True
