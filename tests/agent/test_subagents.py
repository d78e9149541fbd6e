"""Subagents: a context of their own, the limits of whoever started them, and an end with it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from helloclaw.agent.catalog import list_sessions
from helloclaw.agent.standing import Standing
from helloclaw.app.subagents import MOST_AT_ONCE, Room, SessionSubagents
from helloclaw.llm.events import Usage
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Cancel, Say
from helloclaw.tools.base import ToolError
from tests.support.model_server import Call, Gate, ModelServer, Turn, json_answer
from tests.support.world import Heard, World


def hand_over(prompt: str, kind: str = "general-purpose") -> Turn:
    return Turn(calls=(Call(name="run_subagent", input={"prompt": prompt, "agent_type": kind}),))


def run(command: str) -> Turn:
    return Turn(calls=(Call(name="bash", input={"command": command}),))


def tools_of(server: ModelServer, at: int) -> set[str]:
    return {tool.get("function", tool)["name"] for tool in server.posts[at].json["tools"]}


async def heard_of(heard: Heard, kind: Any, count: int = 1) -> list[Any]:
    while len(found := heard.of(kind)) < count:
        await asyncio.sleep(0.01)
    return found


async def test_a_context_of_its_own(world: World, server: ModelServer) -> None:
    (world.workdir / "a").write_text("zebra")
    server.script(
        hand_over("Read a."),
        Turn(calls=(Call(name="read_file", input={"path": "a"}),), usage=Usage(input=100, output=10)),
        Turn(text="It says stripes.", usage=Usage(input=200, output=20)),
        Turn(text="Done.", usage=Usage(input=5, output=1)),
    )
    async with world.session(allow=("run_subagent",)) as (session, heard):
        end = await session.turn(Say(text="Hand it over, quokka."))
        parent = session.id
    assert end.reason == "done"
    assert "quokka" not in str(server.posts[1].json)
    assert "zebra" in str(server.posts[2].json)
    assert "zebra" not in str(server.posts[3].json)
    assert "It says stripes." in str(server.posts[3].json)
    assert end.usage.input >= 305
    assert any("read_file(a)" in event.text for event in heard.of(out.ToolProgress))
    assert [event.text for event in heard.of(out.AssistantEnd) if event.text] == ["Done."]
    assert [info.id for info in list_sessions(world.home)] == [parent]
    (child,) = (info for info in list_sessions(world.home, children=True) if info.parent)
    assert child.parent == parent


async def test_it_may_do_no_more_and_asks_nobody(world: World, server: ModelServer) -> None:
    server.script(hand_over("Touch x."), run("touch x"), Turn(text="Refused."), Turn(text="Done."))
    async with world.session(interactive=True, allow=("run_subagent",)) as (session, heard):
        await session.turn(Say(text="go"))
    assert heard.of(out.PermissionAsk) == []
    assert not (world.workdir / "x").exists()
    assert "denied" in str(server.posts[2].json["messages"][-1]).lower()


async def test_explore_only_reads_whatever_is_allowed(world: World, server: ModelServer) -> None:
    write = Call(name="write_file", input={"path": "x", "content": "x"})
    shell = Call(name="bash", input={"command": "touch y"})
    reads = Call(name="bash", input={"command": "ls"})
    server.script(
        hand_over("Look.", "Explore"), Turn(calls=(write, shell, reads)), Turn(text="Nothing."), Turn(text="Ok.")
    )
    async with world.session(allow=("Edit", "Bash", "run_subagent"), mode="auto") as (session, _):
        await session.turn(Say(text="go"))
    assert list(world.workdir.iterdir()) == []
    results = str(server.posts[2].json["messages"])
    assert results.count("Permission denied") == 2


async def test_two_deep_and_no_deeper(world: World, server: ModelServer) -> None:
    server.script(hand_over("one"), hand_over("two"), Turn(text="deep"), Turn(text="less"), Turn(text="up"))
    async with world.session(allow=("run_subagent",)) as (session, _):
        assert (await session.turn(Say(text="go"))).reason == "done"
    assert ["run_subagent" in tools_of(server, at) for at in range(3)] == [True, True, False]


async def test_no_more_than_eight_at_once(world: World) -> None:
    room = Room()
    room.taken = MOST_AT_ONCE
    subagents = SessionSubagents(world.options(), "s", Standing("default"), room)
    with pytest.raises(ToolError, match="8 subagents run already"):
        await subagents.run("x", "general-purpose", lambda _: None, by_schedule=False)
    assert room.taken == MOST_AT_ONCE


async def test_one_that_fails_is_a_result(world: World, server: ModelServer) -> None:
    refused = json_answer({"error": {"message": "no entry"}}, status=401)
    server.script(hand_over("go"), refused, Turn(text="It failed."))
    async with world.session(allow=("run_subagent",)) as (session, heard):
        assert (await session.turn(Say(text="go"))).reason == "done"
    (ended,) = heard.of(out.ToolEnd)
    assert ended.error is not None
    assert "The subagent failed" in ended.error


async def test_its_steps_are_limited(world: World, server: ModelServer) -> None:
    server.script(hand_over("Loop."))
    for number in range(30):
        server.script(Turn(calls=(Call(name="calculator", input={"expression": f"1+{number}"}),)))
    server.script(Turn(text="Enough."))
    async with world.session(allow=("run_subagent",)) as (session, heard):
        assert (await session.turn(Say(text="go"))).reason == "done"
    assert "limit of 30 steps" in heard.of(out.ToolEnd)[-1].output


async def test_a_cancel_reaches_the_grandchild(world: World, server: ModelServer) -> None:
    gate = Gate()
    server.script(hand_over("one"), hand_over("two"), Turn(text="slow " * 50, gate=gate, chunk=8))
    async with world.session(allow=("run_subagent",)) as (session, heard):
        turn = asyncio.create_task(session.turn(Say(text="go")))
        while len(server.posts) < 3:
            await asyncio.sleep(0.01)
        session.send(Cancel())
        assert (await asyncio.wait_for(turn, 10)).reason == "interrupted"
        await asyncio.to_thread(server.posts[2].disconnected.wait, 10)
        assert server.posts[2].disconnected.is_set()
        await heard_of(heard, out.RoundEnd)
    ends = [world.journal(info.id)[-1]["type"] for info in list_sessions(world.home, children=True)]
    assert ends == ["round_end"] * 3
