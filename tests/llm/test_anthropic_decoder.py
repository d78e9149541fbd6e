"""The decoder survives anything, and ends exactly once."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from helloclaw.llm.events import Failed, Finish, StreamEvent
from helloclaw.llm.messages import ModelRequest, user_text
from helloclaw.llm.providers import resolve
from helloclaw.llm.wire import SseEvent
from helloclaw.llm.wire_anthropic import AnthropicWire
from tests.llm.anthropic_quirks import TOOLS
from tests.llm.asking import amounts_to

REQUEST = ModelRequest(messages=(user_text("hi"),), tools=TOOLS)
ENDPOINT = resolve("deepseek/m", wire="anthropic", environ={}, api_key="k")

SCALARS = st.none() | st.booleans() | st.integers(-1, 3) | st.floats() | st.text(max_size=3) | st.just("\ud83d")
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner)
)
NAMES = (
    *("message_start", "content_block_start", "content_block_delta", "content_block_stop"),
    *("message_delta", "message_stop", "ping", "error"),
)
BLOCKS = ("text", "thinking", "redacted_thinking", "tool_use", "server_tool_use")
DELTAS = ("text_delta", "thinking_delta", "signature_delta", "input_json_delta", "citations_delta")


def fields(**known: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={name: given | ANYTHING for name, given in known.items()})


WORDS = st.sampled_from(
    ["", "a", "\ud83d", "\ude00", "<｜DSML｜function_calls>", "</｜DSML｜function_calls>", '{"a"', ": 1}"]
)
OPENINGS = fields(type=st.sampled_from(BLOCKS), text=WORDS, thinking=WORDS, signature=WORDS, id=WORDS, name=WORDS)
PIECES = fields(type=st.sampled_from(DELTAS), text=WORDS, thinking=WORDS, partial_json=WORDS, signature=WORDS)
STOPS = fields(stop_reason=st.sampled_from(["end_turn", "tool_use", "max_tokens", "new"]))
EVENTS = fields(
    type=st.sampled_from(NAMES),
    index=st.integers(0, 2),
    message=ANYTHING,
    content_block=OPENINGS,
    delta=PIECES | STOPS,
    usage=fields(input_tokens=st.integers(0, 9), output_tokens=st.integers(0, 9)),
)


def ends_once(events: list[StreamEvent]) -> None:
    assert [event for event in events if isinstance(event, Finish | Failed)] == [events[-1]]
    msgspec.json.encode(events)
    amounts_to(events)


@settings(max_examples=60)
@given(st.lists(EVENTS | ANYTHING, max_size=12), st.booleans())
def test_any_stream_of_events(sent: list[Any], clean: bool) -> None:
    decoder = AnthropicWire().decoder(REQUEST, ENDPOINT)
    events = [out for event in sent for out in decoder.feed(SseEvent("message", json.dumps(event)))]
    ended = any(isinstance(event, Finish | Failed) for event in events)
    closing = decoder.close(clean=clean)
    assert bool(closing) != ended
    ends_once(events + closing)


@given(st.text(), st.sampled_from(["message", "error"]))
def test_any_text(data: str, name: str) -> None:
    decoder = AnthropicWire().decoder(REQUEST, ENDPOINT)
    ends_once(decoder.feed(SseEvent(name, data)) + decoder.close(clean=True))


@settings(max_examples=60)
@given(fields(content=st.lists(OPENINGS | ANYTHING, max_size=4), stop_reason=st.just("end_turn"), usage=ANYTHING))
def test_any_whole_answer(body: dict[str, Any]) -> None:
    ends_once(AnthropicWire().decode_whole(body, REQUEST, ENDPOINT))
