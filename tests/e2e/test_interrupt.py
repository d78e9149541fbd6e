"""Ctrl-C during a model call, a tool and a retry's wait: soon over, nothing left running, the session in order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helloclaw.agent.load import load_history
from helloclaw.agent.repair import in_order
from helloclaw.storage.journal import scan
from tests.support.model_server import Call, Gate, ModelServer, Turn, json_answer
from tests.support.world import World

# The promise is 0.3 s on a machine of one's own; a busy CI machine gets room, and a hang still fails.
PATIENCE_S = 2.0


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def world(tmp_path: Path, server: ModelServer) -> World:
    return World(tmp_path, server)


def start(world: World) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "helloclaw", "-p", "go", "--output-format", "json", "--allow", "Bash"],
        env=world.environ | {"PATH": os.environ["PATH"]},
        cwd=world.workdir,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def interrupt(process: subprocess.Popen[bytes], when: Callable[[], bool]) -> tuple[float, dict[str, object]]:
    """Seconds until the process was gone, and the object it printed."""
    deadline = time.monotonic() + 20
    while not when():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "it never got that far"
        time.sleep(0.01)
    began = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    printed, _ = process.communicate(timeout=20)
    return time.monotonic() - began, json.loads(printed)


def check(world: World, process: subprocess.Popen[bytes], took: float, result: dict[str, object]) -> None:
    assert process.returncode == 130
    assert took < PATIENCE_S
    found = scan(world.home.sessions / f"{result['session_id']}.jsonl")
    assert b'"type":"round_end"' in found.lines[-1]
    assert b'"reason":"interrupted"' in found.lines[-1]
    # Whatever was cut short was answered by the program itself, not left for a repair on the next load.
    history = load_history(found.lines)
    assert in_order(history.messages())
    assert not history.needed_repair


def test_during_a_model_call(world: World, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="half of it and then nothing", gate=gate, chunk=1))
    process = start(world)
    took, result = interrupt(process, gate.reached.is_set)
    check(world, process, took, result)
    assert server.posts[0].disconnected.wait(5)


def test_before_the_first_byte(world: World, server: ModelServer) -> None:
    gate = Gate()
    server.script(json_answer({}, gate=gate))
    process = start(world)
    took, result = interrupt(process, gate.reached.is_set)
    check(world, process, took, result)


def test_during_a_tool_whose_child_ignores_signals(world: World, server: ModelServer) -> None:
    marker = world.workdir / "pid"
    command = f"trap '' INT TERM; echo $$ > {marker}.new; mv {marker}.new {marker}; sleep 300 & wait; sleep 300"
    server.script(Turn(calls=(Call(name="bash", input={"command": command}),)))
    process = start(world)
    took, result = interrupt(process, marker.exists)
    check(world, process, took, result)
    assert not Path(f"/proc/{marker.read_text().strip()}").exists()


def test_while_a_retry_waits(world: World, server: ModelServer) -> None:
    server.script(json_answer({"error": {"message": "slow down"}}, status=429, headers={"retry-after": "30"}))
    process = start(world)
    took, result = interrupt(process, lambda: bool(server.posts))
    check(world, process, took, result)
