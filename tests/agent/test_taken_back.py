"""Messages that no turn will hear are taken back before those who were told that they wait; and turns that begin."""

from __future__ import annotations

import asyncio
import json
import resource
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Clear, Rewind, Say
from helloclaw.settings.trust import trust
from tests.agent.test_between_turns import heard_of, idle, said_to_model
from tests.support.model_server import Call, Gate, ModelServer, Turn
from tests.support.world import Heard, World
from tests.tools.conftest import until

NO_PASSWORDS = "grep -q password && { echo no passwords >&2; exit 1; }; exit 0"
SLOW = "touch begun; while [ ! -e go ]; do sleep 0.02; done"
WAITING = (Say(text="my password is x", client_id="x"), Say(text="and be quick", client_id="y"))


def screened(world: World, command: str) -> None:
    hooks = {"hooks": {"UserPromptSubmit": [{"command": command}]}}
    (world.workdir / ".hooks.json").write_text(json.dumps(hooks), encoding="utf-8")
    trust(world.home, world.workdir)


def taken_back(heard: Heard) -> list[tuple[str, str | None]]:
    return [(event.text, event.client_id) for event in heard.of(out.MessageRecalled)]


@contextmanager
def no_room() -> Generator[None]:
    """No file can grow: RLIMIT_FSIZE stands for a full disk."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, old[1]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, ignored)


async def test_a_waiting_message_that_a_hook_refuses_waits_no_more(world: World, server: ModelServer) -> None:
    screened(world, NO_PASSWORDS)
    gate = Gate()
    calls = (Call(name="calculator", input={"expression": "1+1"}),)
    server.script(Turn(text="So.", calls=calls, gate=gate), Turn(text="Done."))
    async with world.session() as (session, heard):
        turn = asyncio.create_task(session.turn(Say(text="go")))
        await heard_of(heard, out.AssistantDelta)
        for say in WAITING:
            session.send(say)
        gate.open()
        assert (await turn).reason == "done"
        assert taken_back(heard) == [("my password is x", "x")]
        assert [event.text for event in heard.of(out.UserMessage)] == ["go", "and be quick"]
        assert "password is x" not in said_to_model(server)


async def test_a_message_refused_before_its_turn_waits_no_more(world: World, server: ModelServer) -> None:
    screened(world, NO_PASSWORDS)
    gate = Gate()
    server.script(Turn(text="word " * 50, gate=gate, chunk=64), Turn(text="Quickly."))
    async with world.session(max_steps=1) as (session, heard):
        turn = asyncio.create_task(session.turn(Say(text="go")))
        await heard_of(heard, out.AssistantDelta)
        for say in WAITING:
            session.send(say)
        gate.open()
        await turn
        await idle(session)
        assert taken_back(heard) == [("my password is x", "x")]
        assert [event.text for event in heard.of(out.UserMessage)] == ["go", "and be quick"]
        assert (await session.turn(Say(text="password again", client_id="z"))).reason == "failed"
        assert taken_back(heard)[1:] == [("password again", "z")]


async def test_messages_that_cannot_be_kept_wait_no_more(world: World, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="word " * 50, gate=gate, chunk=64))
    async with world.session() as (session, heard):
        turn = asyncio.create_task(session.turn(Say(text="go")))
        await heard_of(heard, out.AssistantDelta)
        for say in WAITING:
            session.send(say)
        with no_room():
            gate.open()
            assert (await turn).reason == "failed"
            await idle(session)
        assert taken_back(heard) == [(say.text, say.client_id) for say in WAITING]
        assert {event.kind for event in heard.of(out.ErrorEvent)} == {"storage"}


async def test_what_is_said_to_a_session_that_can_neither_run_nor_write_waits_no_more(
    tmp_path: Path, server: ModelServer
) -> None:
    world = World(tmp_path, server, more={"LLM_MODEL_ID": "nobody/nothing", "LLM_BASE_URL": ""})
    async with world.session() as (session, heard):
        with no_room():
            assert (await session.turn(WAITING[0])).reason == "failed"
        assert taken_back(heard) == [("my password is x", "x")]


async def test_nothing_is_taken_back_while_a_turn_begins(world: World, server: ModelServer) -> None:
    """Its message is not told yet, but it runs: going back or clearing would pull the ground from under it."""
    screened(world, SLOW)
    begun, go = world.workdir / "begun", world.workdir / "go"
    server.script(Turn(text="One."), Turn(text="Two."))
    go.touch()
    async with world.session() as (session, heard):
        await session.turn(Say(text="first"))
        begun.unlink()
        go.unlink()
        turn = asyncio.create_task(session.turn(Say(text="second")))
        await until(begun.exists)
        session.send(Clear(conversation=True))
        session.send(Rewind(to=session.rewind_points()[0].seq))
        go.touch()
        assert (await turn).reason == "done"
        await idle(session)
        assert [notice.code for notice in heard.of(out.Notice)] == ["notice.busy", "notice.busy"]
        assert heard.of(out.Cleared, out.Rewound) == []
        session.send(Clear(conversation=True))
        await heard_of(heard, out.Cleared)
