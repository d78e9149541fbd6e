"""The heartbeat: no call for nothing, silence for all's well, a notice for the rest; one process in each interval."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from helloclaw.agent.heartbeat import Heartbeat, has_content, is_within
from helloclaw.agent.session import Session
from helloclaw.app.timekeeping import run_alone
from helloclaw.protocol import events as out
from helloclaw.workspace.making import template
from helloclaw.workspace.parts import without_comments
from tests.support.model_server import ModelServer, Turn
from tests.support.world import Heard, World


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 9, 12, 10, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@asynccontextmanager
async def beating(world: World, session: Session, clock: Clock, text: str) -> AsyncIterator[None]:
    options = world.options()
    heartbeat = Heartbeat(
        session._engine,
        world.home.workspace / ".claude",
        lambda: text,
        lambda prompt: run_alone(options, prompt),
        every_min=30,
        hours=(8, 22),
        now=clock,
        looked_every_s=0.01,
    )
    task = asyncio.create_task(heartbeat.serve())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def calls(server: ModelServer, count: int) -> None:
    while len(server.posts) < count:
        await asyncio.sleep(0.01)


async def told(heard: Heard, count: int) -> list[str]:
    while len(found := [event.values["text"] for event in heard.of(out.Notice)]) < count:
        await asyncio.sleep(0.01)
    return found


async def test_it_speaks_up_only_when_needed(world: World, server: ModelServer) -> None:
    server.script(Turn(text="HEARTBEAT_OK"), Turn(text="The disk is nearly full."))
    clock = Clock()
    async with world.session() as (session, heard), beating(world, session, clock, "- look at the disk"):
        clock.now += timedelta(minutes=30)
        await calls(server, 1)
        clock.now += timedelta(minutes=30)
        assert await told(heard, 1) == ["The disk is nearly full."]
    assert "look at the disk" in str(server.posts[0].json["messages"])
    assert heard.of(out.UserMessage) == []


async def test_nothing_to_look_at_makes_no_call(world: World, server: ModelServer) -> None:
    clock = Clock()
    async with world.session() as (session, _), beating(world, session, clock, "# Heartbeat\n\n- [ ]\n"):
        for _ in range(5):
            clock.now += timedelta(minutes=30)
            await asyncio.sleep(0.05)
    assert server.posts == []


async def test_at_night_it_is_still(world: World, server: ModelServer) -> None:
    server.script(Turn(text="HEARTBEAT_OK"))
    clock = Clock()
    async with world.session() as (session, _), beating(world, session, clock, "- look"):
        for hours in (10, 12, 16):
            clock.now = datetime(2026, 3, 9, 12, 10, tzinfo=UTC) + timedelta(hours=hours)
            await asyncio.sleep(0.05)
        assert server.posts == []
        clock.now = datetime(2026, 3, 10, 8, 40, tzinfo=UTC)
        await calls(server, 1)


async def test_of_two_one_looks(world: World, server: ModelServer) -> None:
    server.script(Turn(text="HEARTBEAT_OK"))
    clock = Clock()
    async with (
        world.session() as (one, _),
        world.session() as (two, _),
        beating(world, one, clock, "- look"),
        beating(world, two, clock, "- look"),
    ):
        clock.now += timedelta(minutes=30)
        await calls(server, 1)
        await asyncio.sleep(0.2)
    assert len(server.posts) == 1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_new_one_has_no_content(language: str) -> None:
    text = template("HEARTBEAT.md", "zh" if language == "zh" else "en")
    assert not has_content(without_comments(text))
    assert has_content(without_comments(f"{text}\n- look at the build"))


@pytest.mark.parametrize(
    ("hour", "hours", "within"),
    [(8, (8, 22), True), (22, (8, 22), False), (23, (22, 6), True), (5, (22, 6), True), (6, (22, 6), False)],
)
def test_hours(hour: int, hours: tuple[int, int], within: bool) -> None:
    assert is_within(hour, hours) is within
