"""The scripted model of the measurements: one file after another, then the end; and the floor that asks the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from bench.scripted import Conversation, listen_to, note_name
from bench.subjects import HELLOCLAW

from tests.support.model_server import ModelServer

ROOT = Path(__file__).parents[2]


def test_the_floor_asks_what_it_is_given_and_is_timed(tmp_path: Path) -> None:
    body = json.dumps({"model": "m", "stream": True, "tools": [{}], "messages": []})
    title = json.dumps({"model": "m", "messages": []})
    asked = [body, title, body, body]
    requests = tmp_path / "requests.jsonl"
    requests.write_text("".join(json.dumps({"path": "/v1/chat/completions", "body": b}) + "\n" for b in asked))
    conversation = Conversation(subject=HELLOCLAW, steps=2)
    with ModelServer() as server:
        listen_to(conversation, server)
        address = server.base_url.removeprefix("http://")
        subprocess.run([sys.executable, "-I", ROOT / "bench/floor.py", address, requests], check=True)
        assert [request.raw.decode() for request in server.requests] == asked
        assert len({request.connection for request in server.requests}) == 1
    assert conversation.is_complete
    assert len(conversation.step_ms()) == 2
    assert min(conversation.step_ms()) > 0


def test_each_step_asks_for_another_file() -> None:
    assert len({HELLOCLAW.call(note_name(step)).input["path"] for step in range(1000)}) == 1000
