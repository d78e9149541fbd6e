"""A session at its edges: cancelled at the wrong moment, listened to by the faulty, run by broken parts."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from helloclaw.llm.messages import ImageBlock
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Cancel, Say
from helloclaw.tools.base import Tool, ToolOutput
from helloclaw.tools.context import ToolContext
from tests.support.model_server import Call, Gate, ModelServer, Turn
from tests.support.world import World

SOON_S = 5.0
"""Where the fault would be that nobody ever comes back."""


class NoInput(Struct):
    pass


def tool(name: str, run: Any, **facts: Any) -> Tool:
    return Tool(name, NoInput, run, description=name, **facts)


async def test_a_cancel_right_after_the_words_stops_their_turn(world: World, server: ModelServer) -> None:
    server.script(Turn(text="still here"))
    async with world.session() as (session, _):
        turn = asyncio.create_task(session.turn(Say(text="wait")))
        await asyncio.sleep(0)
        session.send(Cancel())
        end = await asyncio.wait_for(turn, SOON_S)
        assert (end.reason, len(server.posts)) == ("interrupted", 0)
        assert (await asyncio.wait_for(session.turn(Say(text="hi")), SOON_S)).reason == "done"


async def test_a_cancel_with_nothing_to_stop_stops_nothing_later(world: World, server: ModelServer) -> None:
    server.script(Turn(text="hello"))
    async with world.session() as (session, _):
        session.send(Cancel())
        assert (await asyncio.wait_for(session.turn(Say(text="hi")), SOON_S)).reason == "done"


@pytest.mark.parametrize("kind", [out.UserMessage, out.LlmStart, out.AssistantEnd, out.RoundEnd])
async def test_a_cancel_at_any_event_leaves_the_session_alive(world: World, server: ModelServer, kind: Any) -> None:
    server.script(Turn(text="one"), Turn(text="two"), Turn(text="three"))
    async with world.session() as (session, _):

        def stop(event: out.Event) -> None:
            if isinstance(event, kind):
                unsubscribe()
                session.send(Cancel())

        unsubscribe = session.subscribe(stop)
        end = await asyncio.wait_for(session.turn(Say(text="hi")), SOON_S)
        # The whole answer was there already: nothing was left to interrupt.
        assert end.reason == ("done" if kind in (out.AssistantEnd, out.RoundEnd) else "interrupted")
        assert (await asyncio.wait_for(session.turn(Say(text="again")), SOON_S)).reason == "done"


async def test_a_front_end_that_fails_takes_nothing_from_the_others(world: World, server: ModelServer) -> None:
    server.script(Turn(text="hello"))

    def faulty(_: out.Event) -> None:
        raise RuntimeError("no screen")

    async with world.session() as (session, _):
        session.subscribe(faulty)
        texts: list[str] = []
        session.subscribe(lambda event: texts.append(event.text) if isinstance(event, out.AssistantEnd) else None)
        end = await asyncio.wait_for(session.turn(Say(text="hi")), SOON_S)
    assert (end.reason, texts) == ("done", ["hello"])


async def test_a_bug_in_the_program_ends_the_turn_and_says_so(world: World, server: ModelServer) -> None:
    async def preview(_: object, __: ToolContext) -> str | None:
        raise RuntimeError("bad preview")

    async def run(_: object, __: ToolContext) -> ToolOutput:
        raise AssertionError("it was never allowed")

    server.script(Turn(calls=(Call(name="odd", input={}),)), Turn(text="fine"))
    (world.home.root).mkdir(parents=True)
    world.home.config.write_text('{"permissions": {"ask": ["odd"]}}')
    async with world.session(interactive=True, extra_tools=(tool("odd", run, preview=preview),)) as (session, heard):
        end = await asyncio.wait_for(session.turn(Say(text="go")), SOON_S)
        assert end.reason == "failed"
        assert "bad preview" in heard.of(out.ErrorEvent)[0].message
        assert (await asyncio.wait_for(session.turn(Say(text="and now?")), SOON_S)).reason == "done"


async def test_a_tool_that_cancels_itself_has_a_result_and_so_have_those_after_it(
    world: World, server: ModelServer
) -> None:
    async def run(_: object, __: ToolContext) -> ToolOutput:
        raise asyncio.CancelledError

    (world.workdir / "a").write_text("A")
    calls = (Call(name="odd", input={}), Call(name="read_file", input={"path": "a"}))
    server.script(Turn(calls=calls), Turn(text="fine"))
    async with world.session(extra_tools=(tool("odd", run),)) as (session, heard):
        end = await asyncio.wait_for(session.turn(Say(text="go")), SOON_S)
    assert end.reason == "done"
    assert [(each.name, each.error is None) for each in heard.of(out.ToolEnd)] == [("odd", False), ("read_file", True)]


async def test_what_is_said_to_a_session_that_cannot_run_is_kept_whole(tmp_path: Path, server: ModelServer) -> None:
    world = World(tmp_path, server, more={"LLM_MODEL_ID": "nobody/nothing", "LLM_BASE_URL": ""})
    image = ImageBlock(media_type="image/png", data="aGk=")
    async with world.session() as (session, heard):
        say = Say(text="look", context=("c",), images=(image,), client_id="one")
        assert (await asyncio.wait_for(session.turn(say), SOON_S)).reason == "failed"
    (kept,) = heard.of(out.UserMessage)
    assert (kept.text, kept.context[-1], kept.images, kept.client_id) == ("look", "c", (image,), "one")


async def test_half_a_character_ends_no_turn(world: World, server: ModelServer) -> None:
    async def run(_: object, __: ToolContext) -> ToolOutput:
        return ToolOutput(text="a\ud800b")

    server.script(Turn(calls=(Call(name="odd", input={}),)), Turn(text="fine"))
    async with world.session(extra_tools=(tool("odd", run),)) as (session, heard):
        end = await asyncio.wait_for(session.turn(Say(text="x\udcffy", context=("\udcff",))), SOON_S)
    assert end.reason == "done"
    assert heard.of(out.UserMessage)[0].text == "x\ufffdy"
    assert heard.of(out.ToolEnd)[0].output == "a\ufffdb"


async def test_words_that_come_at_the_limit_get_a_turn_of_their_own(world: World, server: ModelServer) -> None:
    gate = Gate()
    (world.workdir / "a").write_text("A")
    server.script(Turn(calls=(Call(name="read_file", input={"path": "a"}),), gate=gate), Turn(text="in French"))
    async with world.session(max_steps=1) as (session, _):
        first = asyncio.create_task(session.turn(Say(text="Read a.")))
        await asyncio.to_thread(gate.reached.wait)
        second = asyncio.create_task(session.turn(Say(text="And answer in French.")))
        await asyncio.sleep(0)
        gate.open()
        ends = await asyncio.wait_for(asyncio.gather(first, second), SOON_S)
    assert [end.reason for end in ends] == ["limit", "done"]


async def test_a_resumed_session_keeps_to_the_rules_of_its_own_project(world: World, server: ModelServer) -> None:
    rules = world.workdir / ".claude" / "permissions.json"
    rules.parent.mkdir()
    rules.write_text(json.dumps({"deny": ["Read(plan.txt)"]}))
    (world.workdir / "plan.txt").write_text("later")
    elsewhere = world.root / "elsewhere"
    elsewhere.mkdir()
    read = Turn(calls=(Call(name="read_file", input={"path": "plan.txt"}),))
    server.script(Turn(text="hello"), read, Turn(text="no"))
    async with world.session() as (session, _):
        await session.turn(Say(text="hi"))
    async with world.session(resume=session.id, workdir=elsewhere) as (session, heard):
        await session.turn(Say(text="read it"))
    assert [each.name for each in heard.of(out.ToolDenied)] == ["read_file"]


async def test_a_line_that_a_crash_has_torn_is_reported(world: World, server: ModelServer) -> None:
    server.script(Turn(text="hello"), Turn(text="again"))
    async with world.session() as (session, _):
        await session.turn(Say(text="hi"))
    with (world.home.sessions / f"{session.id}.jsonl").open("ab") as journal:
        journal.write(b'{"type":"user_mess')
    async with world.session(resume=session.id) as (session, heard):
        await session.turn(Say(text="hi"))
    (notice,) = heard.of(out.Notice)
    assert "18 bytes" in notice.text


async def test_a_damaged_line_is_reported(world: World, server: ModelServer) -> None:
    server.script(Turn(text="hello"), Turn(text="again"))
    async with world.session() as (session, _):
        await session.turn(Say(text="hi"))
    with (world.home.sessions / f"{session.id}.jsonl").open("ab") as journal:
        journal.write(b"not JSON\n")
    async with world.session(resume=session.id) as (session, heard):
        await session.turn(Say(text="hi"))
    assert ["1 damaged lines" in notice.text for notice in heard.of(out.Notice)] == [True]


async def test_a_cancel_closes_an_open_question(world: World, server: ModelServer) -> None:
    server.script(Turn(calls=(Call(name="bash", input={"command": "touch x"}),)))
    async with world.session(interactive=True) as (session, heard):
        session.subscribe(lambda event: session.send(Cancel()) if isinstance(event, out.PermissionAsk) else None)
        end = await asyncio.wait_for(session.turn(Say(text="go")), SOON_S)
    (ask,), (resolved,) = heard.of(out.PermissionAsk), heard.of(out.PermissionResolved)
    assert (end.reason, resolved.ask_id, resolved.decision) == ("interrupted", ask.ask_id, "cancelled")
    assert [each.output for each in heard.of(out.ToolEnd)] == ["Cancelled by user before tool execution."]


async def test_a_cost_limit_that_cannot_be_kept_is_said(world: World, server: ModelServer) -> None:
    server.script(Turn(text="hello"))
    _, heard = await world.turn("hi", max_cost_usd=1.0)
    (notice,) = heard.of(out.Notice)
    assert "scripted costs: the cost limit can't be kept" in notice.text


async def test_who_is_cancelled_while_a_session_opens_leaves_nothing_behind(world: World) -> None:
    async def opening() -> None:
        async with world.session():
            await asyncio.Event().wait()

    task = asyncio.create_task(opening())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert list(world.home.sessions.glob("*.jsonl")) == []


async def test_a_message_said_again_after_its_turn_keeps_nobody_waiting(world: World, server: ModelServer) -> None:
    server.script(Turn(text="hello"))
    say = Say(text="hi", client_id="c1")
    async with world.session() as (session, _):
        end = await asyncio.wait_for(session.turn(say), SOON_S)
        assert await asyncio.wait_for(session.turn(say), SOON_S) is end
    async with world.session(resume=session.id) as (session, heard):
        assert (await asyncio.wait_for(session.turn(say), SOON_S)).reason == "done"
    assert (heard.events, len(server.posts)) == ([], 1)
