"""Commands whose capability this version does not have. They say so."""

from __future__ import annotations

from helloclaw.slash.base import Host, Reply, SlashCommand


def _later(name: str, usage: str = "") -> SlashCommand:
    async def run(argument: str, host: Host) -> Reply:
        del argument
        return Reply(markdown=host.say("slash.not_yet", name=name))

    return SlashCommand(name=name, run=run, usage=usage, ready=False)


COMMANDS = (
    _later("team"),
    _later("inbox"),
)
