"""One call of the model: its stream becomes events, and at the end one assistant message in the journal."""

from __future__ import annotations

import asyncio
import contextlib

from msgspec import Struct

from helloclaw.agent.engine import Engine
from helloclaw.llm.accumulate import Accumulator
from helloclaw.llm.events import (
    Failed,
    Fallback,
    ModelEvent,
    Retrying,
    StopReason,
    TextDelta,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    Usage,
)
from helloclaw.llm.messages import Message, ModelRequest, TextBlock, ThinkingBlock, text_of
from helloclaw.llm.model import ChatModel
from helloclaw.protocol import events as out


class Answered(Struct, frozen=True, kw_only=True):
    """The model's whole message, or why there is none. A failed call has no stop reason."""

    message: Message
    usage: Usage
    stop_reason: StopReason | None = None
    failure: Failed | None = None


async def call_model(engine: Engine, model: ChatModel, request: ModelRequest, step: int) -> Answered:
    """Stream one answer. On cancellation what was shown so far is kept as an interrupted message."""
    call = _Call(engine, model.endpoint.origin)
    engine.emit(out.LlmStart(model=model.endpoint.origin, step=step))
    engine.emit(out.Phase(state="thinking"))
    try:
        async with contextlib.aclosing(model.stream(request)) as events:
            async for event in events:
                call.show(event)
    except asyncio.CancelledError:
        call.keep_partial()
        raise
    return call.finish()


class _Call:
    """The state of one streaming answer."""

    def __init__(self, engine: Engine, origin: str) -> None:
        self._engine = engine
        self._origin = origin
        self._started = engine.now()
        self._first_token: float | None = None
        self._answering = False
        self._shown = False
        self._answer = Accumulator()

    def show(self, event: ModelEvent) -> None:
        self._answer.add(event)
        match event:
            case TextDelta(text):
                self._delta(out.AssistantDelta(text=text))
            case ThinkingDelta(text):
                self._delta(out.ThinkingDelta(text=text))
            case TextStart() if not self._answering:
                self._answering = True
                self._engine.emit(out.AssistantStart())
                self._engine.emit(out.Phase(state="answering"))
            case ThinkingStart():
                self._engine.emit(out.ThinkingStart())
            case ThinkingEnd():
                self._engine.emit(out.ThinkingEnd())
            case Retrying():
                self._retry(event)
            case Fallback():
                self._origin = event.after if event.what == "model" else self._origin
                self._restart(
                    out.LlmFallback(
                        what=event.what,
                        before=event.before,
                        after=event.after,
                        message=event.failure.message,
                        detail=event.failure.detail,
                    )
                )
            case _:
                pass

    def keep_partial(self) -> None:
        """Keep the text that was shown; half a tool call is no call, and unsigned thinking can't be replayed."""
        kept = [block for block in self._answer.message().content if isinstance(block, TextBlock)]
        partial = self._answer.partial_text()
        content = (*kept, TextBlock(text=partial)) if partial else tuple(kept)
        if content:
            text = "".join(block.text for block in content)
            self._engine.emit(out.AssistantEnd(text=text, content=content, model=self._origin, interrupted=True))

    def finish(self) -> Answered:
        answer = self._answer
        message = answer.message(self._origin)
        if answer.failure is not None or answer.stop_reason is None:
            self.keep_partial()
            failure = answer.failure or Failed(kind="protocol", message="the model's stream ended without a reason")
            return Answered(message=message, usage=answer.usage, failure=failure)
        if any(not isinstance(block, ThinkingBlock) for block in message.content):
            self._engine.emit(out.AssistantEnd(text=text_of(message), content=message.content, model=self._origin))
        now = self._engine.now()
        first = None if self._first_token is None else _ms(self._first_token - self._started)
        self._engine.emit(
            out.LlmEnd(
                model=self._origin,
                stop_reason=answer.stop_reason,
                duration_ms=_ms(now - self._started),
                first_token_ms=first,
            )
        )
        return Answered(message=message, usage=answer.usage, stop_reason=answer.stop_reason)

    def _delta(self, event: out.AssistantDelta | out.ThinkingDelta) -> None:
        if self._first_token is None:
            self._first_token = self._engine.now()
        self._shown = True
        self._engine.emit(event)

    def _retry(self, event: Retrying) -> None:
        self._restart(retry_event(event, superseded=self._shown))
        self._engine.emit(out.Phase(state="waiting", label=event.failure.kind))

    def _restart(self, event: out.LlmRetry | out.LlmFallback) -> None:
        self._answering = self._shown = False
        self._engine.emit(event)


def retry_event(event: Retrying, *, superseded: bool = False) -> out.LlmRetry:
    return out.LlmRetry(
        attempt=event.attempt,
        limit=event.limit,
        wait_s=event.wait_s,
        kind=event.failure.kind,
        message=event.failure.message,
        detail=event.failure.detail,
        superseded=superseded,
    )


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
