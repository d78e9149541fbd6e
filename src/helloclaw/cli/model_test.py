"""`helloclaw model test`: one tiny streamed tool call, and what it shows: what works, and what to do about the rest."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Literal

import msgspec
from msgspec import Struct, structs

from helloclaw.cli.outcome import DONE, FAILED, INTERRUPTED, TRY_AGAIN
from helloclaw.cli.run import Run
from helloclaw.i18n import Phrase
from helloclaw.llm import events
from helloclaw.llm.messages import MalformedCall, ModelRequest, ToolCall, ToolSpec, user_text
from helloclaw.llm.wire import Endpoint
from helloclaw.settings.endpoint import endpoint_from
from helloclaw.settings.values import Settings
from helloclaw.wording.plain import one_line

State = Literal["ok", "no", "off"]
_WORD = "claw"
_TOOL = ToolSpec(
    name="echo",
    description="Repeats a word.",  # for the model, as the prompt is
    input_schema={"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
)
_PIECES = (events.TextDelta, events.ThinkingDelta, events.ToolCallDelta)


class Check(Struct, frozen=True, kw_only=True):
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


def test_model(run: Run) -> int:
    source = run.settings()
    settings = source.current()
    endpoint = endpoint_from(settings, source.environ, model_id=run.arguments.text("name"))
    try:
        heard = asyncio.run(_try(run, endpoint, settings))
    except KeyboardInterrupt:
        return INTERRUPTED
    checks = judge(heard, endpoint, wants_thinking=settings.llm.thinking == "enabled")
    _report(run, endpoint, heard, checks)
    if heard.failure is not None:
        return TRY_AGAIN if heard.failure.retryable else FAILED
    return FAILED if any(check.state == "no" and check.name != "usage" for check in checks) else DONE


async def _try(run: Run, endpoint: Endpoint, settings: Settings) -> Heard:
    request = ModelRequest(
        messages=(user_text(f'Call the tool echo with the word "{_WORD}". Say nothing else.'),),
        tools=(_TOOL,),
        max_output_tokens=settings.llm.max_output_tokens,
        thinking_budget=settings.llm.thinking_budget if settings.llm.thinking == "enabled" else 0,
    )
    heard = Heard()
    began = time.perf_counter()
    async with aclosing(_stream(run, endpoint, request)) as answer:
        async for event in answer:
            heard.hear(event, time.perf_counter() - began)
    return heard


async def _stream(run: Run, endpoint: Endpoint, request: ModelRequest) -> AsyncGenerator[events.ModelEvent]:
    """One call without retries: a test tells what is, not what may be."""
    if endpoint.profile.name == "local":
        from helloclaw.llm.local import LocalModel

        model = LocalModel(endpoint, run.home().models, environ=run.environ)
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


def judge(heard: Heard, endpoint: Endpoint, *, wants_thinking: bool) -> list[Check]:
    """What the call shows. After a failure nothing else is known."""
    if heard.failure is not None:
        fix = Phrase("model.plain", text=heard.failure.hint)
        return [Check(name="connection", state="no", detail=heard.failure.message, fix=fix)]
    return [
        Check(name="connection", state="ok", detail=_times(heard)),
        _streaming(heard, endpoint),
        _tool_call(heard),
        Check(name="usage", state="ok", detail=_tokens(heard.usage))
        if heard.usage != events.Usage()
        else Check(name="usage", state="no", fix=Phrase("model.fix.usage")),
        _thinking(heard, wants_thinking),
    ]


def _streaming(heard: Heard, endpoint: Endpoint) -> Check:
    if not endpoint.stream:
        return Check(name="streaming", state="off")
    if heard.pieces == 0:
        return Check(name="streaming", state="no", fix=Phrase("model.fix.streaming"))
    return Check(name="streaming", state="ok", detail=str(heard.pieces))


def _tool_call(heard: Heard) -> Check:
    match heard.calls:
        case []:
            return Check(name="tool_call", state="no", fix=Phrase("model.fix.no_call"))
        case [ToolCall(name="echo") as call, *_]:
            return Check(name="tool_call", state="ok", detail=msgspec.json.encode(call.input).decode())
        case [ToolCall() as call, *_]:
            return Check(name="tool_call", state="no", detail=call.name, fix=Phrase("model.fix.bad_call"))
        case [MalformedCall() as call, *_]:
            return Check(name="tool_call", state="no", detail=call.error, fix=Phrase("model.fix.bad_call"))
        case _:
            raise AssertionError(heard.calls)


def _thinking(heard: Heard, wants_thinking: bool) -> Check:
    if heard.thought:
        return Check(name="thinking", state="ok")
    if not wants_thinking:
        return Check(name="thinking", state="off")
    return Check(name="thinking", state="no", fix=Phrase("model.fix.thinking"))


def _times(heard: Heard) -> str:
    first = heard.whole_s if heard.first_s is None else heard.first_s
    return f"{first * 1000:.0f} / {heard.whole_s * 1000:.0f} ms"


def _tokens(usage: events.Usage) -> str:
    return f"{usage.input + usage.cache_read + usage.cache_write} → {usage.output}"


def _report(run: Run, endpoint: Endpoint, heard: Heard, checks: list[Check]) -> None:
    if run.as_json:
        run.terminal.json(_as_json(run, endpoint, heard, checks))
        return
    say = run.say
    where = (endpoint.origin, endpoint.base_url, f"({endpoint.wire})")
    run.terminal.line("  ".join(one_line(each) for each in where if each))
    for check in checks:
        state = say(f"model.state.{check.state}")
        run.terminal.line(f"  {say(f'model.check.{check.name}')}  {state}  {one_line(check.detail, 160)}".rstrip())
        if check.fix is not None and (fix := say.say(check.fix)):
            run.terminal.line(f"      → {one_line(fix)}")


def _as_json(run: Run, endpoint: Endpoint, heard: Heard, checks: list[Check]) -> dict[str, Any]:
    rows = [
        {
            "name": check.name,
            "state": check.state,
            "detail": check.detail,
            "fix": run.say.say(check.fix) if check.fix else None,
        }
        for check in checks
    ]
    return {
        "model": endpoint.origin,
        "base_url": endpoint.base_url,
        "wire": endpoint.wire,
        "ok": heard.failure is None and all(check.state != "no" for check in checks),
        "checks": rows,
        "first_token_ms": None if heard.first_s is None else round(heard.first_s * 1000),
        "duration_ms": round(heard.whole_s * 1000),
        "usage": structs.asdict(heard.usage),
    }
