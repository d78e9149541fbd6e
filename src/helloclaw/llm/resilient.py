"""Call a model until it answers: retries, the fallback model, and going on without thinking. All of it is here.

Each of these is an event, said aloud before it happens. A full context is not handled: the loop compacts it.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncGenerator, Awaitable, Callable

from msgspec.structs import replace

from helloclaw.llm.events import Failed, Fallback, ModelEvent, Retrying
from helloclaw.llm.messages import ModelRequest, ToolResult
from helloclaw.llm.model import wire_for
from helloclaw.llm.providers import near_names
from helloclaw.llm.transport import Transport
from helloclaw.llm.wire import Endpoint

MAX_RETRIES = 5
"""For one call, whichever model it ends up with."""

FAILURES_BEFORE_FALLBACK = 3
MIN_WAIT_S = 0.5
MAX_WAIT_S = 30.0
MAX_RETRY_AFTER_S = 120.0
"""Longer than this nobody waits in front of a screen: the call fails, or goes to the fallback."""

NEAR_NAMES_S = 3.0
"""Seconds to look for names like one that the server does not know."""


class ResilientModel:
    """Implements `ChatModel`. `sleep` takes seconds; `jitter` gives a number from 0 to 1."""

    def __init__(
        self,
        endpoint: Endpoint,
        fallback: Endpoint | None = None,
        *,
        transport: Transport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._main = endpoint
        self._fallback = fallback
        self._transport = transport or Transport()
        self._sleep = sleep
        self._jitter = jitter
        self._fallen: Failed | None = None  # why the turn that is under way has gone to the fallback
        self._without_thinking: set[str] = set()

    @property
    def endpoint(self) -> Endpoint:
        return self._main

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """See `ChatModel`. A turn that has gone to the fallback stays there; the next one begins with the main."""
        active = self._main
        if not _goes_on(request):
            self._fallen = None
        elif self._fallen is not None and self._fallback is not None:
            active = self._fallback
            yield _other_model(self._main, active, self._fallen)
        retries = failures = 0
        while True:
            sent = self._fit(request, active)
            async with contextlib.aclosing(self._transport.call(sent, active, wire_for(active))) as events:
                async for event in events:
                    if isinstance(event, Failed):
                        break
                    yield event
                else:
                    return
            failure = await self._explained(event, active)
            failures += 1
            if failure.kind == "thinking_refused" and sent.thinking_budget > 0:
                self._without_thinking.add(active.origin)
                yield Fallback(what="thinking", before=active.origin, after=active.origin, failure=failure)
                continue
            wait = self._wait(failure, retries)
            given_up = failure.retryable and (failures >= FAILURES_BEFORE_FALLBACK or wait is None)
            if given_up and self._fallback is not None and active is not self._fallback:
                active, self._fallen = self._fallback, failure
                yield _other_model(self._main, active, failure)
                continue
            if wait is None:
                yield failure
                return
            retries += 1
            yield Retrying(attempt=retries, limit=MAX_RETRIES, wait_s=wait, failure=failure)
            await self._sleep(wait)

    async def aclose(self) -> None:
        await self._transport.aclose()

    def _fit(self, request: ModelRequest, active: Endpoint) -> ModelRequest:
        """The request without thinking, where that has been refused before."""
        return replace(request, thinking_budget=0) if active.origin in self._without_thinking else request

    def _wait(self, failure: Failed, retries: int) -> float | None:
        """Seconds until the next try, or None if there is none."""
        if not failure.retryable or retries >= MAX_RETRIES:
            return None
        if failure.retry_after is not None:
            return max(failure.retry_after, MIN_WAIT_S) if failure.retry_after <= MAX_RETRY_AFTER_S else None
        return min(2.0**retries, MAX_WAIT_S) * (0.5 + self._jitter() / 2)

    async def _explained(self, failure: Failed, active: Endpoint) -> Failed:
        """For an unknown model, name those of the server's models that are most like it."""
        if failure.kind != "not_found":
            return failure
        try:
            async with asyncio.timeout(NEAR_NAMES_S):
                names = await self._transport.list_models(active)
        except TimeoutError:
            return failure
        if isinstance(names, Failed) or active.model in names:
            return failure
        near = near_names(active.model, names)
        listed = ", ".join(f'"{name}"' for name in near or sorted(names)[:10])
        return replace(failure, hint=f"Did you mean {listed}?" if near else f"The server has {listed}.")


def _other_model(before: Endpoint, after: Endpoint, failure: Failed) -> Fallback:
    return Fallback(what="model", before=before.origin, after=after.origin, failure=failure)


def _goes_on(request: ModelRequest) -> bool:
    """Whether the call is another step of a turn: it begins with what tools have answered."""
    return bool(request.messages) and any(isinstance(block, ToolResult) for block in request.messages[-1].content)
