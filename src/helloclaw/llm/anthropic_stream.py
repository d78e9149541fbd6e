"""Read an answer of the Messages API, streamed or whole, as events. Pure; never raises.

Calls that leaked into the text as markup are found by `text_filter`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from helloclaw.llm.anthropic_parts import OpenCalls, OpenThought, UsageCount, string_of
from helloclaw.llm.blocks import BlockWriter
from helloclaw.llm.call_assembly import CallAssembler
from helloclaw.llm.call_ids import CallIds
from helloclaw.llm.error_report import error_in
from helloclaw.llm.events import (
    Failed,
    Finish,
    StopReason,
    StreamEvent,
    ThinkingEnd,
    ThinkingStart,
    ToolCallEnd,
)
from helloclaw.llm.failures import failure_from_error, interrupted, protocol_failure, unreadable_call
from helloclaw.llm.json_value import object_or_empty
from helloclaw.llm.leaked_calls import LeakedCall, schemas_of
from helloclaw.llm.lenient_json import decode_lenient
from helloclaw.llm.messages import ModelRequest
from helloclaw.llm.text import encodable
from helloclaw.llm.text_filter import BrokenLeak, Leaked, Piece, Said, TextFilter, Thought, ThoughtAllAlong
from helloclaw.llm.wire import Endpoint, SseEvent

_Json = dict[str, Any]

_STOPS: dict[str, StopReason] = {
    "end_turn": "end_turn",
    "tool_use": "tool_use",
    "max_tokens": "max_tokens",
    "stop_sequence": "stop_sequence",
    "pause_turn": "pause_turn",
    "refusal": "refusal",
    "model_context_window_exceeded": "max_tokens",
}


class AnthropicDecoder:
    """Reads the stream that answers `request`. Blocks come one after the other, tool calls may overlap."""

    def __init__(self, request: ModelRequest, endpoint: Endpoint) -> None:
        ids = CallIds(request.messages)
        self._endpoint = endpoint
        self._blocks = BlockWriter()
        self._schemas = schemas_of(request.tools)
        self._filter = self._text_filter()
        self._thought: OpenThought | None = None
        self._calls = OpenCalls(ids, limit=request.max_output_tokens)
        self._calls_from_leaks = CallAssembler(ids, self._schemas).from_leaks
        self._leaks: list[LeakedCall] = []
        self._broken = False
        self._usage = UsageCount()
        self._stop: StopReason | None = None
        self._ended = False
        self._readers: dict[str, Callable[[_Json], list[StreamEvent]]] = {
            "message_start": self._message_start,
            "content_block_start": self._block_start,
            "content_block_delta": self._block_delta,
            "content_block_stop": self._block_stop,
            "message_delta": self._message_delta,
            "message_stop": lambda _: self._end(),
        }

    def feed(self, event: SseEvent) -> list[StreamEvent]:
        data = event.data.strip()
        if self._ended or not data or data == "[DONE]":
            return []
        try:
            value = decode_lenient(data)
        except ValueError:
            if event.name == "error":
                return self._fail(failure_from_error(data, self._endpoint))
            return self._fail(protocol_failure(self._endpoint, f"this is not JSON: {data[:80]}"))
        return self.read(value, is_error=event.name == "error")

    def read(self, value: Any, *, is_error: bool = False) -> list[StreamEvent]:
        """What one decoded event means."""
        error = error_in(value)
        if error is not None or is_error:
            return self._fail(failure_from_error(value if error is None else error, self._endpoint))
        event = object_or_empty(value)
        reader = self._readers.get(string_of(event.get("type")))
        return reader(event) if reader else []

    def close(self, *, clean: bool) -> list[StreamEvent]:  # noqa: ARG002 - only the message itself says if it is whole
        """A stream that has said why it stops has ended, with or without `message_stop`, however it was closed."""
        if self._ended:
            return []
        return self._end() if self._stop is not None else self._fail(interrupted(self._endpoint))

    def _message_start(self, event: _Json) -> list[StreamEvent]:
        self._usage.take(object_or_empty(object_or_empty(event.get("message")).get("usage")))
        return []

    def _message_delta(self, event: _Json) -> list[StreamEvent]:
        self._usage.take(object_or_empty(event.get("usage")))
        if reason := string_of(object_or_empty(event.get("delta")).get("stop_reason")):
            self._stop = _STOPS.get(reason, "end_turn")
        return []

    def _block_start(self, event: _Json) -> list[StreamEvent]:
        block = object_or_empty(event.get("content_block"))
        events: list[StreamEvent] = []
        match block.get("type"):
            case "text":
                events += self._begin()
                events += self._say(string_of(block.get("text")))
            case "thinking":
                events += self._think(string_of(block.get("thinking")), fresh=True)
                self._sign(block)
            case "redacted_thinking":
                redacted = encodable(string_of(block.get("data")))
                events += [*self._begin(), ThinkingStart(), ThinkingEnd(redacted=redacted)]
            case "tool_use":
                events += self._begin()
                events += self._calls.start(event.get("index"), block)
            case _:
                events += self._begin()
        return events

    def _block_delta(self, event: _Json) -> list[StreamEvent]:
        delta = object_or_empty(event.get("delta"))
        match delta.get("type"):
            case "text_delta":
                return self._say(string_of(delta.get("text")))
            case "thinking_delta":
                return self._think(string_of(delta.get("thinking")))
            case "signature_delta":
                self._sign(delta)
                return []
            case "input_json_delta":
                return self._calls.extend(event.get("index"), delta.get("partial_json"))
            case _:
                return []

    def _block_stop(self, event: _Json) -> list[StreamEvent]:
        if self._calls.stop(event.get("index")):
            return []
        return self._close_open()

    def _begin(self) -> list[StreamEvent]:
        """End what came before a new block."""
        return [*self._close_open(), *self._calls.settle()]

    def _close_open(self) -> list[StreamEvent]:
        thought, self._thought = self._thought, None
        rest, self._filter = self._filter.close(), self._text_filter()
        return [*(thought.end() if thought else ()), *self._sort(rest), *self._blocks.close()]

    def _text_filter(self) -> TextFilter:
        profile = self._endpoint.profile
        return TextFilter(think_tags=profile.think_tags, leaks=profile.leaked_calls, schemas=self._schemas)

    def _think(self, text: str, *, fresh: bool = False) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        if self._thought is None or fresh:
            events += [*self._begin(), ThinkingStart()]
            self._thought = OpenThought()
        return [*events, *self._thought.say(text)]

    def _sign(self, fields: _Json) -> None:
        if self._thought is not None and (signature := string_of(fields.get("signature"))):
            self._thought.signature = encodable(signature)

    def _say(self, text: str) -> list[StreamEvent]:
        if not text:
            return []
        before = self._begin() if self._thought is not None else []
        return [*before, *self._sort(self._filter.feed(text))]

    def _sort(self, pieces: list[Piece]) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        for piece in pieces:
            match piece:
                case Said(text):
                    events += self._blocks.say(text)
                case Thought(text):
                    events += self._blocks.think(text)
                case ThoughtAllAlong():
                    events += self._blocks.close(was_thinking=True)
                case Leaked(calls):
                    self._leaks += calls
                case BrokenLeak():
                    self._broken = True
        return events

    def _end(self) -> list[StreamEvent]:
        cut_off = self._stop == "max_tokens"
        events = self._close_open()
        events += self._calls.settle(finally_=True, cut_off=cut_off)
        if not self._calls.made and self._broken and not cut_off:
            return [*events, *self._fail(unreadable_call(self._endpoint))]
        if not self._calls.made:  # calls of the wire win over leaked ones: some gateways send both
            events += self._calls_from_leaks(self._leaks)
        self._ended = True
        called = any(isinstance(event, ToolCallEnd) for event in events) or self._calls.made
        return [*events, *self._usage.events(), Finish(_reason(self._stop, called=called))]

    def _fail(self, failure: Failed) -> list[StreamEvent]:
        self._ended = True
        return [failure]


def decode_whole(body: _Json, request: ModelRequest, endpoint: Endpoint) -> list[StreamEvent]:
    """Read an answer that was not streamed, as the events that streaming it would have given."""
    decoder = AnthropicDecoder(request, endpoint)
    if error_in(body) is not None:
        return decoder.read(body)
    content: Any = body.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return [protocol_failure(endpoint, "the answer has no content")]
    events: list[StreamEvent] = []
    for index, block in enumerate(cast("list[Any]", content)):
        events += decoder.read({"type": "content_block_start", "index": index, "content_block": block})
        events += decoder.read({"type": "content_block_stop", "index": index})
    stop = {"type": "message_delta", "delta": body, "usage": body.get("usage")}
    return [*events, *decoder.read(stop), *decoder.read({"type": "message_stop"})]


def _reason(stop: StopReason | None, *, called: bool) -> StopReason:
    """Some gateways say `end_turn` and call tools, or say `tool_use` and don't."""
    match stop:
        case None | "end_turn" | "stop_sequence" | "tool_use":
            return "tool_use" if called else ("stop_sequence" if stop == "stop_sequence" else "end_turn")
        case _:
            return stop
