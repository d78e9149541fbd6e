"""`cron_create`, `cron_list`, `cron_delete`: prompts that come back at their times."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from helloclaw.i18n import SpokenError
from helloclaw.storage.locks import Busy
from helloclaw.tools.base import Tool, ToolError, ToolOutput
from helloclaw.tools.context import ToolContext

if TYPE_CHECKING:  # imported when it is used
    from helloclaw.schedule.schedules import Entry, Schedules


class CronCreate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    cron: Annotated[str, Meta(min_length=1)]
    prompt: Annotated[str, Meta(min_length=1)]
    recurring: bool = True
    durable: bool = False
    auto_run: bool = False


class CronList(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class CronDelete(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: Annotated[str, Meta(min_length=1)]


async def _create(call: CronCreate, context: ToolContext) -> ToolOutput:
    if context.by_schedule:
        raise ToolError("What a schedule has started can't make schedules; tell the person instead")
    schedules = _schedules(context)
    try:
        entry = await asyncio.to_thread(
            lambda: schedules.create(
                call.cron, call.prompt, recurring=call.recurring, durable=call.durable, auto_run=call.auto_run
            )
        )
    except (SpokenError, Busy, OSError) as error:
        raise ToolError(str(error)) from error
    return ToolOutput(text=f"Scheduled {_row(entry)}")


async def _list(call: CronList, context: ToolContext) -> ToolOutput:
    del call
    schedules = _schedules(context)
    try:
        entries = await asyncio.to_thread(schedules.listing)
    except (SpokenError, OSError) as error:
        raise ToolError(str(error)) from error
    return ToolOutput(text="\n".join(map(_row, entries)) or "Nothing is scheduled.")


async def _delete(call: CronDelete, context: ToolContext) -> ToolOutput:
    schedules = _schedules(context)
    try:
        gone = await asyncio.to_thread(schedules.remove, call.id)
    except (SpokenError, Busy, OSError) as error:
        raise ToolError(str(error)) from error
    if not gone:
        raise ToolError(f"There is no schedule {call.id[:40]!r}; cron_list shows them")
    return ToolOutput(text=f"Removed {gone[0].id}: {gone[0].cron}")


def _schedules(context: ToolContext) -> Schedules:
    if context.schedules is None:
        raise ToolError("Nothing can be scheduled here")
    return context.schedules


def _row(entry: Entry) -> str:
    job = entry.job
    due = entry.next.astimezone().strftime("%Y-%m-%d %H:%M") if entry.next else "never again"
    kinds = ("recurring" if job.recurring else "once", "durable" if job.durable else "until the program ends")
    kind = ", ".join((*kinds, *(("run by an agent of its own",) if job.auto_run else ())))
    return f"{job.id}: {job.cron} ({kind}), next {due}: {' '.join(job.prompt.split())[:100]}"


cron_create = Tool("cron_create", CronCreate, _create)
cron_list = Tool("cron_list", CronList, _list, read_only=True)
cron_delete = Tool("cron_delete", CronDelete, _delete)

SCHEDULE_TOOLS = (cron_create, cron_list, cron_delete)
