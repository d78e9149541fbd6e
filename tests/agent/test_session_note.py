"""A note of the conversation before, in the home workspace."""

from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path

import pytest

from helloclaw.llm.events import Usage
from helloclaw.memory.session_notes import has_note, slug_of, write_note
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Say
from tests.support.model_server import Gate, ModelServer, Turn
from tests.support.world import World

TALK = "Let us plan the trip to Porto in May. " * 10
NOTE = Turn(text="# Trip to Porto\n- planned for May\n- flights are open", usage=Usage(input=70, output=7))


def at_home(world: World) -> Path:
    world.home.workspace.mkdir(parents=True, exist_ok=True)
    return world.home.workspace


def pages(world: World) -> dict[str, str]:
    found = (world.home.workspace / "memory").glob("*-*-*-*.md")
    return {path.name[11:]: path.read_text(encoding="utf-8") for path in found}


async def noted(world: World) -> dict[str, str]:
    while not (found := pages(world)):
        await asyncio.sleep(0.01)
    return found


async def test_the_conversation_before_leaves_a_note(world: World, server: ModelServer) -> None:
    workdir = at_home(world)
    server.script(Turn(text="Gladly."))
    async with world.session(workdir=workdir) as (first, _):
        await first.turn(Say(text=TALK))
    server.script(Turn(text="Hello."), NOTE, Turn(text="Yes.", usage=Usage(input=10, output=1)))
    async with world.session(workdir=workdir) as (session, heard):
        await session.turn(Say(text="Hi"))
        assert await noted(world) == {
            "trip-to-porto.md": f"<!-- s:{first.id} by:flush -->\n# Trip to Porto\n\n"
            "- planned for May\n- flights are open\n"
        }
        await session.turn(Say(text="And?"))
    assert TALK.strip() in str(server.posts[2].json)
    assert [event.text for event in heard.of(out.AssistantEnd)] == ["Hello.", "Yes."]
    total = heard.of(out.UsageEvent)[-1].total
    assert (total.input >= 80, total.output >= 8) == (True, True)
    assert has_note(workdir, first.id)


async def test_there_is_one_note_of_each(world: World, server: ModelServer) -> None:
    workdir = at_home(world)
    server.script(Turn(text="Gladly."), Turn(text="Hello."), NOTE)
    async with world.session(workdir=workdir) as (session, _):
        await session.turn(Say(text=TALK))
    async with world.session(workdir=workdir) as (session, _):
        await session.turn(Say(text="Hi"))
        await noted(world)
    server.script(Turn(text="Hello again."))
    async with world.session(workdir=workdir) as (session, _):
        await session.turn(Say(text="Hi"))  # the one before it was only a greeting
    assert len(pages(world)) == 1


@pytest.mark.parametrize("config", [{"memory": {"session_notes": False}}, {}])
async def test_where_none_is_made(world: World, server: ModelServer, config: dict[str, dict[str, bool]]) -> None:
    """Not where the person does not want it, and not of a conversation in a repository."""
    world.configure(**config)
    workdir = at_home(world) if config else world.workdir
    server.script(Turn(text="Gladly."), Turn(text="Hello."))
    for text in (TALK, "Hi"):
        async with world.session(workdir=workdir) as (session, _):
            await session.turn(Say(text=text))
    assert pages(world) == {}


async def test_leaving_does_not_wait_for_it(world: World, server: ModelServer) -> None:
    workdir = at_home(world)
    server.script(Turn(text="Gladly."), Turn(text="Hello."), Turn(text="# Never\n- told", gate=Gate()))
    async with world.session(workdir=workdir) as (session, _):
        await session.turn(Say(text=TALK))
    async with world.session(workdir=workdir) as (session, _):
        await session.turn(Say(text="Hi"))
        while len(server.posts) < 3:
            await asyncio.sleep(0.01)
    assert pages(world) == {}


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Trip to Porto!", "trip-to-porto"),
        ("修复登录 Bug", "修复登录-bug"),
        ("../../etc/passwd", "etc-passwd"),
        ("💥", "talk"),
        ("x" * 99, "x" * 40),
    ],
)
def test_slugs(title: str, slug: str) -> None:
    assert slug_of(title) == slug


@pytest.mark.parametrize(
    "text", ["", "# Only a title", "\n\n", "# my password is x\n- y", "# T\n- the password is hunter2"]
)
def test_what_is_not_kept(tmp_path: Path, text: str) -> None:
    assert write_note(tmp_path, "s", date(2026, 3, 9), text) is None
    assert list(tmp_path.iterdir()) == []
