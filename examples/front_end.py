"""A front end of your own: it sends commands, hears events, and answers what the agent asks.

`helloclaw schema` describes every command and event; the terminal of HelloClaw itself is built on no more than this.
"""

import asyncio
import os
import sys
from pathlib import Path

from helloclaw.app import SessionOptions, open_session
from helloclaw.protocol import events
from helloclaw.protocol.commands import Answer, Say
from helloclaw.settings.source import SettingsSource
from helloclaw.storage.paths import find_home


async def main(text: str) -> None:
    home = find_home(os.environ)
    options = SessionOptions(
        source=SettingsSource(home, os.environ), home=home, workdir=Path.cwd(), interactive=True, introduces=True
    )
    async with open_session(options) as session:

        def hear(event: events.Event) -> None:
            match event:
                case events.AssistantDelta(text=piece):
                    print(piece, end="", flush=True)
                case events.ToolStart(name=name):
                    print(f"[{name}]")
                case events.PermissionAsk(ask_id=ask_id, tool_name=name):
                    print(f"[{name} is refused]")
                    session.send(Answer(ask_id=ask_id, decision="deny", reason="This example says no."))
                case _:
                    pass

        session.subscribe(hear)
        end = await session.turn(Say(text=text))
        print(f"\n({end.reason}, {end.steps} steps, session {session.id})")


asyncio.run(main(" ".join(sys.argv[1:]) or "Hello!"))
