"""Retries, the fallback model and going on without thinking, against a scripted server. Waits are noted, not waited."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from msgspec.structs import replace

from helloclaw.llm.accumulate import Accumulator
from helloclaw.llm.events import Failed, Fallback, Finish, ModelEvent, Retrying, TextDelta
from helloclaw.llm.messages import Message, ModelRequest, TextBlock, ToolCall, ToolResult, user_text
from helloclaw.llm.model import open_model
from helloclaw.llm.profile import Profile
from helloclaw.llm.resilient import ResilientModel
from helloclaw.llm.wire import Endpoint, WireName
from tests.support.model_server import Exchange, Gate, ModelServer, Turn, anthropic_stream, html, json_answer, sse

NEW_TURN = ModelRequest(messages=(user_text("hi"),))
NEXT_STEP = ModelRequest(
    messages=(
        user_text("hi"),
        Message(role="assistant", content=(ToolCall(id="t", name="f", input={}),)),
        Message(role="user", content=(ToolResult(tool_use_id="t", text="r"), TextBlock(text="<inbox></inbox>"))),
    )
)


def endpoint(server: ModelServer, wire: WireName = "anthropic", model: str = "main", **more: Any) -> Endpoint:
    base_url = server.base_url if wire == "anthropic" else f"{server.base_url}/v1"
    return Endpoint(profile=Profile(name="test"), wire=wire, base_url=base_url, model=model, **more)


class Model:
    """A resilient model whose waits are noted down. With a jitter of 0 they are the shortest there can be."""

    def __init__(self, main: Endpoint, fallback: Endpoint | None = None, jitter: float = 0.0) -> None:
        self.waits: list[float] = []
        self.model = ResilientModel(main, fallback, sleep=self._sleep, jitter=lambda: jitter)

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def ask(self, request: ModelRequest = NEW_TURN) -> list[ModelEvent]:
        events = [event async for event in self.model.stream(request)]
        assert [event for event in events if isinstance(event, Finish | Failed)] == [events[-1]]
        return events

    async def said(self, request: ModelRequest = NEW_TURN) -> str:
        folded = Accumulator()
        for event in await self.ask(request):
            folded.add(event)
        assert folded.failure is None
        return "".join(block.text for block in folded.message().content if isinstance(block, TextBlock))

    async def failure(self) -> Failed:
        last = (await self.ask())[-1]
        assert isinstance(last, Failed)
        return last


@contextlib.asynccontextmanager
async def opened(*args: Any, **more: Any) -> AsyncGenerator[Model]:
    model = Model(*args, **more)
    try:
        yield model
    finally:
        await model.model.aclose()


def busy(status: int = 529, **headers: str) -> Exchange:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    error = {"type": "error", "error": {"type": "api_error", "message": "not now"}}
    return json_answer(error, status=status, headers=named)


async def test_a_retry_is_announced_and_waits_as_long_as_the_server_says() -> None:
    with ModelServer() as server:
        server.script(busy(429, retry_after="7"), Turn(text="at last"))
        async with opened(endpoint(server)) as model:
            events = await model.ask()
            assert model.waits == [7.0]
    first = events[0]
    assert isinstance(first, Retrying)
    assert (first.attempt, first.limit, first.wait_s) == (1, 5, 7.0)
    assert (first.failure.kind, first.failure.status) == ("rate_limit", 429)
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["at last"]


@pytest.mark.parametrize(("jitter", "waits"), [(0.0, [0.5, 1, 2, 4, 8]), (1.0, [1, 2, 4, 8, 16])])
async def test_five_retries_ever_further_apart_then_the_failure(jitter: float, waits: list[float]) -> None:
    with ModelServer() as server:
        server.script(*(busy() for _ in range(6)))
        async with opened(endpoint(server), jitter=jitter) as model:
            events = await model.ask()
            assert model.waits == waits
    attempts = [event.attempt for event in events if isinstance(event, Retrying)]
    assert (attempts, len(server.posts)) == ([1, 2, 3, 4, 5], 6)
    assert isinstance(events[-1], Failed)


@pytest.mark.parametrize(
    "refusal",
    [*(busy(status) for status in (400, 401, 403, 413)), html(), json_answer({"error": "no credit"}, status=402)],
    ids=["400", "401", "403", "413", "html", "402"],
)
async def test_what_no_retry_can_help_fails_at_once(refusal: Exchange) -> None:
    with ModelServer() as server:
        server.script(refusal)
        async with opened(endpoint(server), endpoint(server, model="spare")) as model:
            assert not (await model.failure()).retryable
            assert model.waits == []


@pytest.mark.parametrize(
    "trouble",
    [
        *(busy(status) for status in (408, 409, 429, 500, 502, 503, 529)),
        html(status=502),
        Exchange(cut_at=-1),
        sse(anthropic_stream("half an answer"), cut_at=700),
        sse(anthropic_stream("half an answer")[:700]),
    ],
    ids=["408", "409", "429", "500", "502", "503", "529", "html-502", "hung-up", "cut", "ended-early"],
)
async def test_what_passes_is_tried_again_and_nothing_is_doubled(trouble: Exchange) -> None:
    with ModelServer() as server:
        server.script(trouble, Turn(text="a whole answer"))
        async with opened(endpoint(server)) as model:
            assert await model.said() == "a whole answer"
            assert len(model.waits) == 1


async def test_nobody_waits_for_an_hour() -> None:
    with ModelServer() as server:
        server.script(busy(429, retry_after="3600"), busy(429, retry_after="3600"), Turn(text="spare"))
        async with opened(endpoint(server)) as alone:
            assert (await alone.failure()).retry_after == 3600
        async with opened(endpoint(server), endpoint(server, model="spare")) as model:
            assert await model.said() == "spare"
            assert alone.waits + model.waits == []


async def test_after_three_failures_the_turn_goes_on_with_the_fallback() -> None:
    with ModelServer() as main, ModelServer() as other:
        spare = endpoint(other, "openai", "spare")
        main.script(busy(), busy(), busy())
        other.script(Turn(text="from the spare"), busy(500), Turn(text="and again"))
        main.script(Turn(text="main is back"))
        async with opened(endpoint(main), spare) as model:
            events = await model.ask()
            kinds = [type(event).__name__ for event in events[:3]]
            fallback = events[2]
            assert (kinds, model.waits) == (["Retrying", "Retrying", "Fallback"], [0.5, 1.0])
            assert isinstance(fallback, Fallback)
            assert (fallback.what, fallback.before, fallback.after) == ("model", "test/main", "test/spare")
            assert fallback.failure.kind == "overloaded"
            again = await model.ask(NEXT_STEP)
            assert again[0] == fallback
            assert isinstance(again[1], Retrying)
            assert await model.said(NEW_TURN) == "main is back"
            assert model.model.endpoint == endpoint(main)
    assert [post.json["model"] for post in (*main.posts, *other.posts)] == ["main"] * 4 + ["spare"] * 3


async def test_when_the_fallback_fails_too_there_are_five_retries_in_all() -> None:
    with ModelServer() as server:
        server.always(busy())
        async with opened(endpoint(server), endpoint(server, model="spare")) as model:
            events = await model.ask()
    attempts = [event.attempt for event in events if isinstance(event, Retrying)]
    assert attempts == [1, 2, 3, 4, 5]
    assert [post.json["model"] for post in server.posts] == ["main"] * 3 + ["spare"] * 4


REFUSED = json_answer({"error": {"message": "thinking: Extra inputs are not permitted"}}, status=400)


async def test_a_gateway_that_refuses_thinking_is_asked_without_from_then_on() -> None:
    thinking = replace(NEW_TURN, thinking_budget=2000)
    with ModelServer() as server:
        server.script(REFUSED, Turn(text="one"), Turn(text="two"))
        async with opened(endpoint(server)) as model:
            first = (await model.ask(thinking))[0]
            assert isinstance(first, Fallback)
            assert (first.what, first.failure.kind) == ("thinking", "thinking_refused")
            assert await model.said(thinking) == "two"
            assert model.waits == []
    assert ["thinking" in post.json for post in server.posts] == [True, False, False]


async def test_a_second_refusal_is_a_failure() -> None:
    with ModelServer() as server:
        server.script(REFUSED, REFUSED, REFUSED)
        async with opened(endpoint(server)) as model:
            events = await model.ask(replace(NEW_TURN, thinking_budget=2000))
            assert [type(event).__name__ for event in events] == ["Fallback", "Failed"]
            assert (await model.failure()).kind == "thinking_refused"


async def test_a_full_context_is_for_the_loop() -> None:
    with ModelServer() as server:
        server.script(json_answer({"error": {"message": "prompt is too long"}}, status=400))
        async with opened(endpoint(server), endpoint(server, model="spare")) as model:
            failure = await model.failure()
    assert (failure.kind, failure.retryable) == ("overflow", False)


UNKNOWN = json_answer(
    {"type": "error", "error": {"type": "not_found_error", "message": "model: deepseek-v4"}}, status=404
)


@pytest.mark.parametrize("wire", ["anthropic", "openai"])
async def test_an_unknown_model_is_answered_with_names_like_it(wire: WireName) -> None:
    with ModelServer() as server:
        server.models = ["deepseek-v4-pro", "deepseek-v4-flash", "whisper"]
        server.script(UNKNOWN, UNKNOWN, UNKNOWN)
        async with opened(endpoint(server, wire, "deepseek-v4-prp")) as model:
            assert (await model.failure()).hint == 'Did you mean "deepseek-v4-pro", "deepseek-v4-flash"?'
        async with opened(endpoint(server, wire, "zzz")) as model:
            assert (await model.failure()).hint == 'The server has "deepseek-v4-flash", "deepseek-v4-pro", "whisper".'
        async with opened(endpoint(server, wire, "whisper")) as model:
            assert "base URL" in (await model.failure()).hint


async def test_names_are_not_waited_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("helloclaw.llm.resilient.NEAR_NAMES_S", 0.05)
    with ModelServer() as server:
        server.models_answer = Exchange(gate=Gate())
        server.script(UNKNOWN)
        async with opened(endpoint(server)) as model:
            assert (await model.failure()).kind == "not_found"


@pytest.mark.parametrize("how", ["cancel", "close"])
async def test_a_wait_can_be_stopped(how: str) -> None:
    with ModelServer() as server:
        server.script(busy(429, retry_after="60"))
        model = open_model(endpoint(server))
        events = model.stream(NEW_TURN)
        assert isinstance(await anext(events), Retrying)
        if how == "cancel":
            waiting = asyncio.ensure_future(anext(events))
            await asyncio.sleep(0)
            waiting.cancel()
            done, _ = await asyncio.wait({waiting}, timeout=0.3)
            assert done == {waiting}
            assert waiting.cancelled()
        else:
            await asyncio.wait_for(events.aclose(), 0.3)
        await model.aclose()
    assert len(server.posts) == 1


async def test_stopping_in_mid_answer_closes_the_connection() -> None:
    with ModelServer() as server:
        gate = Gate()
        server.script(Turn(text="one two three four five six", gate=gate))
        model = open_model(endpoint(server))
        async with contextlib.aclosing(model.stream(NEW_TURN)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    break
        assert await asyncio.to_thread(server.posts[0].disconnected.wait, 0.3)
        await model.aclose()


async def test_one_model_can_answer_several_calls_at_once() -> None:
    with ModelServer() as server:
        server.always(Turn(text="me too"))
        async with opened(endpoint(server)) as model:
            assert await asyncio.gather(*(model.said() for _ in range(5))) == ["me too"] * 5
