"""Every quirk of Chat Completions over a real socket, however the bytes are cut; the vendor's client is the judge."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletionChunk

from helloclaw.llm.events import Failed, Finish, Usage
from helloclaw.llm.messages import ModelRequest, TextBlock, ThinkingBlock, ToolCall
from helloclaw.llm.providers import resolve
from helloclaw.llm.wire import Endpoint
from helloclaw.llm.wire_openai import OpenAIWire
from tests.llm.asking import amounts_to, anonymous, ask
from tests.llm.openai_quirks import QUIRKS, TOOLS, Quirk
from tests.support.model_server import ModelServer, sse


def endpoint_of(quirk: Quirk, server: ModelServer) -> Endpoint:
    return resolve(quirk.model, base_url=f"{server.base_url}/v1", wire="openai", environ={})


@pytest.mark.parametrize("chunk", [1, 7, 4096])
@pytest.mark.parametrize("quirk", QUIRKS, ids=lambda quirk: quirk.id)
async def test_a_quirk(quirk: Quirk, chunk: int) -> None:
    request = ModelRequest(messages=quirk.messages, tools=TOOLS)
    with ModelServer() as server:
        server.script(sse(quirk.said, chunk=chunk))
        events = await ask(OpenAIWire(), request, endpoint_of(quirk, server))
    folded = amounts_to(events)
    if quirk.failed is not None:
        assert folded.failure is not None
        assert (folded.failure.kind, folded.failure.retryable) == (quirk.failed, quirk.retryable)
        assert folded.failure == events[-1]
        return
    assert folded.failure is None
    assert anonymous(folded.message().content, quirk.means) == quirk.means
    assert (folded.stop_reason, folded.usage) == (quirk.stop, quirk.usage)
    assert [event for event in events if isinstance(event, Finish | Failed)] == [events[-1]]


@pytest.mark.parametrize("quirk", QUIRKS, ids=lambda quirk: quirk.id)
async def test_a_quirk_reads_the_same_twice(quirk: Quirk) -> None:
    """Ids that are made are made the same again, so that a replayed session is the same session."""
    request = ModelRequest(messages=quirk.messages, tools=TOOLS)
    with ModelServer() as server:
        server.script(sse(quirk.said), sse(quirk.said))
        endpoint = endpoint_of(quirk, server)
        assert await ask(OpenAIWire(), request, endpoint) == await ask(OpenAIWire(), request, endpoint)


@pytest.mark.parametrize("quirk", [quirk for quirk in QUIRKS if quirk.judged], ids=lambda quirk: quirk.id)
def test_the_vendors_client_reads_the_same(quirk: Quirk) -> None:
    with ModelServer() as server:
        server.script(sse(quirk.said))
        client = openai.OpenAI(base_url=f"{server.base_url}/v1", api_key="k", max_retries=0)
        chunks = list(
            client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}], stream=True)
        )
    texts = "".join(block.text for block in quirk.means if isinstance(block, TextBlock))
    thoughts = "".join(block.text for block in quirk.means if isinstance(block, ThinkingBlock))
    calls = [block for block in quirk.means if isinstance(block, ToolCall)]
    said, thought, made = _accumulated(chunks)
    assert (said, thought) == (texts, thoughts)
    if len(calls) == sum(not isinstance(block, TextBlock | ThinkingBlock) for block in quirk.means):
        assert made == [(call.id, call.name, call.input) for call in calls]
    usage = next((chunk.usage for chunk in chunks if chunk.usage), None)
    assert (quirk.usage != Usage()) == (usage is not None)
    if usage is not None:
        ours = quirk.usage
        assert usage.prompt_tokens == ours.input + ours.cache_read + ours.cache_write
        assert usage.completion_tokens == ours.output


def _accumulated(chunks: list[ChatCompletionChunk]) -> tuple[str, str, list[tuple[str, str, Any]]]:
    """Text, thinking and calls, put together as the vendor documents: by index."""
    deltas = [choice.delta for chunk in chunks for choice in chunk.choices]
    calls: dict[int, list[str]] = {}
    for delta in deltas:
        for piece in delta.tool_calls or ():
            call = calls.setdefault(piece.index, ["", "", ""])
            call[0] = call[0] or piece.id or ""
            if piece.function:
                call[1] += piece.function.name or ""
                call[2] += piece.function.arguments or ""
    thoughts = "".join(
        getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None) or "" for delta in deltas
    )
    made = [(id_, name, json.loads(arguments)) for id_, name, arguments in calls.values() if arguments.startswith("{")]
    return "".join(delta.content or "" for delta in deltas), thoughts, made
