"""The schedules of one process, its own and the durable ones of its directory: what fires, each occurrence once.

Of all processes in a directory one fires the durable ones, the holder of a lock that the kernel frees when it dies. The
others may list, add and remove.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct

from helloclaw.i18n import Phrase
from helloclaw.schedule.claims import Claims, Line
from helloclaw.schedule.expression import Expression
from helloclaw.schedule.job import Firing, Job, Past, expires_at, firing, next_due
from helloclaw.schedule.store import FOLDER, ScheduleError, Store
from helloclaw.schedule.zone import local_zone
from helloclaw.storage.atomic import private_directory
from helloclaw.storage.locks import Busy, hold

if TYPE_CHECKING:
    from filelock import BaseFileLock

LOCK = "cron.lock"
MOST_OWN = 50
LONGEST_PROMPT = 8_000
_WARNED_BEFORE = timedelta(days=1)


class Entry(Struct, frozen=True, kw_only=True):
    """A job and when it fires next, None if never again."""

    job: Job
    next: datetime | None


class Ticked(Struct, frozen=True, kw_only=True):
    """What is to be delivered now, and what a person should know."""

    firings: tuple[Firing, ...] = ()
    notices: tuple[Phrase, ...] = ()


class Schedules:
    """Use it from one thread at a time. Methods raise `ScheduleError`, `BadExpression`, `OSError`, `Busy`."""

    def __init__(
        self,
        workdir: Path,
        *,
        trusted: Callable[[], bool],
        changed: Callable[[bytes | None, bytes], None] = lambda _, __: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        zone: Callable[[], tzinfo] = local_zone,
    ) -> None:
        """`trusted`: the directory's durable schedules count. `changed` is told when this process has changed them."""
        self._store = Store(workdir, changed)
        self._claims = Claims(workdir / FOLDER)
        self._trusted = trusted
        self._now = now
        self._zone = zone
        self._own: dict[str, Job] = {}
        self._pasts: dict[str, Past] = {}
        self._lock: BaseFileLock | None = None
        self._lock_inode = 0
        self._warned: set[str] = set()

    def create(
        self,
        cron: str,
        prompt: str,
        *,
        recurring: bool = True,
        durable: bool = False,
        auto_run: bool = False,
        tz: str = "",
    ) -> Entry:
        """Schedule a prompt."""
        expression = Expression(cron)
        text = prompt.strip()
        if not text or len(text) > LONGEST_PROMPT:
            raise ScheduleError("cron.bad_prompt", limit=LONGEST_PROMPT)
        job = Job(
            id=secrets.token_hex(4),
            cron=expression.text,
            prompt=text,
            created_at=self._now().timestamp(),
            recurring=recurring,
            durable=durable,
            auto_run=auto_run,
            tz=tz,
        )
        self._zone_of(job, strict=True)
        if not durable:
            if len(self._own) >= MOST_OWN:
                raise ScheduleError("cron.too_many", limit=MOST_OWN)
            self._own[job.id] = job
        elif not self._trusted():
            raise ScheduleError("cron.untrusted")
        else:
            self._store.add(job)
        return self._entry(job, Past())

    def listing(self) -> tuple[Entry, ...]:
        """All, those of this process first. It changes nothing."""
        pasts = self._claims.pasts()
        own = [self._entry(job, self._pasts.get(job.id, Past())) for job in self._own.values()]
        return (*own, *(self._entry(job, pasts.get(job.id, Past())) for job in self._durable()))

    def remove(self, *ids: str) -> tuple[Job, ...]:
        """Those that were there."""
        gone = [self._own.pop(each) for each in ids if each in self._own]
        left = [each for each in ids if each not in {job.id for job in gone}]
        if left and any(job.id in left for job in self._durable()):
            gone += self._store.remove(*left)
        return tuple(gone)

    def remove_durable(self, job: str) -> tuple[Job, ...]:
        """Also where nothing is trusted: to take away is always right."""
        return self._store.remove(job)

    def clear(self, *, durable: bool) -> int:
        """Remove those of this process, and on wish the durable ones; how many there were."""
        ids = [*self._own, *((job.id for job in self._durable()) if durable else ())]
        return len(self.remove(*ids))

    def tick(self) -> Ticked:
        """Claim what is due now."""
        now, found, notices = self._now(), list[Firing](), list[Phrase]()
        for job in tuple(self._own.values()):
            past = self._pasts.get(job.id, Past())
            if (each := firing(job, past, now, self._zone_of(job))) is not None:
                self._pasts[job.id] = Past(claimed=(*past.claimed, each.at)[-64:])
                if not job.recurring:
                    del self._own[job.id]
                found.append(each)
        if self._trusted():
            if (problem := self._store.rescue()) is not None:
                notices.append(problem)
            if self._holds_lock(found):
                found += self._due(now, notices)
        return Ticked(firings=tuple(found), notices=tuple(notices))

    def delivered(self, each: Firing) -> None:
        """A model call that carries it has begun: it needs not be brought again."""
        if not each.job.durable:
            return
        self._claims.deliver(each.job.id, each.at)
        if not each.job.recurring:
            self._store.remove(each.job.id)

    def close(self) -> None:
        """Let another process fire."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _due(self, now: datetime, notices: list[Phrase]) -> list[Firing]:
        found: list[Firing] = []
        pasts = self._claims.pasts()
        for job in self._durable():
            ends = expires_at(job)
            if ends is not None and now >= ends:
                self._store.remove(job.id)
                notices.append(Phrase("cron.expired", id=job.id, prompt=_short(job.prompt)))
                continue
            if ends is not None and now >= ends - _WARNED_BEFORE and job.id not in self._warned:
                self._warned.add(job.id)
                notices.append(Phrase("cron.expires", id=job.id, prompt=_short(job.prompt)))
            each = firing(job, pasts.get(job.id, Past()), now, self._zone_of(job))
            if each is not None and self._claims.claim(_line(each)):
                found.append(each)
        return found

    def _holds_lock(self, found: list[Firing]) -> bool:
        """Whether this process is the one that fires. Who becomes it brings what another one had claimed and left."""
        path = self._store.folder / LOCK
        if self._lock is not None and _inode(path) == self._lock_inode:
            return True
        self.close()  # somebody has removed the file: another process may hold a new one
        if not self._store.path.exists():
            return False
        try:
            private_directory(path.parent)
            self._lock = hold(path)
        except Busy:
            return False
        self._lock_inode = _inode(path)
        jobs = {job.id: job for job in self._durable()}
        found.extend(_again(line, jobs[line.id]) for line in self._claims.undelivered() if line.id in jobs)
        return True

    def _durable(self) -> tuple[Job, ...]:
        return self._store.jobs() if self._trusted() else ()

    def _entry(self, job: Job, past: Past) -> Entry:
        return Entry(job=job, next=next_due(job, past, self._now(), self._zone_of(job)))

    def _zone_of(self, job: Job, *, strict: bool = False) -> tzinfo:
        if not job.tz:
            return self._zone()
        try:
            return ZoneInfo(job.tz)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            if strict:
                raise ScheduleError("cron.bad_zone", zone=job.tz[:60]) from error
            return self._zone()


def _line(each: Firing) -> Line:
    return Line(each.job.id, each.at, missed=each.missed, late=each.kind == "missed")


def _again(line: Line, job: Job) -> Firing:
    return Firing(job=job, at=line.at, kind="missed" if line.late else "due", missed=line.missed)


def _inode(path: Path) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def _short(prompt: str) -> str:
    line = " ".join(prompt.split())
    return line if len(line) <= 60 else f"{line[:59]}…"
