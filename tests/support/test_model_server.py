"""The scripted server is judged by the vendors' own clients, on both wires, streamed and whole."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

from tests.support.model_server import Call, Exchange, Gate, ModelServer, Turn, silent_listener

TURN = Turn(text="Grüße, 世界", thinking="let me see", calls=(Call(name="read_file", input={"path": "文件"}),))
MESSAGES: list[Any] = [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("chunk", [1, 7, 4096])
def test_the_anthropic_client_reads_a_turn(streamed: bool, chunk: int) -> None:
    with ModelServer() as server:
        server.script(Turn(text=TURN.text, thinking=TURN.thinking, calls=TURN.calls, chunk=chunk))
        client = anthropic.Anthropic(base_url=server.base_url, api_key="k", max_retries=0)
        if streamed:
            with client.messages.stream(model="m", max_tokens=10, messages=MESSAGES) as stream:
                message = stream.get_final_message()
        else:
            message = client.messages.create(model="m", max_tokens=10, messages=MESSAGES)
    assert [block.to_dict() for block in message.content] == [
        {"type": "thinking", "thinking": "let me see", "signature": "c2lnbmVk"},
        {"type": "text", "text": "Grüße, 世界"},
        {"type": "tool_use", "id": "toolu_1_0", "name": "read_file", "input": {"path": "文件"}},
    ]
    assert (message.stop_reason, message.usage.input_tokens, message.usage.output_tokens) == ("tool_use", 12, 7)


@pytest.mark.parametrize("chunk", [1, 7, 4096])
def test_the_openai_client_reads_a_streamed_turn(chunk: int) -> None:
    with ModelServer() as server:
        server.script(Turn(text=TURN.text, thinking=TURN.thinking, calls=TURN.calls, chunk=chunk))
        client = openai.OpenAI(base_url=f"{server.base_url}/v1", api_key="k", max_retries=0)
        stream = client.chat.completions.create(
            model="m", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
        )
        chunks = list(stream)
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    calls = [call for delta in deltas for call in delta.tool_calls or ()]
    assert "".join(delta.content or "" for delta in deltas) == "Grüße, 世界"
    assert json.loads("".join(call.function.arguments or "" for call in calls if call.function)) == {"path": "文件"}
    assert calls[0].id == "call_1_0"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.prompt_tokens == 12


def test_a_script_without_an_answer_left_is_an_error_of_the_test() -> None:
    def ask(url: str) -> None:
        client = anthropic.Anthropic(base_url=url, api_key="k")
        with pytest.raises(anthropic.BadRequestError, match="no answer left"):
            client.messages.create(model="m", max_tokens=1, messages=MESSAGES)

    with pytest.raises(AssertionError, match="POST /v1/messages"), ModelServer() as server:
        ask(server.base_url)


def test_a_gate_stands_still_until_it_is_opened_or_the_client_goes() -> None:
    with ModelServer() as server:
        server.script(Turn(text="one two three four", gate=(gate := Gate())), Turn(text="x", gate=Gate()))
        client = anthropic.Anthropic(base_url=server.base_url, api_key="k", max_retries=0)
        with client.messages.stream(model="m", max_tokens=10, messages=MESSAGES) as stream:
            assert gate.reached.wait(5)
            gate.open()
            assert stream.get_final_text() == "one two three four"
        with client.messages.stream(model="m", max_tokens=10, messages=MESSAGES):
            pass
        assert server.requests[1].disconnected.wait(5)


def test_a_cut_connection_is_seen_as_one() -> None:
    with ModelServer() as server:
        server.script(Exchange(body=b"0123456789", cut_at=4), Exchange(cut_at=-1), Exchange(cut_at=0, reset=True))
        client = anthropic.Anthropic(base_url=server.base_url, api_key="k", max_retries=0)
        for _ in range(3):
            with pytest.raises(anthropic.APIConnectionError):
                client.messages.create(model="m", max_tokens=10, messages=MESSAGES)


def test_a_silent_listener_never_answers() -> None:
    with silent_listener() as url, pytest.raises(TimeoutError):
        urllib.request.urlopen(url, timeout=0.05)


def test_a_shell_can_start_it(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"text": "for ever", "calls": [{"name": "t", "input": {}}]}]))
    command = [sys.executable, "-m", "tests.support.model_server", "--script", str(script), "--repeat"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            client = anthropic.Anthropic(base_url=process.stdout.readline().strip(), api_key="k")
            ids = [
                client.messages.create(model="m", max_tokens=9, messages=MESSAGES).content[1].to_dict()["id"]
                for _ in range(3)
            ]
        finally:
            process.terminate()
    assert ids == ["toolu_1_0", "toolu_2_0", "toolu_3_0"]
