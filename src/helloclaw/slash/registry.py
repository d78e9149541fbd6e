"""Find the command that a line names, and run it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from helloclaw.i18n import Phrase, Texts
from helloclaw.settings.problems import nearest
from helloclaw.slash import choosing, conversation, cron, hooks, later, looking, memory, skills, tasks
from helloclaw.slash.base import BadArgument, Host, Reply, SlashCommand
from helloclaw.slash.own import own_commands
from helloclaw.wording.markdown import cell, literal
from helloclaw.wording.plain import one_line


class Help(NamedTuple):
    """A command for completion and lists. `choices` are what can stand as its argument, None where that is free."""

    name: str
    usage: str
    about: str
    takes_argument: bool
    choices: list[str] | None = None


class _Known(NamedTuple):
    """The commands there are. `problems` are the files that are no commands, and why."""

    commands: tuple[SlashCommand, ...]
    own: tuple[SlashCommand, ...]
    skills: tuple[SlashCommand, ...]
    problems: tuple[Phrase, ...]


def built_in() -> tuple[SlashCommand, ...]:
    """In the order of `/help`."""
    return tuple(command for _, commands in _groups() for command in commands)


def all_commands(host: Host) -> tuple[SlashCommand, ...]:
    """The built-in ones, the person's own, and the skills; a later one can't take a name away from an earlier one."""
    return _known(host).commands


def find(name: str, host: Host) -> SlashCommand | None:
    return _named(name, all_commands(host))


def command_helps(host: Host) -> list[Help]:
    return [
        Help(
            command.name,
            command.usage,
            command.described(host.say),
            command.takes_argument,
            command.choices(host) if command.choices else None,
        )
        for command in all_commands(host)
    ]


async def run_line(line: str, host: Host) -> Reply | None:
    """Run a line that begins with a slash. None if it is no command but a message, as one that begins with a path."""
    line = line.strip()
    words = line[1:].split(maxsplit=1)
    if not words or not line.startswith(f"/{words[0]}") or "/" in words[0]:
        return None
    rest = words[1] if len(words) > 1 else ""
    known = _known(host)
    command = _named(words[0], known.commands)
    if command is None:
        return _unknown(words[0], known.commands, host)
    try:
        if rest and not command.usage and command.ready and command not in (*known.own, *known.skills):
            raise BadArgument
        return await command.run(rest, host)
    except BadArgument:
        return Reply(markdown=host.say("slash.how", usage=_usage(command)), level="error")


def _groups() -> tuple[tuple[str, tuple[SlashCommand, ...]], ...]:
    help_itself = SlashCommand(name="help", run=_help, usage="[COMMAND]")
    return (
        ("slash.group.conversation", (help_itself, *conversation.COMMANDS)),
        ("slash.group.choosing", choosing.COMMANDS),
        ("slash.group.looking", _looking()),
        ("slash.group.later", later.COMMANDS),
    )


def _looking() -> tuple[SlashCommand, ...]:
    return (*looking.COMMANDS, *hooks.COMMANDS, *skills.COMMANDS, *memory.COMMANDS, *cron.COMMANDS, *tasks.COMMANDS)


def _known(host: Host) -> _Known:
    commands = built_in()
    taken = {name for command in commands for name in command.names}
    found = own_commands(host)
    own = tuple(each for each in found.commands if each.name not in taken)
    clashes = [Phrase("slash.own.taken", name=each.name) for each in found.commands if each.name in taken]
    taken |= {each.name for each in own}
    callable_skills = tuple(each for each in skills.skill_commands(host) if each.name not in taken)
    return _Known((*commands, *own, *callable_skills), own, callable_skills, (*found.problems, *clashes))


def _named(name: str, commands: Iterable[SlashCommand]) -> SlashCommand | None:
    name = unicodedata.normalize("NFC", name)
    return next((each for each in commands if name in each.names), None)


def _unknown(name: str, commands: Iterable[SlashCommand], host: Host) -> Reply:
    near = nearest(name.lower(), [known for each in commands for known in each.names])
    shown = one_line(name.replace("`", "'"), 60)
    said = host.say("slash.unknown_near", name=shown, near=near) if near else host.say("slash.unknown", name=shown)
    return Reply(markdown=said, level="error")


def _usage(command: SlashCommand) -> str:
    return f"/{command.name} {command.usage}".strip()


async def _help(argument: str, host: Host) -> Reply:
    say, known = host.say, _known(host)
    if argument:
        name = argument.removeprefix("/")
        command = _named(name, known.commands)
        if command is None:
            return _unknown(name, known.commands, host)
        names = " · ".join((f"`{_usage(command)}`", *(f"`/{alias}`" for alias in command.aliases)))
        later_on = "" if command.ready else say("slash.not_yet", name=command.name)
        return Reply(markdown="\n\n".join(filter(None, (names, literal(command.described(say)), later_on))))
    told = "\n".join(f"* {literal(say.say(problem))}" for problem in known.problems)
    return Reply(markdown="\n\n".join(filter(None, (*_tables(known, say), say("slash.help.keys"), told))))


def _tables(known: _Known, say: Texts) -> Iterator[str]:
    """Each group's name and its table."""
    head = f"| {say('slash.help.command')} | {say('slash.help.about')} |\n| --- | --- |"
    for key, commands in (*_groups(), ("slash.group.own", known.own), ("slash.group.skills", known.skills)):
        rows = [f"| `{cell(_usage(each))}` | {literal(each.described(say))} |" for each in commands]
        if rows:
            yield f"**{say(key)}**"
            yield "\n".join((head, *rows))
