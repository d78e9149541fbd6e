"""`kill -9` at random moments of going back: what was told is kept, histories and files stay what the journal says."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helloclaw.agent.load import load_history
from helloclaw.protocol.commands import Rewind, Say
from helloclaw.protocol.events import Rewound
from helloclaw.storage.journal import scan
from tests.agent.folds import plain_fold, state_of
from tests.agent.test_between_turns import heard_of, idle
from tests.support.model_server import Call, ModelServer, RecordedRequest, Turn
from tests.support.world import World

KILLS = 20
LONGEST_LIFE_S = 2.0

# A person who says something, looks at what can be taken back, and takes something back, again and again.
PERSON = """
import asyncio, json, os, random, sys
from pathlib import Path
from helloclaw.app import SessionOptions, open_session
from helloclaw.protocol.commands import Clear, Rename, Rewind, Say
from helloclaw.settings.source import SettingsSource
from helloclaw.storage.paths import Home

seed, resume = sys.argv[1], sys.argv[2] or None
chance = random.Random(seed)

def tell(event):
    if event.seq and not event.__struct_config__.tag.startswith(("assistant_", "thinking_")):
        print(json.dumps([event.session_id, event.seq, event.__struct_config__.tag]), flush=True)

async def idle(session):
    while session.busy:
        await asyncio.sleep(0.001)

async def live():
    home = Home(Path(os.environ["HELLOCLAW_HOME"]))
    options = SessionOptions(
        source=SettingsSource(home, os.environ), home=home, workdir=Path.cwd(), allow=("Edit",)
    )
    async with open_session(options, resume=resume) as session:
        session.subscribe(tell)
        while True:
            await session.turn(Say(text=f"write {chance.randrange(10**9)}", client_id=str(chance.random())))
            points = session.rewind_points()
            match chance.randrange(8):
                case 0 | 1 | 2:
                    session.send(Rewind(to=chance.choice(points).seq, files=chance.random() < 0.7))
                case 3:
                    session.send(Clear(conversation=True, usage=chance.random() < 0.5))
                case 4:
                    session.send(Rename(title=f"name {chance.randrange(99)}"))
            await idle(session)

asyncio.run(live())
"""


def writer(request: RecordedRequest) -> Turn:
    """Writes the words that were said into a file, then says so."""
    messages = request.json["messages"]
    last = json.dumps(messages[-1])
    wanted = re.findall(r"write (\d+)", last)
    if not wanted or "tool_call_id" in last:
        return Turn(text="Written.")
    number = wanted[-1]
    read = Call(name="read_file", input={"path": f"{int(number) % 3}.txt"})
    write = Call(name="write_file", input={"path": f"{int(number) % 3}.txt", "content": number})
    return Turn(calls=(read, write), chunk=32)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
async def test_killed_while_going_back(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    with ModelServer() as server:
        server.always(writer)
        world = World(tmp_path, server)
        shown: dict[int, str] = {}
        session_id = ""
        for life in range(KILLS):
            for said_id, seq, tag in live_and_die(
                world, f"{seed}.{life}", session_id, chance.uniform(0.5, LONGEST_LIFE_S)
            ):
                session_id = said_id
                shown[seq] = tag
        assert "rewound" in shown.values(), "nobody lived long enough to go back"
        found = scan(world.home.sessions / f"{session_id}.jsonl")
        assert found.damaged == 0
        kept = {line["seq"]: line["type"] for line in map(json.loads, found.lines)}
        assert {seq: kept.get(seq) for seq in shown} == shown
        assert state_of(load_history(found.lines)) == plain_fold(found.lines)

        async with world.session(resume=session_id, allow=("Edit",)) as (session, heard):
            await session.turn(Say(text="write 300"))
            point = session.rewind_points()[-1]
            session.send(Rewind(to=point.seq, files=True))
            rewound: Rewound = await heard_of(heard, Rewound)
            await idle(session)
            assert (rewound.restored, rewound.left) == (("0.txt",), ())
            assert point.seq not in {each.seq for each in session.rewind_points()}


def live_and_die(world: World, seed: str, session_id: str, after_s: float) -> list[tuple[str, int, str]]:
    """What one life of the person's program managed to tell."""
    process = subprocess.Popen(
        [sys.executable, "-c", PERSON, seed, session_id],
        env=world.environ | {"PATH": os.environ["PATH"]},
        cwd=world.workdir,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    time.sleep(after_s)
    process.kill()
    told, _ = process.communicate()
    return [json.loads(line) for line in told[: told.rfind(b"\n") + 1].splitlines()]
