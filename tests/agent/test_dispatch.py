"""Which calls overlap, in which order results come, and that whatever a tool does ends as its result."""

from __future__ import annotations

import asyncio

from helloclaw.protocol import events as out
from helloclaw.tools.base import Tool
from helloclaw.tools.registry import tool_from_function
from tests.support.model_server import Call, ModelServer, Turn
from tests.support.world import World


def meeting(name: str, barrier: asyncio.Barrier) -> Tool:
    """A parallel-safe tool that returns only when as many as the barrier wants run at once."""

    async def meet() -> str:
        """Meet the others."""
        async with asyncio.timeout(10):
            await barrier.wait()
        return "met"

    return tool_from_function(meet, name=name, read_only=True, parallel_safe=True)


async def test_parallel_safe_calls_overlap_up_to_three(world: World, server: ModelServer) -> None:
    running, most = 0, 0
    barrier = asyncio.Barrier(3)

    async def watch() -> str:
        """Watch."""
        nonlocal running, most
        running += 1
        most = max(most, running)
        async with asyncio.timeout(10):
            await barrier.wait()
        running -= 1
        return "seen"

    tool = tool_from_function(watch, read_only=True, parallel_safe=True)
    server.script(Turn(calls=(Call(name="watch"),) * 6), Turn(text="done"))

    end, heard = await world.turn("go", extra_tools=(tool,))

    assert end.reason == "done"
    assert most == 3
    assert [event.output for event in heard.of(out.ToolEnd)] == ["seen"] * 6


async def test_other_calls_run_alone_and_in_order(world: World, server: ModelServer) -> None:
    log: list[str] = []

    async def write(text: str) -> str:
        """Write."""
        log.append(f"start {text}")
        await asyncio.sleep(0)
        log.append(f"end {text}")
        return text

    async def look() -> str:
        """Look."""
        log.append("look")
        return str(len(log))

    tools = (tool_from_function(write), tool_from_function(look, read_only=True, parallel_safe=True))
    calls = (Call(name="write", input={"text": "1"}), Call(name="look"), Call(name="write", input={"text": "2"}))
    server.script(Turn(calls=calls), Turn(text="done"))

    _, heard = await world.turn("go", extra_tools=tools)

    assert log == ["start 1", "end 1", "look", "start 2", "end 2"]
    assert [event.id for event in heard.of(out.ToolEnd)] == [event.id for event in heard.of(out.ToolUse)]


async def test_a_result_is_kept_as_soon_as_those_before_it_are(world: World, server: ModelServer) -> None:
    """What a crash during the second call would leave: the first call's result."""
    kept: list[str] = []

    async def first() -> str:
        """First."""
        return "one"

    async def second() -> str:
        """Second."""
        (path,) = world.home.sessions.glob("*.jsonl")
        kept.extend(str(line["type"]) for line in world.journal(path.stem)[1:])
        return "two"

    server.script(Turn(calls=(Call(name="first"), Call(name="second"))), Turn(text="done"))
    await world.turn("go", extra_tools=(tool_from_function(first), tool_from_function(second)))

    assert kept[-2:] == ["tool_end", "tool_start"]


async def test_a_tool_that_breaks_is_a_result_not_the_end(world: World, server: ModelServer) -> None:
    def broken() -> str:
        """Break."""
        raise RuntimeError("out of paper")

    server.script(Turn(calls=(Call(name="broken"),)), Turn(text="I see"))
    end, heard = await world.turn("go", extra_tools=(tool_from_function(broken),))
    assert end.reason == "done"
    (result,) = heard.of(out.ToolEnd)
    assert (result.output, result.error) == (
        "broken failed: RuntimeError: out of paper",
        "broken failed: RuntimeError: out of paper",
    )
