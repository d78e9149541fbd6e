"""Read an answer of Chat Completions, streamed or whole, as events. Pure; never raises.

What gateways do to tool calls is sorted out in `call_assembly`, what they leave in the text in `text_filter`.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from msgspec.structs import replace

from helloclaw.llm.blocks import BlockWriter
from helloclaw.llm.call_assembly import CallAssembler
from helloclaw.llm.call_ids import CallIds
from helloclaw.llm.error_report import error_in
from helloclaw.llm.events import (
    Failed,
    Finish,
    StopReason,
    StreamEvent,
    ToolCallEnd,
    ToolCallStart,
    Usage,
)
from helloclaw.llm.failures import failure_from_error, interrupted, protocol_failure, unreadable_call
from helloclaw.llm.json_value import array_or_empty, is_object, object_or_empty
from helloclaw.llm.leaked_calls import LeakedCall, schemas_of
from helloclaw.llm.lenient_json import decode_lenient
from helloclaw.llm.messages import MalformedCall, ModelRequest
from helloclaw.llm.openai_fields import finish_of, merge_details, parts_of, thinking_of, usage_of
from helloclaw.llm.text_calls import HeldCall
from helloclaw.llm.text_filter import BrokenLeak, Leaked, Piece, Said, TextFilter, Thought, ThoughtAllAlong
from helloclaw.llm.wire import Endpoint, SseEvent

_LEAKED_NAME = re.compile(r"""name\s*=\s*["']([\w.-]+)|functions\.([\w.-]+)""")


class OpenAIDecoder:
    """Reads the stream that answers `request`."""

    def __init__(self, request: ModelRequest, endpoint: Endpoint) -> None:
        profile = endpoint.profile
        schemas = schemas_of(request.tools)
        self._endpoint = endpoint
        self._blocks = BlockWriter()
        self._content = TextFilter(think_tags=profile.think_tags, leaks=profile.leaked_calls, schemas=schemas)
        self._reasoning = TextFilter(think_tags="off", leaks=profile.leaked_calls, schemas=schemas)
        self._held = HeldCall(schemas if profile.text_calls else {})
        self._ids = CallIds(request.messages)
        self._calls = CallAssembler(self._ids, schemas)
        self._leaks: list[LeakedCall] = []
        self._broken = ""
        self._finish: StopReason | None = None
        self._refused = False
        self._usage: Usage | None = None
        self._failure: Failed | None = None
        self._touched = False
        self._foreign = False
        self._ended = False

    def feed(self, event: SseEvent) -> list[StreamEvent]:
        data = event.data.strip()
        if self._ended or not data:
            return []
        if data == "[DONE]":
            return self._end("done")
        try:
            chunk = decode_lenient(data)
        except ValueError:
            if event.name == "error":
                return self._fail(failure_from_error(data, self._endpoint))
            failure = protocol_failure(self._endpoint, f"this is not JSON: {data[:80]}")
            return self._fail(replace(failure, retryable=self._touched))  # after a good start the line is to blame
        return self.read(chunk, is_error=event.name == "error")

    def read(self, chunk: Any, *, is_error: bool = False) -> list[StreamEvent]:
        """What one decoded chunk means."""
        error = error_in(chunk)
        if error is not None or is_error:
            return self._fail(failure_from_error(chunk if error is None else error, self._endpoint))
        if not is_object(chunk):
            return []
        self._foreign |= bool(chunk) and not chunk.keys() & {"choices", "usage"}
        return self._choices(chunk)

    def close(self, *, clean: bool) -> list[StreamEvent]:
        return [] if self._ended else self._end("closed" if clean else "died")

    def _choices(self, chunk: dict[str, Any]) -> list[StreamEvent]:
        self._usage = usage_of(chunk) or self._usage
        events: list[StreamEvent] = []
        for choice in array_or_empty(chunk.get("choices")):
            if not is_object(choice) or choice.get("index") not in (0, None, "0"):  # only one was asked for
                continue
            if (error := error_in(choice)) is not None:
                return [*events, *self._fail(failure_from_error(error, self._endpoint))]
            events += self._choice(choice)
            if self._failure is not None:
                return [*events, *self._fail(self._failure)]
        return events

    def _choice(self, choice: dict[str, Any]) -> list[StreamEvent]:
        self._usage = usage_of(choice) or self._usage
        delta, message = choice.get("delta"), choice.get("message")
        if not is_object(delta):  # some send a whole message, first of all or once more at the end
            delta = {} if self._touched else object_or_empty(message)
        events = self._delta(delta)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            finish = finish_of(reason)
            if finish == "interrupted":
                self._failure = interrupted(self._endpoint)
            else:
                self._finish = finish
        return events

    def _delta(self, delta: dict[str, Any]) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        merge_details(self._blocks.details, delta.get("reasoning_details"))
        if thinking := thinking_of(delta):
            events += self._sort(self._reasoning.feed(thinking), thinking=True)
        parts = parts_of(delta.get("content"))
        for kind, text in parts:
            channel = self._reasoning if kind == "thinking" else self._content
            if kind == "text":
                events += self._sort(self._reasoning.let_go(), thinking=True)
            events += self._sort(channel.feed(text), thinking=kind == "thinking")
        refusal = delta.get("refusal")
        if isinstance(refusal, str) and refusal:
            self._refused = True
            events += self._blocks.say(refusal)
        entries = array_or_empty(delta.get("tool_calls"))
        if not entries and is_object(legacy := delta.get("function_call")):
            entries = [{"index": 0, "function": legacy}]
        if entries:
            events += self._sort(self._reasoning.let_go(), thinking=True)
            events += self._sort(self._content.let_go(), thinking=False)
            started = self._calls.feed(entries)
            if any(isinstance(event, ToolCallStart) for event in started):
                events += [*self._say(self._held.release()), *self._blocks.close()]
            events += started
        self._touched |= bool(thinking or parts or entries or refusal)
        return events

    def _sort(self, pieces: list[Piece], *, thinking: bool) -> list[StreamEvent]:
        """What a channel's text turned out to be. In the thinking channel everything that is said is thought."""
        events: list[StreamEvent] = []
        for piece in pieces:
            match piece:
                case Said(text):
                    events += self._blocks.think(text) if thinking else self._say(self._held.feed(text))
                case Thought(text):
                    events += self._blocks.think(text)
                case ThoughtAllAlong():
                    events += [*self._say(self._held.restart()), *self._blocks.close(was_thinking=True)]
                case Leaked(calls):
                    self._leaks += calls
                case BrokenLeak(markup):
                    self._broken = self._broken or markup
        return events

    def _say(self, text: str) -> list[StreamEvent]:
        return self._blocks.say(text) if text else []

    def _fail(self, failure: Failed) -> list[StreamEvent]:
        self._ended = True
        return [failure]

    def _end(self, how: Literal["done", "closed", "died"]) -> list[StreamEvent]:
        """Finish, or say why there is no whole answer.

        An answer has ended when it says so: by a finish reason or by `[DONE]`. Some servers just close the connection;
        their profile says so, and then all that came must be whole.
        """
        events = self._sort(self._reasoning.close(), thinking=True) + self._sort(self._content.close(), thinking=False)
        came = bool(self._touched or events or self._calls or self._leaks or self._broken)
        silent = how == "closed" and self._endpoint.profile.finish_optional and self._calls.whole
        if self._finish is None and not (came and (how == "done" or silent)):
            strange = self._foreign and not came
            failure = protocol_failure(self._endpoint, "its events have no choices") if strange else None
            return [*events, *self._fail(failure or interrupted(self._endpoint))]
        if not self._calls and not self._leaks:
            self._leaks += self._held.calls()
        events += [*self._say(self._held.release()), *self._blocks.finish(), *self._end_calls()]
        if self._failure is not None:
            return [*events, *self._fail(self._failure)]
        self._ended = True
        if self._usage is not None:
            events.append(self._usage)
        return [*events, Finish(self._reason(called=any(isinstance(event, ToolCallEnd) for event in events)))]

    def _end_calls(self) -> list[StreamEvent]:
        """Calls of the wire win over leaked ones: some gateways send both."""
        cut_off = self._finish == "max_tokens"
        if self._calls:
            return self._calls.finish(cut_off=cut_off)
        if self._broken and cut_off:
            return self._cut_off_leak()
        if self._broken:
            self._failure = unreadable_call(self._endpoint)
            return []
        return self._calls.from_leaks(self._leaks)

    def _cut_off_leak(self) -> list[StreamEvent]:
        named = _LEAKED_NAME.search(self._broken)
        if named is None:
            return self._calls.from_leaks(self._leaks)
        name = named[1] or named[2]
        id_ = self._ids.claim("", name)
        call = MalformedCall(id=id_, name=name, raw=self._broken, error="The call was cut off.")
        return [*self._calls.from_leaks(self._leaks), ToolCallStart(id_, name), ToolCallEnd(call)]

    def _reason(self, *, called: bool) -> StopReason:
        if self._refused or self._finish == "refusal":
            return "refusal"
        if self._finish == "max_tokens":
            return "max_tokens"
        return "tool_use" if called else "end_turn"


def decode_whole(body: dict[str, Any], request: ModelRequest, endpoint: Endpoint) -> list[StreamEvent]:
    """Read an answer that was not streamed, as the events that streaming it would have given."""
    envelope = body.get("data")  # one gateway wraps the answer as {"data": …, "success": true}
    if "choices" not in body and is_object(envelope) and "choices" in envelope:
        body = envelope
    decoder = OpenAIDecoder(request, endpoint)
    choice = next((choice for choice in array_or_empty(body.get("choices")) if is_object(choice)), None)
    if choice is None and error_in(body) is None:
        return [protocol_failure(endpoint, "the answer has no choices")]
    chunk = body if choice is None else _as_chunk(body, choice)
    return [*decoder.read(chunk), *decoder.feed(SseEvent("message", "[DONE]"))]


def _as_chunk(body: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any]:
    delta = dict(object_or_empty(choice.get("message")))
    calls = [call for call in array_or_empty(delta.get("tool_calls")) if is_object(call)]
    delta["tool_calls"] = [call | {"index": i} for i, call in enumerate(calls)]
    return {**body, "choices": [{**choice, "index": 0, "delta": delta}]}
