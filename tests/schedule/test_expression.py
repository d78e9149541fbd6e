"""Cron expressions: when they are due, through every change of clocks, and what is wrong with those that are not."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.schedule.expression import BadExpression, Expression
from tests.cli.conftest import Program, program
from tests.support.corpus import corpus_file

__all__ = ["program"]

CASES = [json.loads(line) for line in corpus_file("cron.jsonl").read_text(encoding="utf-8").splitlines()]
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Casablanca")


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_corpus_from_outside(program: Program, case: dict[str, Any]) -> None:
    if case.get("error"):
        ended = program("cron", "next", "--json", "--", case["expr"])
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        return
    words = ["cron", "next", case["expr"], "--from", case["from"], "--tz", case["tz"], "--count", "4", "--json"]
    ended = program(*words)
    assert (ended.code, json.loads(ended.out)) == (0, case["next"])


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("60 * * * *", "minute"),
        ("* 24 * * *", "hour"),
        ("* * 32 * *", "day"),
        ("* * 0 * *", "day"),
        ("* * * 13 *", "month"),
        ("* * * * 8", "weekday"),
        ("* * * * MON#6", "weekday"),
        ("* * * * MON#1/2", "weekday"),
        ("1,,2 * * * *", "minute"),
        ("1- * * * *", "minute"),
        ("*/ * * * *", "minute"),
        ("１ * * * *", "minute"),
        ("* * * JANUARY *", "month"),
        ("-1 * * * *", "minute"),
        ("1.5 * * * *", "minute"),
        ("? * * * *", "minute"),
    ],
)
def test_the_field_that_is_wrong_is_named(text: str, field: str) -> None:
    with pytest.raises(BadExpression) as raised:
        Expression(text)
    assert raised.value.field == field


@pytest.mark.parametrize("text", ["", "@daily", "* * * *", "0 * * * * *", "* " * 200, "0 0 30 2 *", "0 0 31 4,6 *"])
def test_what_is_wrong_as_a_whole(text: str) -> None:
    with pytest.raises(BadExpression) as raised:
        Expression(text)
    assert raised.value.field in (None, "day")


@pytest.mark.parametrize(
    ("text", "after", "zone", "expected"),
    [
        # Two times in one gap meet at its end, once; what was repeated fires once.
        ("0,30 2 * * *", "2026-03-29T00:00", "Europe/Berlin",
         ["2026-03-29T03:00:00+02:00", "2026-03-30T02:00:00+02:00"]),
        ("30 2 * * *", "2026-10-25T02:15+01:00", "Europe/Berlin", ["2026-10-26T02:30:00+01:00"]),
        ("30 2 * * *", "2026-10-25T02:30+02:00", "Europe/Berlin", ["2026-10-26T02:30:00+01:00"]),
        ("0 12 * * 7", "2026-12-01T00:00", "UTC", ["2026-12-06T12:00:00+00:00"]),
        ("0 0 29 2 *", "2026-01-01T00:00", "UTC", ["2028-02-29T00:00:00+00:00", "2032-02-29T00:00:00+00:00"]),
        ("0 9 13 * 5", "2026-02-01T00:00", "UTC", ["2026-02-06T09:00:00+00:00", "2026-02-13T09:00:00+00:00"]),
        ("0 9 l * *", "2026-02-01T00:00", "UTC", ["2026-02-28T09:00:00+00:00"]),
        ("*/15 1 * * *", "2026-04-05T00:50", "Australia/Lord_Howe", ["2026-04-05T01:00:00+11:00"]),
    ],
)  # fmt: skip
def test_instants(text: str, after: str, zone: str, expected: list[str]) -> None:
    start = datetime.fromisoformat(after)
    start = start if start.tzinfo else start.replace(tzinfo=ZoneInfo(zone))
    found = islice(Expression(text).after(start, ZoneInfo(zone)), len(expected))
    assert [each.isoformat() for each in found] == expected


FIELD = st.sampled_from(["*", "*/7", "0", "30", "5-20/3", "1,2,3", "*/2"])
EXPRESSIONS = st.builds(
    lambda minute, hour, day, weekday: f"{minute} {hour} {day} * {weekday}",
    FIELD,
    st.sampled_from(["*", "*/2", "0", "1", "2", "2,3", "1-4"]),
    st.sampled_from(["*", "1-28", "*/2"]),
    st.sampled_from(["*", "1-5", "0"]),
)
STARTS = st.datetimes(datetime(2026, 1, 1), datetime(2028, 1, 1)).map(lambda each: each.replace(tzinfo=UTC))


@given(EXPRESSIONS, STARTS, st.sampled_from(ZONES))
def test_wherever_one_begins_the_instants_are_the_same(text: str, start: datetime, zone: str) -> None:
    """A restart between two occurrences neither doubles nor loses one."""
    expression, where = Expression(text), ZoneInfo(zone)
    instants = list(islice(expression.after(start, where), 12))
    assert all(before.astimezone(UTC) < after.astimezone(UTC) for before, after in pairwise(instants))
    for before, after in pairwise(instants):
        middle = before.astimezone(UTC) + (after.astimezone(UTC) - before.astimezone(UTC)) / 2
        for again in (before.astimezone(UTC), middle, after.astimezone(UTC) - timedelta(seconds=1)):
            assert next(expression.after(again, where)) == after
