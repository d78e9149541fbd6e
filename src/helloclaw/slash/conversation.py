"""Commands about the conversation itself: begin anew, compact, go back, name it, copy it, leave it."""

from __future__ import annotations

from helloclaw.protocol.commands import Clear, Compact, Rename
from helloclaw.slash import base
from helloclaw.slash.base import BadArgument, Host, Reply, SlashCommand
from helloclaw.slash.export import export
from helloclaw.wording.plain import one_line


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
    """By id or its beginning, else by words that were said or that name it."""
    from helloclaw.agent.catalog import SessionNotFound, find_session, list_sessions, search_sessions

    if not argument:
        return Reply(effect=base.Resume())
    try:
        return Reply(effect=base.Resume(find_session(host.home, argument).stem))
    except SessionNotFound as unknown:
        words = argument.casefold().split()
        named = [info for info in list_sessions(host.home) if all(word in info.title.casefold() for word in words)]
        found = [info.id for info in named] or [info.id for info, _ in search_sessions(host.home, words)]
        others = [each for each in found if each != host.session.id]
        if len(others) == 1 or (others and len(named) == 1):
            return Reply(effect=base.Resume(others[0]))
        if others:
            rows = "\n".join(f"* `{info.id}` {one_line(info.title, 80)}" for info in named if info.id in others)
            return Reply(markdown=host.say("slash.resume.several", count=len(others)) + f"\n\n{rows}")
        return Reply(markdown=host.say.say(unknown.phrase), level="error")


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
    host.session.send(Rename(title=one_line(argument, 200)))
    title = host.session.title
    return Reply(markdown=host.say("slash.rename.done", title=one_line(title)) if title else "")


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
