"""Find the command that a line names, and run it."""

from __future__ import annotations

from typing import NamedTuple

from helloclaw.settings.problems import nearest
from helloclaw.slash import choosing, conversation, hooks, later, looking
from helloclaw.slash.base import BadArgument, Host, Reply, SlashCommand
from helloclaw.slash.own import own_commands
from helloclaw.wording.plain import one_line


class Help(NamedTuple):
    """A command for completion and lists. `choices` are what can stand as its argument, None where that is free."""

    name: str
    usage: str
    about: str
    takes_argument: bool
    choices: list[str] | None = None


def built_in() -> tuple[SlashCommand, ...]:
    """In the order of `/help`."""
    return (
        SlashCommand(name="help", run=_help, usage="[COMMAND]"),
        *conversation.COMMANDS,
        *choosing.COMMANDS,
        *looking.COMMANDS,
        *hooks.COMMANDS,
        *later.COMMANDS,
    )


def all_commands(host: Host) -> tuple[SlashCommand, ...]:
    """The built-in ones and the person's own, which can't take a name away from those."""
    commands = built_in()
    taken = {name for command in commands for name in (command.name, *command.aliases)}
    return (*commands, *(each for each in own_commands(host).commands if each.name not in taken))


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
    name, _, rest = line.strip().removeprefix("/").partition(" ")
    if not name or "/" in name:
        return None
    commands = all_commands(host)
    command = next((each for each in commands if name in (each.name, *each.aliases)), None)
    if command is None:
        names = [known for each in commands for known in (each.name, *each.aliases)]
        near = nearest(name, names)
        shown = one_line(name, 60)
        text = host.say("slash.unknown_near", name=shown, near=near) if near else host.say("slash.unknown", name=shown)
        return Reply(markdown=text, level="error")
    try:
        return await command.run(rest.strip(), host)
    except BadArgument:
        return Reply(markdown=host.say("slash.how", usage=f"/{command.name} {command.usage}".strip()), level="error")


async def _help(argument: str, host: Host) -> Reply:
    say = host.say
    commands = all_commands(host)
    if argument:
        wanted = argument.removeprefix("/")
        command = next((each for each in commands if wanted in (each.name, *each.aliases)), None)
        if command is None:
            return Reply(markdown=say("slash.unknown", name=one_line(wanted, 60)), level="error")
        return Reply(markdown=f"`/{command.name} {command.usage}`".replace(" `", "`") + f"\n\n{command.described(say)}")
    rows = [f"| `/{each.name}{' ' if each.usage else ''}{each.usage}` | {each.described(say)} |" for each in commands]
    # A bar would end the cell (GFM tables, 4.10).
    rows = [_escaped(row) for row in rows]
    problems = own_commands(host).problems
    told = "\n\n".join(f"* {one_line(say.say(problem))}" for problem in problems)
    table = "\n".join([f"| {say('slash.help.command')} | {say('slash.help.about')} |", "| --- | --- |", *rows])
    return Reply(markdown="\n\n".join(part for part in (table, say("slash.help.keys"), told) if part))


def _escaped(row: str) -> str:
    """The bars inside a row's cells, which are those between the first, the middle and the last one."""
    inner = row[2:-2]
    code, _, about = inner.partition("` | ")
    return f"| {code.replace('|', chr(92) + '|')}` | {about.replace('|', chr(92) + '|')} |"
