"""A thousand turns in one process need little more memory than ten."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import asyncio, os, sys
from pathlib import Path
from helloclaw.protocol.commands import Say
from tests.support.model_server import ModelServer, Turn
from tests.support.world import World

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

async def talk():
    with ModelServer(record=False) as server:
        server.always(Turn(text="Noted."))
        world = World(Path(sys.argv[1]), server)
        async with world.session() as (session, heard):
            for number in range(1_000):
                await session.turn(Say(text=f"Message {number}: I prefer colour {number}."))
                heard.events.clear()
                if number == 50:
                    before = resident()
            print(resident() - before)

asyncio.run(talk())
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="where /proc tells how much is resident")
def test_memory_does_not_grow_with_turns(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    grown = int(done.stdout)
    logging.getLogger(__name__).info("grown by %.1f MB", grown / 1e6)
    assert grown < 20_000_000
