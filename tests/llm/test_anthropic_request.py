"""What the Anthropic wire writes: judged by rules of the API, by the vendor's types, and for being byte-stable."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming, MessageCreateParamsStreaming
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from msgspec.structs import replace
from pydantic import TypeAdapter

from helloclaw.llm.json_value import is_array, is_object
from helloclaw.llm.messages import (
    Block,
    ImageBlock,
    MalformedCall,
    Message,
    ModelRequest,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResult,
    user_text,
)
from helloclaw.llm.providers import resolve
from helloclaw.llm.wire import Endpoint
from helloclaw.llm.wire_anthropic import AnthropicWire
from tests.llm.anthropic_quirks import TOOLS

SONNET = "anthropic/claude-sonnet-4-5"
ORIGIN = SONNET
WIRE = AnthropicWire()
JUDGES = {
    True: TypeAdapter[Any](MessageCreateParamsStreaming),
    False: TypeAdapter[Any](MessageCreateParamsNonStreaming),
}

CONVERSATION = (
    user_text("read both"),
    Message(
        role="assistant",
        origin=ORIGIN,
        content=(
            ThinkingBlock(text="two files", signature="c2ln"),
            ThinkingBlock(redacted="ZW5j"),
            TextBlock(text="I read them."),
            ToolCall(id="toolu_1", name="read_file", input={"path": "a"}),
            MalformedCall(id="call:2", name="read_file", raw="{", error="cut"),
        ),
    ),
    Message(
        role="user",
        content=(
            TextBlock(text="<inbox>hello</inbox>"),
            ToolResult(tool_use_id="toolu_1", text="A", images=(ImageBlock(media_type="image/png", data="aW1n"),)),
            ToolResult(tool_use_id="call:2", text="the arguments are cut off", is_error=True),
        ),
    ),
)


def endpoint(model: str = SONNET, **more: Any) -> Endpoint:
    return resolve(model, wire="anthropic", environ={}, api_key="k", **more)


def write(messages: tuple[Message, ...], model: str = SONNET, **more: Any) -> dict[str, Any]:
    return WIRE.request(ModelRequest(messages=messages, **more), endpoint(model)).body


def judge(body: dict[str, Any]) -> None:
    """The vendor's own types take it, and it holds nothing that they do not know (they would leave that out)."""
    assert unrolled(JUDGES[body["stream"]].validate_python(body)) == body


def unrolled(value: Any) -> Any:
    """The vendor's iterables are validated while they are read."""
    if is_object(value):
        return {key: unrolled(entry) for key, entry in value.items()}
    return [unrolled(entry) for entry in value] if hasattr(value, "__next__") or is_array(value) else value


def test_a_whole_request() -> None:
    request = ModelRequest(messages=CONVERSATION, system="Be brief.", tools=TOOLS, thinking_budget=2000)
    written = WIRE.request(request, endpoint())
    assert (written.url, written.headers) == snapshot(
        ("https://api.anthropic.com/v1/messages", {"anthropic-version": "2023-06-01", "x-api-key": "k"})
    )
    judge(written.body)
    assert written.body == snapshot(
        {
            "model": "claude-sonnet-4-5",
            "max_tokens": 10000,
            "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
            "tools": [
                {
                    "name": "read_file",
                    "description": "Read a file.",
                    "input_schema": {
                        "type": "object",
                        "properties": {"path": {"type": "string"}},
                        "required": ["path"],
                    },
                },
                {
                    "name": "list_files",
                    "description": "List files.",
                    "input_schema": {"type": "object", "properties": {}},
                    "cache_control": {"type": "ephemeral"},
                },
            ],
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "text", "text": "read both", "cache_control": {"type": "ephemeral"}}],
                },
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "two files", "signature": "c2ln"},
                        {"type": "redacted_thinking", "data": "ZW5j"},
                        {"type": "text", "text": "I read them."},
                        {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {"path": "a"}},
                        {"type": "tool_use", "id": "call_2", "name": "read_file", "input": {}},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "toolu_1",
                            "content": [
                                {"type": "text", "text": "A"},
                                {
                                    "type": "image",
                                    "source": {"type": "base64", "media_type": "image/png", "data": "aW1n"},
                                },
                            ],
                        },
                        {
                            "type": "tool_result",
                            "tool_use_id": "call_2",
                            "content": "the arguments are cut off",
                            "is_error": True,
                        },
                        {"type": "text", "text": "<inbox>hello</inbox>", "cache_control": {"type": "ephemeral"}},
                    ],
                },
            ],
            "thinking": {"type": "enabled", "budget_tokens": 2000},
            "stream": True,
        }
    )


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("https://api.deepseek.com/anthropic", "https://api.deepseek.com/anthropic/v1/messages"),
        ("https://gateway.example/v1", "https://gateway.example/v1/messages"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1/messages"),
    ],
)
def test_the_address(base_url: str, url: str) -> None:
    at = replace(endpoint(), base_url=base_url)
    assert WIRE.request(ModelRequest(messages=CONVERSATION), at).url == url


def test_how_the_key_travels() -> None:
    request = ModelRequest(messages=CONVERSATION)
    bearer = WIRE.request(request, replace(endpoint(), auth="bearer")).headers
    assert bearer == {"anthropic-version": "2023-06-01", "authorization": "Bearer k"}
    assert WIRE.request(request, replace(endpoint(), api_key="")).headers == {"anthropic-version": "2023-06-01"}


def test_an_answer_in_text_keeps_the_tools_for_the_cache() -> None:
    body = write(CONVERSATION, tools=TOOLS, tool_choice="none")
    judge(body)
    assert (body["tool_choice"], len(body["tools"])) == ({"type": "none"}, 2)
    assert "tool_choice" not in write(CONVERSATION, tool_choice="none")


@pytest.mark.parametrize(
    ("model", "budget", "sent"),
    [
        (SONNET, 0, {"max_tokens": 8000}),
        (SONNET, 500, {"max_tokens": 9024, "thinking": {"type": "enabled", "budget_tokens": 1024}}),
        (SONNET, 20000, {"max_tokens": 28000, "thinking": {"type": "enabled", "budget_tokens": 20000}}),
        (
            "anthropic/claude-opus-4-8",
            4096,
            {"max_tokens": 12096, "thinking": {"type": "adaptive", "display": "summarized"}},
        ),
        ("deepseek/deepseek-v4-flash", 0, {"max_tokens": 8000, "thinking": {"type": "disabled"}}),
        (
            "deepseek/deepseek-v4-flash",
            4096,
            {"max_tokens": 12096, "thinking": {"type": "enabled", "budget_tokens": 4096}},
        ),
    ],
)
def test_how_thinking_is_asked_for(model: str, budget: int, sent: dict[str, Any]) -> None:
    body = write((user_text("hi"),), model, thinking_budget=budget)
    judge(body)
    assert {key: body[key] for key in ("max_tokens", "thinking") if key in body} == sent


def test_temperature_is_sent_where_it_is_taken() -> None:
    hi = (user_text("hi"),)
    assert write(hi, temperature=0.2)["temperature"] == 0.2
    assert "temperature" not in write(hi, temperature=0.2, thinking_budget=2000)
    assert "temperature" not in write(hi, "anthropic/claude-opus-4-8", temperature=0.2)


def thoughts(body: dict[str, Any]) -> list[Any]:
    blocks = [block for turn in body["messages"] for block in turn["content"]]
    return [block for block in blocks if block["type"] in ("thinking", "redacted_thinking")]


def test_only_the_models_own_thinking_is_replayed() -> None:
    assert len(thoughts(write(CONVERSATION))) == 2
    assert thoughts(write(CONVERSATION, "anthropic/claude-opus-4-5")) == []
    assert thoughts(write(CONVERSATION, "minimax/MiniMax-M3")) == []


def turn(*content: Block, origin: str | None = None) -> tuple[Message, ...]:
    result = Message(role="user", content=(ToolResult(tool_use_id="t", text="r"),))
    call = ToolCall(id="t", name="read_file", input={})
    return (user_text("hi"), Message(role="assistant", origin=origin, content=(*content, call)), result)


def test_unsigned_thinking_is_replayed_where_that_is_allowed() -> None:
    thought = ThinkingBlock(text="hm")
    assert thoughts(write(turn(thought, origin=SONNET))) == []
    minimax = turn(thought, origin="minimax/MiniMax-M3")
    assert thoughts(write(minimax, "minimax/MiniMax-M3")) == [{"type": "thinking", "thinking": "hm", "signature": ""}]
    signed = turn(ThinkingBlock(text="hm", signature="s"), origin="minimax/MiniMax-M3")
    assert thoughts(write(signed, "minimax/MiniMax-M3")) == [{"type": "thinking", "thinking": "hm", "signature": "s"}]


def test_deepseek_gets_a_thinking_block_with_every_call_while_it_thinks() -> None:
    model = "deepseek/deepseek-v4-flash"
    empty = {"type": "thinking", "thinking": "", "signature": ""}
    assert thoughts(write(turn(TextBlock(text="x")), model, thinking_budget=2000)) == [empty]
    assert thoughts(write(turn(TextBlock(text="x")), model)) == []
    own = turn(ThinkingBlock(text="hm", signature="s"), origin=model)
    kept = {"type": "thinking", "thinking": "hm", "signature": "s"}
    assert thoughts(write(own, model, thinking_budget=2000)) == [kept]


def test_a_tool_loop_that_began_without_thinking_goes_on_without() -> None:
    assert "thinking" not in write(turn(), thinking_budget=2000)
    assert "thinking" in write(turn(ThinkingBlock(text="hm", signature="s"), origin=SONNET), thinking_budget=2000)
    assert "thinking" in write(
        (*turn(), Message(role="assistant", content=(TextBlock(text="x"),)), user_text("y")), thinking_budget=2000
    )


def test_a_model_without_eyes_is_told_that_there_was_an_image() -> None:
    image = ImageBlock(media_type="image/png", data="aW1n")
    body = write((Message(role="user", content=(image,)),), "deepseek/deepseek-v4-flash")
    assert body["messages"][0]["content"][0]["text"] == "(An image stood here; this model can't see images.)"


ANY_TEXT = st.text(max_size=6) | st.sampled_from(["", " ", "\n"])
IDS = st.sampled_from(["a", "b", "call:1", "", "编号"]) | st.text(max_size=4)
CALLS = st.builds(ToolCall, id=IDS, name=st.just("read_file"), input=st.just({"path": "x"})) | st.builds(
    MalformedCall, id=IDS, name=st.just("read_file"), raw=ANY_TEXT, error=ANY_TEXT
)
THOUGHTS = st.builds(ThinkingBlock, text=ANY_TEXT, signature=st.sampled_from([None, "s"]))
ASSISTANT = st.builds(
    Message,
    role=st.just("assistant"),
    origin=st.sampled_from([None, ORIGIN]),
    content=st.lists(st.builds(TextBlock, text=ANY_TEXT) | THOUGHTS | CALLS, max_size=4).map(tuple),
)
IMAGES = st.builds(ImageBlock, media_type=st.just("image/png"), data=st.just("aW1n"))


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    """As they are after repair: every call is answered in the next message. Anything else may be odd."""
    messages: list[Message] = []
    for _ in range(draw(st.integers(0, 4))):
        messages += draw(st.lists(st.builds(TextBlock, text=ANY_TEXT) | IMAGES, max_size=2).map(said))
        answer = draw(ASSISTANT)
        calls = [block for block in answer.content if isinstance(block, ToolCall | MalformedCall)]
        if len({call.id for call in calls}) < len(calls):
            continue
        results: list[Block] = [ToolResult(tool_use_id=call.id, text=draw(ANY_TEXT)) for call in calls]
        messages.append(answer)
        if results:
            texts: list[Block] = [TextBlock(text=draw(ANY_TEXT))]
            messages.append(Message(role="user", content=tuple(draw(st.permutations(results + texts)))))
    return tuple(messages)


def said(blocks: list[Any]) -> list[Message]:
    return [Message(role="user", content=tuple(blocks))]


@given(conversations())
def test_the_rules_of_the_api_hold_for_any_conversation(messages: tuple[Message, ...]) -> None:
    body = write(messages, tools=TOOLS)
    judge(body)
    turns: list[dict[str, Any]] = body["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant"] * (len(turns) // 2) + ["user"]
    blocks = [block for turn in turns for block in turn["content"]]
    assert all(turn["content"] for turn in turns)
    assert all(block["text"].strip() for block in blocks if block["type"] == "text")
    ids = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]+", id_) for id_ in ids)
    for before, after in pairwise(turns):
        assert before["content"][-1]["type"] not in ("thinking", "redacted_thinking")
        asked = [block["id"] for block in before["content"] if block["type"] == "tool_use"]
        kinds = [block["type"] for block in after["content"]]
        answered = [block["tool_use_id"] for block in after["content"] if block["type"] == "tool_result"]
        assert sorted(answered) == sorted(asked)
        assert kinds[: len(answered)] == ["tool_result"] * len(answered)
    assert sum("cache_control" in block for block in blocks) == min(2, (len(turns) + 1) // 2)


@given(conversations())
def test_a_request_begins_with_the_bytes_of_the_one_before(messages: tuple[Message, ...]) -> None:
    """Whatever is said next, what the provider has cached is sent again as it was."""
    opened = (user_text("begin"), *messages, user_text("and now?"))
    answer = Message(role="assistant", origin=ORIGIN, content=(TextBlock(text="done"),))
    first = write(opened, system="s", tools=TOOLS)
    second = write((*opened, answer, user_text("next")), system="s", tools=TOOLS)
    assert without_marks(second["messages"])[: len(first["messages"])] == without_marks(first["messages"])
    assert encoded(first).partition(b'"messages"')[0] == encoded(second).partition(b'"messages"')[0]


def encoded(body: dict[str, Any]) -> bytes:
    return msgspec.json.encode(body)


def without_marks(turns: list[dict[str, Any]]) -> list[bytes]:
    """The bytes of each turn, without the marks that move along."""
    return [msgspec.json.encode(turn).replace(b',"cache_control":{"type":"ephemeral"}', b"") for turn in turns]
