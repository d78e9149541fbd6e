"""What is due reaches a model once, wakes a session, and can do no more than a person had allowed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from helloclaw.agent.session import Session
from helloclaw.agent.timekeeper import RunAlone, Timekeeper
from helloclaw.app.timekeeping import run_alone, schedules_of
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Say, SetMode
from helloclaw.schedule.schedules import Schedules
from helloclaw.settings.trust import is_trusted, trust
from tests.support.model_server import Call, Gate, ModelServer, Turn, json_answer
from tests.support.world import Heard, World

START = datetime(2026, 3, 9, 8, 0, 30, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


def scheduled(world: World, clock: Clock) -> Schedules:
    return Schedules(world.workdir, trusted=lambda: True, now=clock, zone=lambda: UTC)


@asynccontextmanager
async def keeping(schedules: Schedules, session: Session, alone: RunAlone | None = None) -> AsyncIterator[None]:
    engine = session._engine
    keeper = Timekeeper(schedules, engine, session.send, alone, every_s=0.02)
    unsubscribe = engine.subscribe(keeper.hear)
    task = asyncio.create_task(keeper.serve())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        unsubscribe()


async def heard_of(heard: Heard, kind: Any, count: int = 1) -> list[Any]:
    while len(found := heard.of(kind)) < count:
        await asyncio.sleep(0.01)
    return found


async def test_a_session_at_rest_is_woken_once(world: World, server: ModelServer) -> None:
    server.script(Turn(text="Watered."))
    clock = Clock()
    schedules = scheduled(world, clock)
    job = schedules.create("7 * * * *", "Water the plants.", durable=True).job
    async with world.session() as (session, heard), keeping(schedules, session):
        clock.now += timedelta(minutes=7)
        await heard_of(heard, out.RoundEnd)
        while schedules._claims.undelivered():
            await asyncio.sleep(0.01)
    assert str(server.posts[0].json["messages"]).count("Water the plants.") == 1
    assert "<scheduled-tasks>" in str(server.posts[0].json["messages"])
    assert [(event.id, event.prompt) for event in heard.of(out.CronFire)] == [(job.id, "Water the plants.")]
    assert [event.source for event in heard.of(out.UserMessage)] == ["schedule"]


async def test_it_joins_a_turn_that_runs(world: World, server: ModelServer) -> None:
    gate = Gate()
    calls = (Call(name="calculator", input={"expression": "1+1"}),)
    server.script(Turn(text="So.", calls=calls, gate=gate), Turn(text="Both done."))
    clock = Clock()
    schedules = scheduled(world, clock)
    schedules.create("7 * * * *", "Water the plants.")
    async with world.session() as (session, heard), keeping(schedules, session):
        turn = asyncio.create_task(session.turn(Say(text="Add.")))
        await heard_of(heard, out.LlmStart)
        clock.now += timedelta(minutes=7)
        await heard_of(heard, out.MessageQueued)
        gate.open()
        assert (await turn).reason == "done"
    assert len(server.posts) == 2
    assert str(server.posts[1].json["messages"]).count("Water the plants.") == 1


async def test_what_no_model_was_called_with_comes_after_a_restart(world: World, server: ModelServer) -> None:
    clock = Clock()
    first = scheduled(world, clock)
    first.create("7 * * * *", "Water the plants.", durable=True)
    clock.now += timedelta(minutes=7)
    assert len(first.tick().firings) == 1
    first.close()  # a kill between the claim and the call
    server.script(Turn(text="Watered."))
    async with world.session() as (session, heard), keeping(scheduled(world, clock), session):
        await heard_of(heard, out.RoundEnd)
    async with world.session() as (session, heard), keeping(scheduled(world, clock), session):
        await asyncio.sleep(0.2)  # long enough to be looked at ten times
    assert len(server.posts) == 1


async def test_plan_stays_plan_and_a_schedule_makes_no_schedules(world: World, server: ModelServer) -> None:
    calls = (
        Call(name="write_file", input={"path": "x", "content": "x"}),
        Call(name="cron_create", input={"cron": "* * * * *", "prompt": "again"}),
    )
    server.script(Turn(calls=calls), Turn(text="No."))
    clock = Clock()
    schedules = scheduled(world, clock)
    schedules.create("7 * * * *", "Write x.")
    async with world.session(allow=("Edit", "cron_create")) as (session, heard), keeping(schedules, session):
        session.send(SetMode(mode="plan"))
        clock.now += timedelta(minutes=7)
        await heard_of(heard, out.RoundEnd)
        assert session.mode == "plan"
    assert not (world.workdir / "x").exists()
    assert len(schedules.listing()) == 1


async def test_by_itself_a_schedule_can_not_schedule(world: World, server: ModelServer) -> None:
    create = Call(name="cron_create", input={"cron": "* * * * *", "prompt": "again"})
    server.script(Turn(calls=(create,)), Turn(text="No."), Turn(calls=(create,)), Turn(text="Yes."))
    async with world.session(allow=("cron_create",)) as (session, _):
        await session.turn(Say(text="<scheduled-tasks>x</scheduled-tasks>", source="schedule"))
        assert session.schedules is not None
        assert session.schedules.listing() == ()
        await session.turn(Say(text="Schedule it."))
        assert [entry.job.prompt for entry in session.schedules.listing()] == ["again"]


async def test_an_agent_of_its_own_asks_nobody(world: World, server: ModelServer) -> None:
    server.script(Turn(calls=(Call(name="bash", input={"command": "touch x"}),)), Turn(text="It was refused."))
    clock = Clock()
    schedules = scheduled(world, clock)
    schedules.create("7 * * * *", "Touch x.", auto_run=True)
    options = world.options(interactive=True)
    alone = partial(run_alone, options)
    async with world.session() as (session, heard), keeping(schedules, session, alone):
        clock.now += timedelta(minutes=7)
        (done,) = await heard_of(heard, out.CronAutoRunDone)
    assert done.text == "It was refused."
    assert heard.of(out.UserMessage) == []
    assert heard.of(out.PermissionAsk) == []
    assert not (world.workdir / "x").exists()


async def test_failures_of_an_agent_of_its_own_are_told(world: World, server: ModelServer) -> None:
    server.always(json_answer({"error": {"message": "no entry"}}, status=401))
    clock = Clock()
    schedules = scheduled(world, clock)
    schedules.create("* * * * *", "Try.", auto_run=True)
    options = world.options()
    alone = partial(run_alone, options)
    async with world.session() as (session, heard), keeping(schedules, session, alone):
        for count in range(1, 11):
            clock.now += timedelta(minutes=1)
            await heard_of(heard, out.CronAutoRunError, count)
        while schedules.listing():
            await asyncio.sleep(0.01)
    assert [event.code for event in heard.of(out.Notice)] == ["cron.fails", "cron.gives_up"]


async def test_what_the_program_writes_stays_trusted(world: World, server: ModelServer) -> None:
    create = Call(name="cron_create", input={"cron": "7 3 * * *", "prompt": "Water.", "durable": True})
    server.script(Turn(calls=(create,)), Turn(text="No."), Turn(calls=(create,)), Turn(text="Yes."))
    async with world.session(allow=("cron_create",)) as (session, heard):
        await session.turn(Say(text="Schedule it."))
        assert "not trusted" in heard.of(out.ToolEnd)[0].output
        trust(world.home, world.workdir)
        await session.turn(Say(text="Now."))
    assert is_trusted(world.home, world.workdir)
    assert [entry.job.prompt for entry in schedules_of(world.options()).listing()] == ["Water."]
