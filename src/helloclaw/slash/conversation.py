"""Commands about the conversation itself: begin anew, compact, go back, name it, copy it, leave it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from helloclaw.protocol.commands import Clear, Compact, Rename
from helloclaw.slash import base
from helloclaw.slash.base import BadArgument, Host, Reply, SlashCommand
from helloclaw.slash.export import export
from helloclaw.wording.markdown import literal
from helloclaw.wording.plain import one_line

if TYPE_CHECKING:
    from helloclaw.agent.listing import SessionInfo

_MOST_ROWS = 20


async def _clear(argument: str, host: Host) -> Reply:
    if argument not in {"", "hard"}:
        raise BadArgument
    hard = argument == "hard"
    host.session.send(Clear(conversation=True, usage=hard, todos=hard))
    return Reply()


async def _compact(argument: str, host: Host) -> Reply:
    host.session.send(Compact(focus=argument))
    return Reply()


async def _new(argument: str, host: Host) -> Reply:
    del host
    if argument:
        raise BadArgument
    return Reply(effect=base.NewSession())


async def _resume(argument: str, host: Host) -> Reply:
    """By id or its beginning, else by words that name it or that were said in it."""
    from helloclaw.agent.catalog import SessionNotFound, find_session

    if not argument:
        return Reply(effect=base.Resume())
    try:
        return Reply(effect=base.Resume(find_session(host.home, argument).stem))
    except SessionNotFound as unknown:
        found = await asyncio.to_thread(_sessions_with, argument.casefold().split(), host)
        if not found:
            return Reply(markdown=host.say.say(unknown.phrase), level="error")
        if len(found) == 1:
            return Reply(effect=base.Resume(found[0].id))
        rows = [_row(info, host) for info in found[:_MOST_ROWS]] + ["* …"] * (len(found) > _MOST_ROWS)
        head = host.say("slash.resume.several", count=len(found))
        return Reply(markdown="\n".join((head, "", *rows)))


def _sessions_with(words: list[str], host: Host) -> list[SessionInfo]:
    """The other sessions whose titles have all of `words`, else those in which they were said; latest first."""
    from helloclaw.agent.catalog import list_sessions, search_sessions

    others = [info for info in list_sessions(host.home) if info.id != host.session.id]
    named = [info for info in others if all(word in info.title.casefold() for word in words)]
    return named or [info for info, _ in search_sessions(host.home, words) if info.id != host.session.id]


def _row(info: SessionInfo, host: Host) -> str:
    return f"* `{info.id}` {literal(info.title, 80) or host.say('session.untitled')}"


async def _fork(argument: str, host: Host) -> Reply:
    if argument:
        raise BadArgument
    if not host.session.title:
        return Reply(markdown=host.say("slash.fork.nothing"), level="error")
    return Reply(effect=base.Fork())


async def _rewind(argument: str, host: Host) -> Reply:
    del host
    if not argument:
        return Reply(effect=base.PickRewind())
    number, _, files = argument.partition(" ")
    if not number.isdecimal() or files.strip() not in {"", "files"}:
        raise BadArgument
    return Reply(effect=base.RewindTo(int(number[:12]), files=bool(files)))


async def _rename(argument: str, host: Host) -> Reply:
    title = one_line(argument, 200)
    host.session.send(Rename(title=title))
    # While a turn runs the session has its new title only later. Without one it is called by its first words again.
    title = title or host.session.title
    return Reply(markdown=host.say("slash.rename.done", title=literal(title)) if title else "")


async def _exit(argument: str, host: Host) -> Reply:
    del argument, host
    return Reply(effect=base.Leave())


async def _show(argument: str, host: Host) -> Reply:
    del host
    if not argument:
        return Reply(effect=base.ShowPart())
    if not argument.isdecimal():
        raise BadArgument
    return Reply(effect=base.ShowPart(int(argument[:9])))


COMMANDS = (
    SlashCommand(name="clear", run=_clear, usage="[hard]", choices=lambda _: ["hard"]),
    SlashCommand(name="new", run=_new),
    SlashCommand(name="compact", run=_compact, usage="[FOCUS]"),
    SlashCommand(name="resume", run=_resume, usage="[ID|WORDS]"),
    SlashCommand(name="fork", run=_fork),
    SlashCommand(name="rewind", run=_rewind, usage="[NUMBER [files]]"),
    SlashCommand(name="rename", run=_rename, usage="TITLE"),
    SlashCommand(name="export", run=export, usage="[FILE] [md|html|jsonl]", choices=lambda _: ["md", "html", "jsonl"]),
    SlashCommand(name="show", run=_show, usage="[NUMBER]"),
    SlashCommand(name="exit", run=_exit, aliases=("quit",)),
)
