"""What is scheduled, and when it is due: pure functions of a job, what is known of its past, and a moment.

Every occurrence has an instant, that of its expression. It fires once, at that instant or up to four minutes later.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import islice
from typing import Literal

from msgspec import Struct

from helloclaw.schedule.expression import Expression

GRACE = timedelta(seconds=90)
"""Who looks so late is still in time."""
LOOK_BACK = timedelta(hours=24)
EXPIRES_AFTER = timedelta(days=7)
_MOST_COUNTED = 2_000
_CLOCK_WAS_WRONG = timedelta(hours=25)

Kind = Literal["due", "missed"]


class Job(Struct, frozen=True, kw_only=True):
    """A prompt and its times. `tz` is a name of the zone database, empty for the machine's zone.

    `created_at` is in seconds since 1970. `durable` ones are kept in a file; recurring ones of these end after a week.
    `auto_run`: an agent of its own runs it.
    """

    id: str
    cron: str
    prompt: str
    created_at: float
    recurring: bool = True
    durable: bool = False
    auto_run: bool = False
    tz: str = ""


class Past(Struct, frozen=True, kw_only=True):
    """What is known of a job: the instants that were claimed, in seconds since 1970, the latest of them last."""

    claimed: tuple[float, ...] = ()

    @property
    def last(self) -> float | None:
        return self.claimed[-1] if self.claimed else None


class Firing(Struct, frozen=True, kw_only=True):
    """An occurrence that is to be claimed and delivered. `missed` earlier ones came to nothing.

    `kind`: `due` in time, `missed` when nobody was there for it.
    """

    job: Job
    at: float
    kind: Kind
    missed: int = 0


def jitter(job: Job) -> timedelta:
    """One to four minutes for a recurring job at minute 0 or 30, the same each time, so that not all fire at once."""
    if not job.recurring or not Expression(job.cron).is_on_the_hour:
        return timedelta()
    return timedelta(minutes=1 + zlib.crc32(job.cron.encode()) % 4)


def firing(job: Job, past: Past, now: datetime, zone: tzinfo) -> Firing | None:
    """What is to fire at `now`, which is aware; None if nothing is. Claiming what it says makes it not fire again."""
    since = _since(job, past, now)
    delay = jitter(job)
    looked = max(since, now - LOOK_BACK) if job.recurring else since
    instants = [
        each
        for each in islice(_until(Expression(job.cron), looked, now - delay, zone), _MOST_COUNTED)
        if each.timestamp() not in past.claimed
    ]
    if not job.recurring:
        instants = instants[:1]
    if not instants:
        return None
    latest = instants[-1]
    kind: Kind = "due" if now - (latest + delay) <= GRACE else "missed"
    return Firing(job=job, at=latest.timestamp(), kind=kind, missed=len(instants) - (kind == "due"))


def next_due(job: Job, past: Past, now: datetime, zone: tzinfo) -> datetime | None:
    """When it fires next, after `now` or what was claimed already, jitter included."""
    since = max(now, _since(job, past, now))
    if not job.recurring and past.claimed:
        return None
    found = next(iter(Expression(job.cron).after(since, zone)), None)
    return found.astimezone(UTC) + jitter(job) if found else None


def expires_at(job: Job) -> datetime | None:
    """When a durable recurring job ends; None for what does not."""
    if not (job.durable and job.recurring):
        return None
    return datetime.fromtimestamp(job.created_at, UTC) + EXPIRES_AFTER


def _since(job: Job, past: Past, now: datetime) -> datetime:
    """From when on occurrences count: what was claimed last, or when the job was made.

    A clock that had run far ahead must not silence a job until it gets there: then the time is now, and what was
    claimed meanwhile is left out one by one.
    """
    last = datetime.fromtimestamp(past.last if past.last is not None else job.created_at, UTC)
    return now if last - now > _CLOCK_WAS_WRONG else last


def _until(expression: Expression, since: datetime, until: datetime, zone: tzinfo) -> Iterator[datetime]:
    for each in expression.after(since, zone):
        if each.astimezone(UTC) > until.astimezone(UTC):
            return
        yield each.astimezone(UTC)
