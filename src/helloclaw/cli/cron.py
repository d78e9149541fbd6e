"""`helloclaw cron`: when a schedule is due."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from itertools import islice
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from helloclaw.cli.parse import UsageError
from helloclaw.cli.run import Run
from helloclaw.schedule.expression import Expression

_COUNT, _MOST = 4, 1_000


def main(run: Run) -> int:
    """Print the next instants of an expression, before jitter. Raises `BadExpression`, `UsageError`."""
    expression = Expression(run.required("expr"))
    zone = _zone(run.arguments.text("tz"))
    after = _instant(run.arguments.text("from"), zone)
    instants = [each.isoformat() for each in islice(expression.after(after, zone), _count(run))]
    if run.as_json:
        run.terminal.json(instants)
    else:
        run.terminal.lines(instants)
    return 0


def _zone(name: str | None) -> tzinfo:
    if name is None:
        return _here()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError("cron.bad_zone", zone=name[:60]) from error


def _here() -> tzinfo:
    """The machine's zone, with its rules where they can be found; else only what it is now."""
    from helloclaw.schedule.zone import local_zone

    return local_zone()


def _instant(text: str | None, zone: tzinfo) -> datetime:
    """A time without a zone is one on the clocks there."""
    if text is None:
        return datetime.now(UTC)
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError("cron.bad_time", time=text[:60]) from error
    return instant if instant.tzinfo else instant.replace(tzinfo=zone)


def _count(run: Run) -> int:
    text = run.arguments.text("count")
    if text is None:
        return _COUNT
    if not text.isascii() or not text.isdigit() or not 0 < int(text[:9]) <= _MOST:
        raise UsageError("usage.bad_number", option="--count", value=text)
    return int(text)
