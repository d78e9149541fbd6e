"""The parts of a Messages answer while they arrive: a thought, the tool calls, the token counts."""

from __future__ import annotations

import json
from typing import Any

from helloclaw.llm.arguments import parse_arguments
from helloclaw.llm.call_ids import CallIds
from helloclaw.llm.events import (
    StreamEvent,
    ThinkingDelta,
    ThinkingEnd,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Usage,
)
from helloclaw.llm.json_value import object_or_empty
from helloclaw.llm.messages import AnyCall, MalformedCall
from helloclaw.llm.text import HalfJoiner, encodable

_Json = dict[str, Any]


class OpenThought:
    """A thinking block that is being streamed."""

    def __init__(self) -> None:
        self.signature: str | None = None
        self._halves = HalfJoiner()

    def say(self, text: str) -> list[StreamEvent]:
        text = self._halves.feed(text)
        return [ThinkingDelta(text)] if text else []

    def end(self) -> list[StreamEvent]:
        rest = self._halves.close()
        return [*([ThinkingDelta(rest)] if rest else ()), ThinkingEnd(signature=self.signature)]


class _Call:
    """A tool call that is being streamed."""

    def __init__(self, id_: str, name: str, initial: Any) -> None:
        self.id = id_
        self.name = name
        self.initial = initial
        self.pieces: list[str] = []

    def parsed(self, *, cut_off: bool, limit: int) -> AnyCall:
        raw = "".join(self.pieces)
        call = parse_arguments(self.id, self.name, raw if raw.strip() or not self.initial else self.initial)
        if cut_off and (isinstance(call, MalformedCall) or not (raw.strip() or self.initial)):
            what = f"The answer reached its limit of {limit} tokens inside this call, so the call is incomplete."
            return MalformedCall(
                id=self.id, name=self.name, raw=encodable(raw), error=f"{what} Do it in smaller steps."
            )
        return call


class OpenCalls:
    """The calls of one answer. One that has stopped is not given out before the next block or the end.

    Only then is it known whether the limit cut it off, and a call without arguments that was cut off must not run.
    """

    def __init__(self, ids: CallIds, *, limit: int) -> None:
        self._ids = ids
        self._limit = limit
        self._open: dict[Any, _Call] = {}
        self._stopped: list[_Call] = []
        self.made = False

    def start(self, index: Any, block: _Json) -> list[StreamEvent]:
        name = encodable(string_of(block.get("name")))
        id_ = self._ids.claim(encodable(string_of(block.get("id"))), name)
        call = _Call(id_, name, block.get("input"))
        self.stop(index)
        self._open[_key(index)] = call
        self.made = True
        events: list[StreamEvent] = [ToolCallStart(id_, name)]
        if call.initial:
            events.append(ToolCallDelta(id_, encodable(json.dumps(call.initial, ensure_ascii=False))))
        return events

    def extend(self, index: Any, piece: Any) -> list[StreamEvent]:
        call = self._open.get(_key(index))
        text = piece if isinstance(piece, str) else ("" if piece is None else json.dumps(piece, ensure_ascii=False))
        if call is None or not text:
            return []
        call.pieces.append(text)
        return [ToolCallDelta(call.id, encodable(text))]

    def stop(self, index: Any) -> bool:
        """Whether a call was open there."""
        call = self._open.pop(_key(index), None)
        if call is not None:
            self._stopped.append(call)
        return call is not None

    def settle(self, *, finally_: bool = False, cut_off: bool = False) -> list[StreamEvent]:
        """Give out the calls that have stopped; `finally_`, all. Only the last one can have been cut off."""
        calls, self._stopped = self._stopped, []
        if finally_:
            calls += self._open.values()
            self._open.clear()
        ended = [call.parsed(cut_off=cut_off and call is calls[-1], limit=self._limit) for call in calls]
        return [ToolCallEnd(call) for call in ended]


class UsageCount:
    """Tokens, from `message_start` and then `message_delta`. A later count wins, unless it is nought: GLM's first ones
    are, and others leave theirs out."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def take(self, usage: _Json) -> None:
        details = object_or_empty(usage.get("output_tokens_details"))
        for name, value in {**usage, "thinking_tokens": details.get("thinking_tokens")}.items():
            if isinstance(value, int) and value > 0:
                self._counts[name] = value

    def events(self) -> list[StreamEvent]:
        counted = self._counts.get
        usage = Usage(
            input=counted("input_tokens", 0),
            output=counted("output_tokens", 0),
            cache_read=counted("cache_read_input_tokens", 0),
            cache_write=counted("cache_creation_input_tokens", 0),
            reasoning=counted("thinking_tokens", 0),
        )
        return [usage] if self._counts else []


def _key(index: Any) -> int:
    return index if isinstance(index, int) else -1


def string_of(value: Any) -> str:
    return value if isinstance(value, str) else ""
