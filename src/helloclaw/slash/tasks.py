"""`/tasks`: the task board of the directory, and commands that run in the background."""

from __future__ import annotations

import asyncio

from helloclaw.i18n import SpokenError
from helloclaw.slash.base import Host, Reply, SlashCommand
from helloclaw.tasks.board import Board, Task
from helloclaw.wording.markdown import cell, literal
from helloclaw.wording.plain import one_line

_MARKS = {"pending": "☐", "in_progress": "▶", "completed": "☑", "deleted": "–"}
_SHOWN = 100


async def _tasks(argument: str, host: Host) -> Reply:
    del argument
    try:
        tasks = await asyncio.to_thread(Board(host.session.workdir).list)
    except (SpokenError, OSError) as error:
        return Reply(markdown=literal(str(error)), level="error")
    if not tasks:
        return Reply(markdown=host.say("tasks.none"))
    say = host.say
    heads = ("slash.tasks.id", "slash.tasks.subject", "slash.tasks.owner", "slash.tasks.waits")
    rows = [f"| {' | '.join(map(say, heads))} |", "| --- | --- | --- | --- |", *map(_row, tasks[:_SHOWN])]
    more = f"\n\n{say('slash.tasks.more', count=len(tasks) - _SHOWN)}" if len(tasks) > _SHOWN else ""
    return Reply(markdown="\n".join(rows) + more)


def _row(task: Task) -> str:
    subject = literal(one_line(task.subject, 100))
    owner = literal(one_line(task.owner, 40)) or "–"
    waits = cell(", ".join(task.blocked_by)) or "–"
    return f"| {_MARKS[task.status]} {task.id} | {subject} | {owner} | {waits} |"


COMMANDS = (SlashCommand(name="tasks", run=_tasks),)
