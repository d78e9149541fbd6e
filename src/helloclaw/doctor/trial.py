"""One tiny streamed tool call to a model, and what it shows: what works, and what to do about the rest."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from helloclaw.i18n import Phrase, phrase_of
from helloclaw.llm import events
from helloclaw.llm.messages import MalformedCall, ModelRequest, ToolCall, ToolSpec, user_text
from helloclaw.llm.wire import Endpoint
from helloclaw.settings.values import LlmSettings

State = Literal["ok", "no", "off"]
_WORD = "claw"
_TOOL = ToolSpec(
    name="echo",
    description="Repeats a word.",  # for the model, as the prompt is
    input_schema={"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
)
_PIECES = (events.TextDelta, events.ThinkingDelta, events.ToolCallDelta)


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that works, doesn't, or is switched off. `fix` is what to do about it."""

    name: Literal["connection", "streaming", "tool_call", "usage", "thinking"]
    state: State
    detail: str = ""
    fix: Phrase | None = None


class Heard:
    """What one call brought, with the time of its first piece and of its end in seconds."""

    def __init__(self) -> None:
        self.pieces = 0
        self.first_s: float | None = None
        self.whole_s = 0.0
        self.calls: list[ToolCall | MalformedCall] = []
        self.usage = events.Usage()
        self.thought = False
        self.failure: events.Failed | None = None

    def hear(self, event: events.ModelEvent, since_s: float) -> None:
        if isinstance(event, _PIECES):
            self.pieces += 1
            self.first_s = since_s if self.first_s is None else self.first_s
        match event:
            case events.ThinkingDelta():
                self.thought = True
            case events.ToolCallEnd(call=call):
                self.calls.append(call)
            case events.Usage():
                self.usage = event
            case events.Failed():
                self.failure = event
            case _:
                pass
        self.whole_s = since_s


async def try_model(
    endpoint: Endpoint,
    settings: LlmSettings,
    *,
    models: Path,
    environ: Mapping[str, str],
    hearing: Callable[[Heard], None] | None = None,
) -> Heard:
    """Make the call, once. `models` is where the embedded model's weights are; `hearing` is told after each event."""
    request = ModelRequest(
        messages=(user_text(f'Call the tool echo with the word "{_WORD}". Say nothing else.'),),
        tools=(_TOOL,),
        max_output_tokens=settings.max_output_tokens,
        thinking_budget=settings.thinking_budget if settings.thinking == "enabled" else 0,
    )
    heard = Heard()
    began = time.perf_counter()
    async with aclosing(_stream(endpoint, request, models, environ)) as answer:
        async for event in answer:
            heard.hear(event, time.perf_counter() - began)
            if hearing is not None:
                hearing(heard)
    return heard


async def _stream(
    endpoint: Endpoint, request: ModelRequest, models: Path, environ: Mapping[str, str]
) -> AsyncGenerator[events.ModelEvent]:
    """One call without retries: a test tells what is, not what may be."""
    if endpoint.profile.name == "local":
        from helloclaw.llm.local import LocalModel

        model = LocalModel(endpoint, models, environ=environ)
        try:
            async for event in model.stream(request):
                yield event
        finally:
            await model.aclose()
        return
    from helloclaw.llm.model import wire_for
    from helloclaw.llm.transport import Transport

    transport = Transport()
    try:
        async for event in transport.call(request, endpoint, wire_for(endpoint)):
            yield event
    finally:
        await transport.aclose()


def judge(heard: Heard, endpoint: Endpoint, *, wants_thinking: bool) -> list[Finding]:
    """What the call shows. After a failure nothing else is known."""
    if heard.failure is not None:
        return [_no_connection(heard.failure)]
    return [
        Finding(name="connection", state="ok", detail=_times(heard)),
        _streaming(heard, endpoint),
        _tool_call(heard),
        Finding(name="usage", state="ok", detail=_tokens(heard.usage))
        if heard.usage != events.Usage()
        else Finding(name="usage", state="no", fix=Phrase("model.fix.usage")),
        _thinking(heard, wants_thinking),
    ]


def _no_connection(failed: events.Failed) -> Finding:
    fix = phrase_of(failed.code, failed.values) if failed.code else Phrase(f"failure.{failed.kind}")
    return Finding(name="connection", state="no", detail=failed.detail or failed.message, fix=fix)


def _streaming(heard: Heard, endpoint: Endpoint) -> Finding:
    if not endpoint.stream:
        return Finding(name="streaming", state="off")
    if heard.pieces == 0:
        return Finding(name="streaming", state="no", fix=Phrase("model.fix.streaming"))
    return Finding(name="streaming", state="ok", detail=str(heard.pieces))


def _tool_call(heard: Heard) -> Finding:
    match heard.calls:
        case []:
            return Finding(name="tool_call", state="no", fix=Phrase("model.fix.no_call"))
        case [ToolCall(name="echo") as call, *_]:
            return Finding(name="tool_call", state="ok", detail=msgspec.json.encode(call.input).decode())
        case [ToolCall() as call, *_]:
            return Finding(name="tool_call", state="no", detail=call.name, fix=Phrase("model.fix.bad_call"))
        case [MalformedCall() as call, *_]:
            return Finding(name="tool_call", state="no", detail=call.error, fix=Phrase("model.fix.bad_call"))
        case _:
            raise AssertionError(heard.calls)


def _thinking(heard: Heard, wants_thinking: bool) -> Finding:
    if heard.thought:
        return Finding(name="thinking", state="ok")
    if not wants_thinking:
        return Finding(name="thinking", state="off")
    return Finding(name="thinking", state="no", fix=Phrase("model.fix.thinking"))


def _times(heard: Heard) -> str:
    first = heard.whole_s if heard.first_s is None else heard.first_s
    return f"{first * 1000:.0f} / {heard.whole_s * 1000:.0f} ms"


def _tokens(usage: events.Usage) -> str:
    return f"{usage.input + usage.cache_read + usage.cache_write} → {usage.output}"
