"""What the OpenAI wire writes: whole bodies by provider, judged by the rules of the APIs and by the vendor's types."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from msgspec.structs import replace
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)
from pydantic import TypeAdapter

from helloclaw.agent.repair import repair
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
    ToolSpec,
    user_text,
)
from helloclaw.llm.provider_profiles import CUSTOM, CUSTOM_LOCAL, PROFILES
from helloclaw.llm.providers import resolve, with_model_quirks
from helloclaw.llm.validate import openai_problems
from helloclaw.llm.wire import Endpoint
from helloclaw.llm.wire_openai import OpenAIWire
from tests.llm.openai_quirks import TOOLS

WIRE = OpenAIWire()
JUDGES = {
    True: TypeAdapter[Any](CompletionCreateParamsStreaming),
    False: TypeAdapter[Any](CompletionCreateParamsNonStreaming),
}
IMAGE = ImageBlock(media_type="image/png", data="aW1n")
EVERY_PROFILE = [
    *(profile for profile in PROFILES if "openai" in profile.base_urls),
    CUSTOM,
    *(with_model_quirks(CUSTOM_LOCAL, name) for name in ("deepseek-chat", "kimi-k2", "MiniMax-M2", "gemini-3-pro")),
]


def endpoint(model: str, **more: Any) -> Endpoint:
    return resolve(model, api_key="k", environ={}, **more)


def conversation(origin: str | None) -> tuple[Message, ...]:
    return (
        user_text("read both"),
        Message(
            role="assistant",
            origin=origin,
            content=(
                ThinkingBlock(text="two files"),
                TextBlock(text="I read them."),
                ToolCall(id="read_file:0", name="read_file", input={"path": "文"}, signature="c2ln"),
                MalformedCall(id="read_file:1", name="read file", raw="{", error="cut"),
            ),
        ),
        Message(
            role="user",
            content=(
                ToolResult(tool_use_id="read_file:0", text="A"),
                ToolResult(tool_use_id="read_file:1", text="", is_error=True),
                TextBlock(text="<inbox>hello</inbox>"),
            ),
        ),
        Message(role="assistant", origin=origin, content=(ThinkingBlock(text="done"), TextBlock(text="Both are A."))),
        user_text("thanks"),
    )


def messages_for(model: str, *, own: bool = True, **more: Any) -> list[dict[str, Any]]:
    there = endpoint(model, **more)
    return body_for(there, messages=conversation(there.origin if own else "other/model"))["messages"]


def body_for(there: Endpoint, **fields: Any) -> dict[str, Any]:
    request = ModelRequest(**({"messages": conversation(there.origin), "system": "Be brief.", "tools": TOOLS} | fields))
    body = WIRE.request(request, there).body
    assert openai_problems(body, there.profile) == []
    JUDGES[there.stream].validate_python(body)
    return body


def test_a_whole_request() -> None:
    written = WIRE.request(
        ModelRequest(messages=(user_text("hi"),), system="Be brief.", tools=TOOLS[1:], temperature=0.2),
        endpoint("openai/gpt-4o"),
    )
    assert (written.url, written.headers, written.body) == snapshot(
        (
            "https://api.openai.com/v1/chat/completions",
            {"authorization": "Bearer k"},
            {
                "model": "gpt-4o",
                "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}],
                "tools": [
                    {
                        "type": "function",
                        "function": {
                            "name": "list_files",
                            "description": "List files.",
                            "parameters": {"type": "object", "properties": {}},
                        },
                    }
                ],
                "max_completion_tokens": 8000,
                "temperature": 0.2,
                "stream": True,
                "stream_options": {"include_usage": True},
            },
        )
    )


def test_openai_gets_no_thinking_back() -> None:
    assert messages_for("openai/gpt-4o") == snapshot(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "read both"},
            {
                "role": "assistant",
                "content": "I read them.",
                "tool_calls": [
                    {
                        "id": "read_file:0",
                        "type": "function",
                        "function": {"name": "read_file", "arguments": '{"path":"文"}'},
                        "extra_content": {"google": {"thought_signature": "c2ln"}},
                    },
                    {"id": "read_file:1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}},
                ],
            },
            {"role": "tool", "tool_call_id": "read_file:0", "content": "A"},
            {"role": "tool", "tool_call_id": "read_file:1", "content": "(empty)"},
            {"role": "user", "content": "<inbox>hello</inbox>"},
            {"role": "assistant", "content": "Both are A."},
            {"role": "user", "content": "thanks"},
        ]
    )


def test_deepseek_gets_its_thinking_back() -> None:
    assert messages_for("deepseek/deepseek-v4-flash")[2:] == snapshot(
        [
            {
                "role": "assistant",
                "content": "I read them.",
                "reasoning_content": "two files",
                "tool_calls": [
                    {
                        "id": "read_file:0",
                        "type": "function",
                        "function": {"name": "read_file", "arguments": '{"path":"文"}'},
                        "extra_content": {"google": {"thought_signature": "c2ln"}},
                    },
                    {"id": "read_file:1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}},
                ],
            },
            {"role": "tool", "tool_call_id": "read_file:0", "content": "A"},
            {"role": "tool", "tool_call_id": "read_file:1", "content": "(empty)"},
            {"role": "user", "content": "<inbox>hello</inbox>"},
            {"role": "assistant", "content": "Both are A.", "reasoning_content": "done"},
            {"role": "user", "content": "thanks"},
        ]
    )


@pytest.mark.parametrize("model", ["deepseek/deepseek-v4-flash", "moonshot/kimi-k2.6"])
def test_no_thinking_is_an_empty_one_where_it_is_required(model: str) -> None:
    turns = [message for message in messages_for(model, own=False) if message["role"] == "assistant"]
    assert [turn.get("reasoning_content") for turn in turns] == ["", None]


@pytest.mark.parametrize(
    ("model", "url"),
    [("deepseek-chat", "http://127.0.0.1:9/v1"), ("moonshotai/Kimi-K2", "https://gateway.example/v1")],
)
def test_a_models_name_tells_its_quirks_at_an_unknown_host(model: str, url: str) -> None:
    turns = [message for message in messages_for(model, own=False, base_url=url) if message["role"] == "assistant"]
    assert turns[0]["reasoning_content"] == ""


def test_minimax_gets_its_thinking_back_in_tags() -> None:
    contents = [message["content"] for message in messages_for("minimax/MiniMax-M2", wire="openai")]
    assert contents == snapshot(
        [
            "Be brief.",
            "read both",
            """\
<think>
two files
</think>

I read them.\
""",
            "A",
            "(empty)",
            "<inbox>hello</inbox>",
            """\
<think>
done
</think>

Both are A.\
""",
            "thanks",
        ]
    )


def test_openrouter_gets_reasoning_and_details_back_and_marks_for_claudes_cache() -> None:
    there = endpoint("openrouter/anthropic/claude-sonnet-5.5")
    details = [{"type": "reasoning.text", "index": 0, "text": "hm", "signature": "c2ln"}]
    messages = (
        user_text("read a"),
        Message(
            role="assistant",
            origin=there.origin,
            content=(ThinkingBlock(text="hm", details=details), ToolCall(id="c", name="read_file", input={})),
        ),
        Message(role="user", content=(ToolResult(tool_use_id="c", text="A"),)),
    )
    assert body_for(there, messages=messages)["messages"] == snapshot(
        [
            {
                "role": "system",
                "content": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
            },
            {"role": "user", "content": [{"type": "text", "text": "read a", "cache_control": {"type": "ephemeral"}}]},
            {
                "role": "assistant",
                "content": "",
                "reasoning": "hm",
                "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "hm", "signature": "c2ln"}],
                "tool_calls": [{"id": "c", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}],
            },
            {
                "role": "tool",
                "tool_call_id": "c",
                "content": [{"type": "text", "text": "A", "cache_control": {"type": "ephemeral"}}],
            },
        ]
    )
    other = endpoint("openrouter/deepseek/deepseek-v4-flash")
    assert "cache_control" not in json.dumps(body_for(other, messages=messages))


def test_gemini_gets_its_signature_back_and_a_stand_in_for_one_that_is_missing() -> None:
    def calls(*, own: bool) -> list[dict[str, Any]]:
        return next(message["tool_calls"] for message in messages_for("gemini/gemini-3.8-flash", own=own)[2:])

    assert [call.get("extra_content") for call in calls(own=True)] == [
        {"google": {"thought_signature": "c2ln"}},
        None,
    ]
    assert [call.get("extra_content") for call in calls(own=False)] == [
        {"google": {"thought_signature": "skip_thought_signature_validator"}},
        None,
    ]


def test_mistral_gets_ids_of_nine_characters_and_no_user_message_after_a_tools() -> None:
    assert messages_for("mistral/devstral-2512")[2:5] == snapshot(
        [
            {
                "role": "assistant",
                "content": "I read them.",
                "tool_calls": [
                    {
                        "id": "909L121b5",
                        "type": "function",
                        "function": {"name": "read_file", "arguments": '{"path":"文"}'},
                        "extra_content": {"google": {"thought_signature": "c2ln"}},
                    },
                    {"id": "lCF4ITsSZ", "type": "function", "function": {"name": "read_file", "arguments": "{}"}},
                ],
            },
            {"role": "tool", "tool_call_id": "909L121b5", "content": "A"},
            {
                "role": "tool",
                "tool_call_id": "lCF4ITsSZ",
                "content": """\
(empty)

<inbox>hello</inbox>\
""",
            },
        ]
    )


def test_images_go_to_those_who_see_and_out_of_tool_messages() -> None:
    messages = (
        Message(role="user", content=(TextBlock(text="what is this?"), IMAGE)),
        Message(role="assistant", content=(ToolCall(id="c", name="read_file", input={"path": "p"}),)),
        Message(role="user", content=(ToolResult(tool_use_id="c", text="", images=(IMAGE,)),)),
    )
    assert body_for(endpoint("openai/gpt-4o"), messages=messages)["messages"][1:] == snapshot(
        [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "what is this?"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,aW1n"}},
                ],
            },
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": '{"path":"p"}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "c", "content": "(empty)"},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Images from the tool results above:"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,aW1n"}},
                ],
            },
        ]
    )
    assert body_for(endpoint("deepseek/deepseek-v4-flash"), messages=messages)["messages"][1:] == snapshot(
        [
            {
                "role": "user",
                "content": """\
what is this?

(An image was here; this model can't see images.)\
""",
            },
            {
                "role": "assistant",
                "content": "",
                "reasoning_content": "",
                "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": '{"path":"p"}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "c", "content": "(empty)"},
            {"role": "user", "content": "(An image was here; this model can't see images.)"},
        ]
    )


EXTRAS = {"temperature": 0.2, "frequency_penalty": 0.5, "presence_penalty": 0.3}


@pytest.mark.parametrize(
    ("model", "more", "fields", "extra"),
    [
        ("deepseek/deepseek-v4-flash", {}, EXTRAS, EXTRAS | {"max_tokens": 8000, "thinking": {"type": "disabled"}}),
        (
            "deepseek/deepseek-v4-flash",
            {},
            {"thinking_budget": 4096},
            {"max_tokens": 12096, "thinking": {"type": "enabled"}},
        ),
        ("moonshot/kimi-k2.6", {}, EXTRAS, {"max_tokens": 8000}),
        ("kimi-k2", {"base_url": "http://127.0.0.1:9/v1"}, EXTRAS, {"max_tokens": 8000}),
        ("zhipu/glm-4.6", {}, EXTRAS, {"temperature": 0.2, "max_tokens": 8000, "tool_stream": True}),
        ("openai/gpt-5.5", {}, EXTRAS, {"max_completion_tokens": 8000}),
        ("openai/gpt-4o", {}, EXTRAS, EXTRAS | {"max_completion_tokens": 8000}),
        ("openai/o3", {}, {"thinking_budget": 4096}, {"max_completion_tokens": 12096, "reasoning_effort": "medium"}),
        ("gemini/gemini-3.8-flash", {}, EXTRAS, {"temperature": 0.2, "max_tokens": 8000}),
        ("ollama/qwen3:8b", {}, {}, {"max_tokens": 8000, "options": {"num_ctx": 32768}}),
        ("ollama/qwen3:8b", {"context_window": 65536}, {}, {"max_tokens": 8000, "options": {"num_ctx": 65536}}),
        ("dashscope/qwen3-max", {}, {}, {"max_tokens": 8000}),
        ("dashscope/qwen3-max", {"stream": False}, {}, {"max_tokens": 8000, "enable_thinking": False}),
        (
            "qwen3",
            {"stream": False, "base_url": "http://127.0.0.1:9/v1"},
            {},
            {"max_tokens": 8000, "enable_thinking": False},
        ),
        ("dashscope/qwq-plus", {"stream": False}, {}, {"max_tokens": 8000}),
        (
            "dashscope/qwen3-max",
            {},
            {"thinking_budget": 1024},
            {"max_tokens": 9024, "enable_thinking": True, "thinking_budget": 1024},
        ),
        ("openrouter/x/y", {}, {"thinking_budget": 1024}, {"max_tokens": 9024, "reasoning": {"max_tokens": 1024}}),
        (
            "local",
            {},
            {"response_schema": {"type": "object"}},
            {"max_tokens": 8000, "json_schema": {"type": "object"}},
        ),
        (
            "openai/gpt-4o",
            {},
            {"response_schema": {"type": "object"}},
            {
                "max_completion_tokens": 8000,
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "schema": {"type": "object"}},
                },
            },
        ),
        (
            "deepseek/x",
            {},
            {"response_schema": {"type": "object"}},
            {"max_tokens": 8000, "thinking": {"type": "disabled"}},
        ),
        ("mistral/devstral-2512", {}, EXTRAS, EXTRAS | {"max_tokens": 8000}),
    ],
)
def test_what_else_is_sent(model: str, more: dict[str, Any], fields: dict[str, Any], extra: dict[str, Any]) -> None:
    body = body_for(endpoint(model, **more), **fields)
    for common in ("model", "messages", "tools", "stream", "stream_options"):
        body.pop(common, None)
    assert body == extra


def test_usage_is_asked_for_where_that_is_not_an_error() -> None:
    assert "stream_options" not in body_for(endpoint("mistral/devstral-2512"))
    assert "stream_options" not in body_for(endpoint("deepseek/deepseek-v4-flash", stream=False))


def test_no_tool_is_ever_forced_and_an_answer_in_text_has_no_tools() -> None:
    assert "tool_choice" not in body_for(endpoint("zhipu/glm-4.6"))
    assert "tools" not in body_for(endpoint("zhipu/glm-4.6"), tool_choice="none")
    claude = body_for(endpoint("openrouter/anthropic/claude-sonnet-5.5"), tool_choice="none")
    assert (claude["tool_choice"], len(claude["tools"])) == ("none", 2)


def test_geminis_schemas_are_plain() -> None:
    schema = {
        "$schema": "x",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "default": {"$ref": "#/$defs/Item"},
            "many": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        },
        "$defs": {"Item": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Item"}}}},
    }
    tool = ToolSpec(name="t", description="d", input_schema=schema)
    item = {"type": "object", "properties": {"next": {"type": "object"}}}
    written = body_for(endpoint("gemini/gemini-3.8-flash"), tools=(tool,))["tools"][0]["function"]["parameters"]
    assert written == {"type": "object", "properties": {"default": item, "many": {"type": "array", "items": item}}}


def test_a_conversation_that_a_template_would_refuse_is_put_right() -> None:
    there = endpoint("zhipu/glm-4.6")
    only_system = body_for(there, messages=())["messages"]
    assert only_system == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Go on."}]
    ends = (user_text("a"), user_text("b"), Message(role="assistant", content=(TextBlock(text="c"),)))
    assert body_for(there, messages=ends, system="")["messages"] == [
        {"role": "user", "content": "a\n\nb"},
        {"role": "assistant", "content": "c"},
        {"role": "user", "content": "Go on."},
    ]


WORDS = st.text(max_size=12)
IDS = st.one_of(st.sampled_from(["a", "read_file:0", "", "x" * 50]), WORDS)
OBJECTS = st.dictionaries(WORDS, st.one_of(WORDS, st.integers(), st.none()), max_size=2)
BLOCKS: st.SearchStrategy[Block] = st.one_of(
    st.builds(TextBlock, text=WORDS),
    st.builds(ThinkingBlock, text=WORDS, signature=st.none() | WORDS, redacted=st.none() | WORDS),
    st.builds(ToolCall, id=IDS, name=WORDS, input=OBJECTS, signature=st.none() | WORDS),
    st.builds(MalformedCall, id=IDS, name=WORDS, raw=WORDS, error=WORDS),
    st.builds(ToolResult, tool_use_id=IDS, text=WORDS, images=st.lists(st.just(IMAGE), max_size=1).map(tuple)),
    st.just(IMAGE),
)
HISTORIES = st.lists(
    st.builds(
        Message,
        role=st.sampled_from(["user", "assistant"]),
        content=st.lists(BLOCKS, max_size=4).map(tuple),
        origin=st.sampled_from([None, "own", "other/model"]),
    ),
    max_size=8,
)


@given(HISTORIES, st.sampled_from(EVERY_PROFILE))
def test_any_repaired_history_is_accepted_by_every_provider(history: list[Message], profile: Any) -> None:
    there = Endpoint(profile=profile, wire="openai", base_url="http://x", model="m")
    mended = [
        replace(message, origin=there.origin if message.origin == "own" else message.origin)
        for message in repair(history).messages
    ]
    body = WIRE.request(ModelRequest(messages=tuple(mended), tools=TOOLS), there).body
    assert openai_problems(body, profile) == []
    JUDGES[True].validate_python(body)


@given(HISTORIES, st.sampled_from(EVERY_PROFILE))
def test_what_was_sent_stays_as_it_was(history: list[Message], profile: Any) -> None:
    """A longer conversation begins with the bytes of the shorter one, so that providers can cache them."""
    there = Endpoint(profile=replace(profile, cache_control_models=""), wire="openai", base_url="http://x", model="m")
    mended = repair(history).messages
    ends = [i + 1 for i, message in enumerate(mended) if message.role == "user"]
    sent = [WIRE.request(ModelRequest(messages=mended[:end]), there).body["messages"] for end in ends]
    for shorter, longer in pairwise(sent):
        assert json.dumps(longer).startswith(json.dumps(shorter)[:-1])
