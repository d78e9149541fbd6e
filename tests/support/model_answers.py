"""Well-formed answers of both wires, made from simple data, and neutral turns that either wire can say.

The shapes are those of the vendors' references; their quirks are written out by the tests that are about them.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from helloclaw.llm.events import StopReason, Usage
from tests.support.exchanges import Exchange, Gate, json_answer, json_bytes, sse

Tool = tuple[str, str, Any]
"""A call: id, name, arguments. Arguments that are a string are sent as they are, anything else as JSON."""

NUMBER = "__NUMBER__"
SOME_USAGE = Usage(input=12, output=7)
OPENAI_FINISH = {"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}


def anthropic_events(events: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(f"event: {event['type']}\ndata: ".encode() + json_bytes(event) + b"\n\n" for event in events)


def anthropic_stream(
    text: str = "",
    *,
    tools: Sequence[Tool] = (),
    thinking: tuple[str, str] | None = None,
    usage: Usage = SOME_USAGE,
    stop_reason: str | None = None,
    model: str = "scripted",
    piece: int = 8,
) -> bytes:
    """An SSE body of the Messages API. `piece` is the number of characters in one delta."""
    reason = stop_reason or ("tool_use" if tools else "end_turn")
    start = {**anthropic_whole(model=model, usage=replace(usage, output=1)), "stop_reason": None}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    index = 0
    if thinking is not None:
        deltas = [{"type": "thinking_delta", "thinking": part} for part in cut(thinking[0], piece)]
        if thinking[1]:
            deltas.append({"type": "signature_delta", "signature": thinking[1]})
        events += _block(index, {"type": "thinking", "thinking": "", "signature": ""}, deltas)
        index += 1
    if text:
        deltas = [{"type": "text_delta", "text": part} for part in cut(text, piece)]
        events += _block(index, {"type": "text", "text": ""}, deltas)
        index += 1
    for id_, name, arguments in tools:
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in ["", *cut(_raw(arguments), piece)]]
        events += _block(index, {"type": "tool_use", "id": id_, "name": name, "input": {}}, deltas)
        index += 1
    events.append(
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": usage.output},
        }
    )
    events.append({"type": "message_stop"})
    return anthropic_events(events)


def anthropic_whole(
    text: str = "",
    *,
    tools: Sequence[Tool] = (),
    thinking: tuple[str, str] | None = None,
    usage: Usage = SOME_USAGE,
    stop_reason: str | None = None,
    model: str = "scripted",
) -> dict[str, Any]:
    """A JSON body of the Messages API."""
    content: list[dict[str, Any]] = []
    if thinking is not None:
        content.append({"type": "thinking", "thinking": thinking[0], "signature": thinking[1]})
    if text:
        content.append({"type": "text", "text": text})
    content += [{"type": "tool_use", "id": id_, "name": name, "input": input_} for id_, name, input_ in tools]
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": stop_reason or ("tool_use" if tools else "end_turn"),
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.input,
            "cache_creation_input_tokens": usage.cache_write,
            "cache_read_input_tokens": usage.cache_read,
            "output_tokens": usage.output,
        },
    }


def openai_chunks(chunks: Iterable[dict[str, Any]], *, done: bool = True) -> bytes:
    body = b"".join(b"data: " + json_bytes(chunk) + b"\n\n" for chunk in chunks)
    return body + b"data: [DONE]\n\n" if done else body


def openai_chunk(delta: dict[str, Any], finish: str | None = None, *, model: str = "scripted") -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": model,
        "choices": [choice],
    }


def openai_stream(
    text: str = "",
    *,
    tools: Sequence[Tool] = (),
    thinking: str = "",
    usage: Usage | None = SOME_USAGE,
    finish: str | None = None,
    model: str = "scripted",
    piece: int = 8,
) -> bytes:
    """An SSE body of Chat Completions; `thinking` travels as `reasoning_content`. Usage None: no usage chunk."""
    chunks = [openai_chunk({"role": "assistant", "content": ""}, model=model)]
    chunks += [openai_chunk({"reasoning_content": part}, model=model) for part in cut(thinking, piece)]
    chunks += [openai_chunk({"content": part}, model=model) for part in cut(text, piece)]
    for index, (id_, name, arguments) in enumerate(tools):
        head = {"index": index, "id": id_, "type": "function", "function": {"name": name, "arguments": ""}}
        chunks.append(openai_chunk({"tool_calls": [head]}, model=model))
        for part in cut(_raw(arguments), piece):
            tail = {"index": index, "function": {"arguments": part}}
            chunks.append(openai_chunk({"tool_calls": [tail]}, model=model))
    chunks.append(openai_chunk({}, finish or ("tool_calls" if tools else "stop"), model=model))
    if usage is not None:
        last = openai_chunk({}, model=model)
        chunks.append(last | {"choices": [], "usage": openai_usage(usage)})
    return openai_chunks(chunks)


def openai_whole(
    text: str | None = None,
    *,
    tools: Sequence[Tool] = (),
    thinking: str = "",
    usage: Usage = SOME_USAGE,
    finish: str | None = None,
    model: str = "scripted",
) -> dict[str, Any]:
    """A JSON body of Chat Completions."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if thinking:
        message["reasoning_content"] = thinking
    if tools:
        message["tool_calls"] = [
            {"id": id_, "type": "function", "function": {"name": name, "arguments": _raw(arguments)}}
            for id_, name, arguments in tools
        ]
    choice = {"index": 0, "message": message, "finish_reason": finish or ("tool_calls" if tools else "stop")}
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [choice],
        "usage": openai_usage(usage),
    }


def openai_usage(usage: Usage) -> dict[str, Any]:
    prompt = usage.input + usage.cache_read
    return {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output,
        "total_tokens": prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool call of a `Turn`. Without an id it gets one that is unique on its server."""

    name: str
    input: Any = field(default_factory=dict[str, Any])
    id: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Turn:
    """What the model says next, whichever wire asks. With a `gate` a streamed answer stands still half-way."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    thinking: str = ""
    usage: Usage = SOME_USAGE
    stop_reason: StopReason | None = None
    gate: Gate | None = None
    chunk: int | None = 4096


def answer(turn: Turn, *, path: str, body: dict[str, Any], number: int) -> Exchange:
    """Say `turn` on the wire that `path` belongs to, streamed or whole as `body` asks; `number` makes ids unique."""
    options: dict[str, Any] = body.get("stream_options") or {}
    exchange = _template(
        turn,
        "anthropic" if path.partition("?")[0].endswith("/messages") else "openai",
        str(body.get("model", "scripted")),
        streamed=bool(body.get("stream")),
        with_usage=bool(options.get("include_usage")),
    )
    said = exchange.body.replace(NUMBER.encode(), str(number).encode())
    gate_at = len(said) // 2 if turn.gate else None
    return dataclasses.replace(exchange, body=said, gate=turn.gate, gate_at=gate_at)


@lru_cache(maxsize=64)
def _template(turn: Turn, wire: str, model: str, *, streamed: bool, with_usage: bool) -> Exchange:
    """Cached, for a benchmark is served the same turn thousands of times."""
    prefix = "toolu" if wire == "anthropic" else "call"
    tools = [(call.id or f"{prefix}_{NUMBER}_{i}", call.name, call.input) for i, call in enumerate(turn.calls)]
    reason = turn.stop_reason or ("tool_use" if tools else "end_turn")
    if wire == "anthropic":
        thinking = (turn.thinking, "c2lnbmVk") if turn.thinking else None
        say = anthropic_stream if streamed else anthropic_whole
        said = say(turn.text, tools=tools, thinking=thinking, usage=turn.usage, stop_reason=reason, model=model)
    elif streamed:
        usage = turn.usage if with_usage else None
        finish = OPENAI_FINISH.get(reason, "stop")
        said = openai_stream(turn.text, tools=tools, thinking=turn.thinking, usage=usage, finish=finish, model=model)
    else:
        finish = OPENAI_FINISH.get(reason, "stop")
        said = openai_whole(
            turn.text, tools=tools, thinking=turn.thinking, usage=turn.usage, finish=finish, model=model
        )
    return sse(said, chunk=turn.chunk) if isinstance(said, bytes) else json_answer(said)


def cut(text: str, size: int) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def _raw(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _block(index: int, start: dict[str, Any], deltas: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}
