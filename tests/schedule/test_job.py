"""When jobs fire: years of them, through changes of clocks, suspended laptops and deaths of processes."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from zoneinfo import ZoneInfo

import pytest

from helloclaw.schedule.expression import Expression
from helloclaw.schedule.job import GRACE, LOOK_BACK, Job, Past, expires_at, firing, jitter, next_due

DAILY = (
    "30 2 * * *", "0 9 * * 1-5", "0 0 1 * *", "0 12 29 2 *", "30 14 * * *", "45 23 * * 0", "0 3 * * *", "59 1 * * *",
    "1 0 * * *", "20 4 * * 6", "0 6 1,15 * *", "33 3 3 3 *", "0 22 * * 5", "17 11 * * *",
)  # fmt: skip
OFTEN = ("*/5 * * * *", "0 * * * *", "15 1,2,3 * * *", "7 */6 * * *", "5,35 9-17 * * 1-5", "10 */2 * * *")
START = datetime(2026, 1, 1, tzinfo=UTC)


def job(cron: str, **more: object) -> Job:
    return Job(id="j", cron=cron, prompt="p", created_at=START.timestamp(), **more)  # pyright: ignore[reportArgumentType]


def occurrences(cron: str, since: datetime, until: datetime, zone: ZoneInfo) -> list[float]:
    """The oracle: every instant of an expression, counted from the beginning."""
    found = takewhile(lambda each: each <= until, Expression(cron).after(since, zone))
    return [each.timestamp() for each in found]


@pytest.mark.slow
@pytest.mark.parametrize(("zone", "years"), [("UTC", 2), ("Europe/Berlin", 10), ("America/New_York", 2)])
def test_years_of_twenty_jobs(zone: str, years: int) -> None:
    """Each occurrence fires in time, or is counted among the missed ones; none twice, however often one looks."""
    where = ZoneInfo(zone)
    chance = random.Random(zone)
    for cron in (*DAILY, *OFTEN):
        each, past, now = job(cron), Past(), START
        fired: list[float] = []
        accounted = 0
        # Of what comes often, the weeks around the changes of clocks say as much.
        limit = START + timedelta(days=365 * years if cron in DAILY else 5 if cron == "*/5 * * * *" else 100)
        while now < limit:
            due = next_due(each, past, now, where)
            if due is None or due > limit:
                break
            # Mostly somebody looks as soon as it is due; now and then nobody is there for a while.
            away = chance.random() < 0.05
            now = due + (
                timedelta(minutes=chance.randrange(5, 20 * 60)) if away else timedelta(seconds=chance.randrange(60))
            )
            found = firing(each, past, now, where)
            assert found is not None
            fired.append(found.at)
            accounted += 1 + found.missed if found.kind == "due" else found.missed
            past = Past(claimed=(*past.claimed, found.at)[-64:])
            assert chance.random() > 0.1 or firing(each, past, now, where) is None
        until = datetime.fromtimestamp(fired[-1], UTC) if fired else limit
        expected = occurrences(cron, START, until, where)
        assert len(set(fired)) == len(fired)
        assert set(fired) <= set(expected)
        assert accounted == len(expected)


def test_a_clock_that_is_set_back_doubles_nothing() -> None:
    each, past = job("*/10 * * * *"), Past()
    now = START + timedelta(hours=5)
    found = firing(each, past, now, UTC)
    assert found is not None
    past = Past(claimed=(found.at,))
    for back in (timedelta(minutes=25), timedelta(hours=3)):
        assert firing(each, past, now - back, UTC) is None
    assert firing(each, past, now + timedelta(minutes=10), UTC) is not None


def test_a_clock_that_ran_years_ahead_silences_nothing() -> None:
    each = job("0 9 * * *")
    ahead = firing(each, Past(), START + timedelta(days=9_000), UTC)
    assert ahead is not None
    past = Past(claimed=(ahead.at,))
    due = next_due(each, past, START, UTC)
    assert due is not None
    assert due - START < timedelta(days=1)
    assert firing(each, past, due, UTC) is None  # it counts from now on
    assert firing(each, past, due, UTC) is None


@pytest.mark.parametrize(
    ("away", "kind", "missed"),
    [
        (timedelta(0), "due", 0),
        (GRACE, "due", 0),
        (GRACE + timedelta(seconds=1), "missed", 1),
        (timedelta(hours=3), "due", 3),
        (timedelta(hours=3, minutes=10), "missed", 4),
        (LOOK_BACK + timedelta(days=4, minutes=10), "missed", 24),
    ],
)
def test_what_was_missed_is_counted_for_a_day_at_most(away: timedelta, kind: str, missed: int) -> None:
    each = job("7 * * * *")
    found = firing(each, Past(), START + timedelta(minutes=7) + away, UTC)
    assert found is not None
    assert (found.kind, found.missed) == (kind, missed)


def test_once_is_once_however_late() -> None:
    each = job("0 9 * * *", recurring=False)
    found = firing(each, Past(), START + timedelta(days=9), UTC)
    assert found is not None
    assert (found.kind, found.missed, found.at) == ("missed", 1, (START + timedelta(hours=9)).timestamp())
    assert next_due(each, Past(claimed=(found.at,)), START + timedelta(days=9), UTC) is None


def test_what_everybody_chooses_is_put_off_by_minutes_the_same_each_time() -> None:
    delays = {cron: jitter(job(cron)) for cron in ("0 9 * * *", "30 9 * * *", "0 10 * * *", "0 11 * * *", "30 1 * * *")}
    assert all(timedelta(minutes=1) <= delay <= timedelta(minutes=4) for delay in delays.values())
    assert delays == {cron: jitter(job(cron)) for cron in delays}
    assert len(set(delays.values())) > 1
    for cron in ("1 9 * * *", "*/30 * * * *", "0,30 * * * *"):
        assert jitter(job(cron)) == timedelta()
    assert jitter(job("0 9 * * *", recurring=False)) == timedelta()


def test_durable_ones_end_after_a_week() -> None:
    assert expires_at(job("0 9 * * *", durable=True)) == START + timedelta(days=7)
    assert expires_at(job("0 9 * * *", durable=True, recurring=False)) is None
    assert expires_at(job("0 9 * * *")) is None
