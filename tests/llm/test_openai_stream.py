"""The decoder of Chat Completions: whole answers, dead connections, and anything at all."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.llm.events import (
    Failed,
    Finish,
    StreamEvent,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallEnd,
    Usage,
)
from helloclaw.llm.messages import Message, ModelRequest, TextBlock, ThinkingBlock, ToolCall, user_text
from helloclaw.llm.openai_stream import OpenAIDecoder, decode_whole
from helloclaw.llm.providers import resolve
from helloclaw.llm.wire import Endpoint, SseEvent
from helloclaw.llm.wire_openai import OpenAIWire
from tests.llm.asking import amounts_to, ask
from tests.llm.openai_quirks import DSML, LEAKED, TOOLS, A, call, read, say, text
from tests.support.model_answers import openai_chunk, openai_whole
from tests.support.model_server import ModelServer, sse

REQUEST = ModelRequest(messages=(user_text("hi"),), tools=TOOLS)


def endpoint(model: str = "some-model") -> Endpoint:
    return resolve(model, base_url="http://127.0.0.1:9/v1", wire="openai", environ={})


def decode(*chunks: Any, model: str = "some-model", clean: bool | None = True) -> list[StreamEvent]:
    decoder = OpenAIDecoder(REQUEST, endpoint(model))
    events = [event for chunk in chunks for event in decoder.feed(SseEvent("message", json.dumps(chunk)))]
    return events if clean is None else events + decoder.close(clean=clean)


def test_blocks_nest_and_space_alone_is_no_block() -> None:
    events = decode(
        openai_chunk({"content": "\n"}),
        openai_chunk({"reasoning_content": "hm"}),
        openai_chunk({"content": "\n"}),
        openai_chunk({"reasoning_content": "m"}),
        openai_chunk({"content": " Hi"}),
        openai_chunk({"content": "!"}, "stop"),
    )
    assert events == [
        *(ThinkingStart(), ThinkingDelta("hm"), ThinkingDelta("m"), ThinkingEnd()),
        *(TextStart(), TextDelta("\n\n Hi"), TextDelta("!"), TextEnd()),
        Finish("end_turn"),
    ]


def test_text_is_shown_as_it_comes() -> None:
    assert decode(openai_chunk({"content": "a < b"}), clean=None) == [TextStart(), TextDelta("a < b")]


@pytest.mark.parametrize("cut", [0, 1, 2])
async def test_a_connection_that_dies_is_an_interruption_unless_the_answer_had_ended(cut: int) -> None:
    """Cut in the middle, after the text, and after the finish reason but before `[DONE]`."""
    said = say(*text("Hello"))
    at = [said.index(b"Hel"), said.index(b'"finish_reason": "stop"'), said.index(b"data: [DONE]")][cut]
    with ModelServer() as server:
        server.script(sse(said, cut_at=at, reset=cut == 0))
        there = resolve("minimax/MiniMax-M2", base_url=f"{server.base_url}/v1", environ={}, wire="openai")
        folded = amounts_to(await ask(OpenAIWire(), REQUEST, there))
    if cut == 2:
        assert (folded.message().content, folded.stop_reason) == ((TextBlock(text="Hello"),), "end_turn")
    else:
        assert folded.failure is not None
        assert (folded.failure.kind, folded.failure.retryable) == ("interrupted", True)


def test_a_whole_answer_gives_the_events_of_a_streamed_one() -> None:
    body = openai_whole(
        "Hi",
        thinking="hm",
        tools=[("c", "read_file", {"path": "a"}), ("c", "read_file", {"path": "b"})],
        usage=Usage(input=3, output=5, cache_read=4, reasoning=2),
    )
    folded = amounts_to(decode_whole(body, REQUEST, endpoint()))
    thinking, said, first, second = folded.message().content
    assert (thinking, said, first) == (ThinkingBlock(text="hm"), TextBlock(text="Hi"), read("c", "a"))
    assert isinstance(second, ToolCall)
    assert second.input == {"path": "b"}
    assert second.id != "c"
    assert (folded.stop_reason, folded.usage) == (
        "tool_use",
        Usage(input=3, output=5, cache_read=4, reasoning=2),
    )


@pytest.mark.parametrize(
    ("model", "content", "means"),
    [
        ("deepseek-chat", DSML, LEAKED),
        ("MiniMax-M2", "<think>hm</think>Hi", (ThinkingBlock(text="hm"), TextBlock(text="Hi"))),
        ("m", "hm</think>Hi", (ThinkingBlock(text="hm"), TextBlock(text="Hi"))),
        ("m", json.dumps({"name": "read_file", "arguments": {"path": "a"}}), (read("*", "a"),)),
    ],
)
def test_quirks_of_text_in_a_whole_answer(model: str, content: str, means: tuple[Any, ...]) -> None:
    from tests.llm.asking import anonymous

    folded = amounts_to(decode_whole(openai_whole(content), REQUEST, endpoint(model)))
    assert anonymous(folded.message().content, means) == means


def test_a_whole_answer_in_an_envelope() -> None:
    body = {"data": openai_whole("Hi"), "success": True}
    assert amounts_to(decode_whole(body, REQUEST, endpoint())).message().content == (TextBlock(text="Hi"),)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}, "rate_limit"),
        ({"choices": []}, "protocol"),
        ({}, "protocol"),
    ],
)
def test_a_whole_answer_that_is_none(body: dict[str, Any], kind: str) -> None:
    (failed,) = decode_whole(body, REQUEST, endpoint())
    assert isinstance(failed, Failed)
    assert failed.kind == kind


def test_made_ids_are_new_in_the_conversation_and_the_same_each_time() -> None:
    history = [user_text("hi")]
    ids: list[str] = []
    for _ in range(3):
        request = ModelRequest(messages=tuple(history), tools=TOOLS)
        runs = []
        for _ in range(2):
            decoder = OpenAIDecoder(request, endpoint())
            data = json.dumps(openai_chunk(call(0, "", "read_file", A), "stop"))
            runs.append([*decoder.feed(SseEvent("message", data)), *decoder.close(clean=True)])
        assert runs[0] == runs[1]
        message = amounts_to(runs[0]).message()
        ids += [block.id for block in message.content if isinstance(block, ToolCall)]
        history += [Message(role="assistant", content=message.content), user_text("go on")]
    assert len(set(ids)) == 3


def test_another_api_is_named_as_such() -> None:
    (failed,) = decode({"type": "message_start", "message": {}}, {"type": "message_stop"})
    assert isinstance(failed, Failed)
    assert (failed.kind, failed.retryable) == ("protocol", False)


FIELDS = [
    *("choices", "delta", "message", "content", "tool_calls", "index", "id", "function", "name", "finish_reason"),
    *("usage", "prompt_tokens", "error", "code", "reasoning_content", "arguments", "type", "text", "thinking"),
    *("function_call", "refusal", "extra_content", "google", "prompt_tokens_details", "reasoning_details"),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats() | st.sampled_from(["", "stop", "x", "{}"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=12,
)
SHAPED = st.builds(
    lambda delta, finish, usage: {"choices": [{"delta": delta, "finish_reason": finish}], "usage": usage},
    *(JSON, JSON, JSON),
)


@given(st.lists(JSON | SHAPED, max_size=6), st.booleans())
def test_whatever_arrives_the_last_event_is_the_only_end(chunks: list[Any], clean: bool) -> None:
    events = decode(*chunks, clean=clean)
    assert [event for event in events if isinstance(event, Finish | Failed)] == events[-1:]
    amounts_to(events)


@given(JSON | SHAPED)
def test_whatever_a_whole_answer_is_it_has_an_end(body: Any) -> None:
    if isinstance(body, dict):
        events = decode_whole(body, REQUEST, endpoint())
        assert [event for event in events if isinstance(event, Finish | Failed)] == events[-1:]


@pytest.mark.parametrize("name", [None, "read_file"])
def test_long_arguments_in_small_pieces_cost_no_more_than_their_length(name: str | None) -> None:
    pieces = ["12345678"] * 40_000
    deltas = [call(0, "a", "read_file", '{"path":"'), *(call(0, "a", name, each) for each in pieces)]
    decoder = OpenAIDecoder(REQUEST, endpoint())
    started = time.process_time()
    for chunk in (*map(openai_chunk, deltas), openai_chunk(call(0, "a", name, '"}'), "tool_calls")):
        decoder.feed(SseEvent("message", json.dumps(chunk)))
    assert time.process_time() - started < 8  # far more when every piece looks at all before it
    assert ToolCallEnd(read("a", "".join(pieces))) in decoder.close(clean=True)
