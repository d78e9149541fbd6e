"""`helloclaw cron`: the durable schedules of a directory, and when an expression is due."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from itertools import islice
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from helloclaw.cli.parse import UsageError
from helloclaw.cli.run import NothingThere, Run
from helloclaw.schedule.expression import Expression
from helloclaw.wording.plain import one_line

_COUNT, _MOST = 4, 1_000


def main(run: Run) -> int:
    match run.action:
        case "next":
            return _next(run)
        case "rm":
            return _rm(run)
        case _:
            return _list(run)


def _list(run: Run) -> int:
    """Also of a directory that is not trusted, where they don't run."""
    from helloclaw.schedule.claims import Claims
    from helloclaw.schedule.job import Past, next_due
    from helloclaw.schedule.store import Store

    store = Store(run.workdir())
    pasts, now = Claims(store.folder).pasts(), datetime.now(UTC)
    rows = [(job, next_due(job, pasts.get(job.id, Past()), now, _zone(job.tz or None))) for job in store.jobs()]
    if run.as_json:
        run.terminal.json(
            [msgspec.structs.asdict(job) | {"next": due.isoformat() if due else None} for job, due in rows]
        )
    elif rows:
        for job, due in rows:
            when = due.astimezone().strftime("%Y-%m-%d %H:%M") if due else "–"
            run.terminal.line(f"{one_line(job.id, 40)}  {job.cron:<16} {when:<16}  {one_line(job.prompt, 80)}")
    else:
        run.complain(run.say("cron.none"))
    return 0


def _rm(run: Run) -> int:
    from helloclaw.app import SessionOptions
    from helloclaw.app.timekeeping import schedules_of
    from helloclaw.schedule.store import Store

    wanted, workdir = run.required("id"), run.workdir()
    if all(job.id != wanted for job in Store(workdir).jobs()):
        raise NothingThere("cron.unknown", id=one_line(wanted, 40))
    options = SessionOptions(source=run.settings(), home=run.home(), workdir=workdir)
    (gone,) = schedules_of(options).remove_durable(wanted)
    if run.as_json:
        run.terminal.json({"removed": gone.id})
    else:
        run.terminal.line(run.say("cron.removed", id=gone.id, cron=gone.cron))
    return 0


def _next(run: Run) -> int:
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
