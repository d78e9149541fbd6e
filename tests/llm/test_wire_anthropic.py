"""Every quirk of the Messages API over a real socket, however the bytes are cut; the vendor's client is the judge."""

from __future__ import annotations

from typing import Any

import anthropic
import pytest

from helloclaw.llm.events import Failed, Finish, StreamEvent
from helloclaw.llm.messages import ModelRequest, TextBlock, ThinkingBlock, ToolCall
from helloclaw.llm.providers import resolve
from helloclaw.llm.transport import Transport
from helloclaw.llm.wire import Endpoint
from helloclaw.llm.wire_anthropic import AnthropicWire
from tests.llm.anthropic_quirks import LIMIT, QUIRKS, TOOLS, Quirk
from tests.llm.asking import amounts_to, anonymous
from tests.support.model_server import ModelServer, json_answer, sse

JUDGED = [quirk for quirk in QUIRKS if quirk.judged]


def endpoint_of(quirk: Quirk, server: ModelServer, *, stream: bool = True) -> Endpoint:
    return resolve(
        f"{quirk.provider}/some-model", base_url=server.base_url, wire="anthropic", environ={}, stream=stream
    )


async def ask(quirk: Quirk, endpoint: Endpoint) -> list[StreamEvent]:
    transport = Transport()
    request = ModelRequest(messages=quirk.messages, tools=TOOLS, max_output_tokens=LIMIT)
    try:
        return [event async for event in transport.call(request, endpoint, AnthropicWire())]
    finally:
        await transport.aclose()


@pytest.mark.parametrize("chunk", [1, 7, 4096])
@pytest.mark.parametrize("quirk", QUIRKS, ids=lambda quirk: quirk.id)
async def test_a_quirk(quirk: Quirk, chunk: int) -> None:
    with ModelServer() as server:
        server.script(sse(quirk.said, chunk=chunk))
        events = await ask(quirk, endpoint_of(quirk, server))
    folded = amounts_to(events)
    assert [event for event in events if isinstance(event, Finish | Failed)] == [events[-1]]
    if quirk.failed is not None:
        assert folded.failure is not None
        assert (folded.failure.kind, folded.failure.retryable) == (quirk.failed, quirk.retryable)
        return
    assert folded.failure is None
    assert anonymous(folded.message().content, quirk.means) == quirk.means
    assert (folded.stop_reason, folded.usage) == (quirk.stop, quirk.usage)


@pytest.mark.parametrize("quirk", JUDGED, ids=lambda quirk: quirk.id)
def test_the_vendors_client_reads_the_same(quirk: Quirk) -> None:
    with ModelServer() as server:
        server.script(sse(quirk.said))
        with client(server).messages.stream(
            model="m", max_tokens=10, messages=[{"role": "user", "content": "hi"}]
        ) as stream:
            message = stream.get_final_message()
    assert as_the_vendor_says(quirk) == message.to_dict()["content"]
    assert quirk.stop == message.stop_reason
    usage = message.usage
    assert (quirk.usage.input, quirk.usage.output, quirk.usage.cache_read, quirk.usage.cache_write) == (
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_input_tokens or 0,
        usage.cache_creation_input_tokens or 0,
    )


@pytest.mark.parametrize("quirk", JUDGED, ids=lambda quirk: quirk.id)
async def test_an_answer_that_is_not_streamed_means_the_same(quirk: Quirk) -> None:
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": as_the_vendor_says(quirk),
        "stop_reason": quirk.stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": quirk.usage.input,
            "output_tokens": quirk.usage.output,
            "cache_read_input_tokens": quirk.usage.cache_read,
            "cache_creation_input_tokens": quirk.usage.cache_write,
        },
    }
    with ModelServer() as server:
        server.script(json_answer(body), json_answer(body), json_answer(body))
        told_whole = amounts_to(await ask(quirk, endpoint_of(quirk, server, stream=False)))
        asked_for_a_stream = amounts_to(await ask(quirk, endpoint_of(quirk, server)))
        judge = client(server).messages.create(model="m", max_tokens=10, messages=[{"role": "user", "content": "hi"}])
        assert [post.json["stream"] for post in server.posts[:2]] == [False, True]
    for folded in (told_whole, asked_for_a_stream):
        assert folded.message().content == quirk.means
        assert (folded.stop_reason, folded.usage) == (quirk.stop, quirk.usage)
    assert judge.to_dict()["content"] == body["content"]


def client(server: ModelServer) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=server.base_url, api_key="k", max_retries=0)


def as_the_vendor_says(quirk: Quirk) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = []
    for block in quirk.means:
        match block:
            case TextBlock(text=text):
                content.append({"type": "text", "text": text})
            case ThinkingBlock(redacted=str() as data):
                content.append({"type": "redacted_thinking", "data": data})
            case ThinkingBlock():
                content.append({"type": "thinking", "thinking": block.text, "signature": block.signature or ""})
            case ToolCall():
                content.append({"type": "tool_use", "id": block.id, "name": block.name, "input": block.input})
            case _:
                raise AssertionError(block)
    return content
