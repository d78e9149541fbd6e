"""`/cron`: what is scheduled; clear it; try one now."""

from __future__ import annotations

import asyncio

from helloclaw.i18n import SpokenError
from helloclaw.protocol.commands import Say
from helloclaw.schedule.schedules import Entry, Schedules
from helloclaw.slash.base import BadArgument, Host, Reply, SlashCommand
from helloclaw.storage.locks import Busy
from helloclaw.wording.markdown import cell, literal
from helloclaw.wording.plain import one_line

_TEST = "<scheduled-tasks>\n[Scheduled task, tried by the person]\n{}\n</scheduled-tasks>"


async def _cron(argument: str, host: Host) -> Reply:
    word, _, rest = argument.partition(" ")
    if word == "test":
        prompt = rest.strip() or host.say("slash.cron.test_prompt")
        host.session.send(Say(text=_TEST.format(prompt), source="schedule"))
        return Reply(markdown=host.say("slash.cron.tested"))
    schedules = host.session.schedules
    if schedules is None:
        return Reply(markdown=host.say("cron.none"))
    try:
        match argument:
            case "" | "list":
                return Reply(markdown=_listed(await asyncio.to_thread(schedules.listing), host))
            case "clear" | "clear hard":
                return await _clear(schedules, host, durable=bool(rest))
            case _:
                raise BadArgument
    except (SpokenError, Busy, OSError) as error:
        return Reply(markdown=literal(str(error)), level="error")


async def _clear(schedules: Schedules, host: Host, *, durable: bool) -> Reply:
    count = await asyncio.to_thread(lambda: schedules.clear(durable=durable))
    return Reply(markdown=host.say("slash.cron.cleared", count=count))


def _listed(entries: tuple[Entry, ...], host: Host) -> str:
    say = host.say
    if not entries:
        return say("cron.none")
    heads = ("slash.cron.id", "slash.cron.times", "slash.cron.next", "slash.cron.kind", "slash.cron.prompt")
    rows = [f"| {' | '.join(map(say, heads))} |", "| --- | --- | --- | --- | --- |"]
    for entry in entries:
        job = entry.job
        due = entry.next.astimezone().strftime("%m-%d %H:%M") if entry.next else "–"
        kind = say("slash.cron.durable" if job.durable else "slash.cron.own")
        prompt = literal(one_line(job.prompt, 60))
        rows.append(f"| `{job.id}` | `{cell(job.cron)}` | {due} | {kind} | {prompt} |")
    return "\n".join(rows)


COMMANDS = (SlashCommand(name="cron", run=_cron, usage="[list|clear [hard]|test [prompt]]"),)
