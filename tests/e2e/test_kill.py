"""`kill -9` at random moments of turns: what was printed as kept is kept, and the session goes on, on both wires."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helloclaw.agent.load import load_history
from helloclaw.agent.repair import in_order
from helloclaw.llm.provider_profiles import CUSTOM_LOCAL
from helloclaw.llm.validate_anthropic import anthropic_problems
from helloclaw.llm.validate_openai import openai_problems
from helloclaw.storage.journal import scan
from tests.support.model_server import Call, ModelServer, RecordedRequest, Turn
from tests.support.world import WireName, World

KILLS_PER_SESSION = 25
LONGEST_LIFE = 1.3
"""Of a run that nobody kills: a kill may also come before its first word or after its last."""


def busy_model(request: RecordedRequest) -> Turn:
    """Reads, then runs a command, then answers; in small pieces, so that there is always something half-way."""
    messages = request.json["messages"]
    since_user = len(messages)
    for index, message in enumerate(messages):
        if "PLEASE" in json.dumps(message):
            since_user = index
    step = sum(1 for message in messages[since_user:] if message["role"] == "assistant")
    if step == 0:
        return Turn(text="Let me look.", calls=(Call(name="read_file", input={"path": "a.txt"}),) * 2, chunk=16)
    if step == 1:
        calls = (Call(name="bash", input={"command": "echo 你好"}), Call(name="bash", input={"command": "pwd"}))
        return Turn(calls=calls, thinking="What next?", chunk=16)
    return Turn(text="All done. " * 20, chunk=16)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_a_session_killed_again_and_again_loses_nothing_it_showed(wire: WireName, seed: int, tmp_path: Path) -> None:
    chance = random.Random(f"{wire}{seed}")
    with ModelServer() as server:
        server.always(busy_model)
        world = World(tmp_path, server, wire=wire)
        (world.workdir / "a.txt").write_text("A\n")
        shown: dict[int, str] = {}
        session_id = ""
        began = time.monotonic()
        run_and_kill(world, ["-p", "PLEASE work"], None)
        longest_s = LONGEST_LIFE * (time.monotonic() - began)
        for _ in range(KILLS_PER_SESSION):
            resume = ["-r", session_id] if session_id else []
            printed = run_and_kill(world, ["-p", "PLEASE work", *resume], chance.uniform(0.05, longest_s))
            for event in printed:
                session_id = session_id or event["session_id"]
                if event.get("seq") and not is_piece(event):
                    shown[event["seq"]] = event["type"]
            if session_id:
                kept = {line["seq"]: line["type"] for line in lines_of(world, session_id)}
                assert {seq: kept.get(seq) for seq in shown} == shown
        assert shown, "every run was killed before it said anything"

        final = subprocess.run(
            [sys.executable, "-m", "helloclaw", "-p", "PLEASE finish", "-r", session_id, "--output-format", "json"],
            env=world.environ | {"PATH": os.environ["PATH"]},
            cwd=world.workdir,
            capture_output=True,
            timeout=60,
            check=False,
        )
        result = json.loads(final.stdout)
        assert (final.returncode, result["is_error"], result["session_id"]) == (0, False, session_id)
        history = load_history(scan(world.home.sessions / f"{session_id}.jsonl").lines)
        assert in_order(history.messages())
        assert not history.needed_repair, "a lost result is to be written down when the session goes on"
        assert [problem for post in server.posts for problem in problems_of(post, wire)] == []


def run_and_kill(world: World, arguments: list[str], after_s: float | None) -> list[dict[str, object]]:
    """The events that the program managed to print in its life, which None lets it live to its end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "helloclaw", *arguments, "--output-format", "stream-json"],
        env=world.environ | {"PATH": os.environ["PATH"]},
        cwd=world.workdir,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    if after_s is not None:
        time.sleep(after_s)
        process.kill()
    printed, _ = process.communicate()
    whole = printed[: printed.rfind(b"\n") + 1].splitlines()
    return [event for event in map(json.loads, whole) if event["type"] != "result"]


def problems_of(post: RecordedRequest, wire: WireName) -> list[str]:
    """What the API would have refused, had it not been a script."""
    return anthropic_problems(post.json) if wire == "anthropic" else openai_problems(post.json, CUSTOM_LOCAL)


def is_piece(event: dict[str, object]) -> bool:
    return str(event["type"]).startswith(("assistant_start", "assistant_delta", "thinking_"))


def lines_of(world: World, session_id: str) -> list[dict[str, object]]:
    found = scan(world.home.sessions / f"{session_id}.jsonl")
    assert found.damaged == 0
    return [json.loads(line) for line in found.lines]
