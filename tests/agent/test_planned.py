"""What is asked for at an awkward moment: during a turn, at its very end, before the first."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from helloclaw.agent.catalog import list_sessions
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Answer, Cancel, Clear, Compact, Note, Recall, Rename, Rewind, Say, SetMode
from tests.agent.test_between_turns import heard_of, idle, said_to_model
from tests.support.model_server import Call, Gate, ModelServer, Turn
from tests.support.world import World

LONG = "The quick brown fox jumps over the lazy dog. " * 200


async def test_a_compaction_asked_for_in_a_turn_comes_after_it(world: World, server: ModelServer) -> None:
    world.configure(memory={"flush": False})
    gate = Gate()
    server.script(Turn(text=LONG), Turn(text=LONG), Turn(text=LONG, gate=gate, chunk=4096), Turn(text="SUMMARY"))
    async with world.session() as (session, heard):
        await session.turn(Say(text="one"))
        await session.turn(Say(text="two"))
        heard.events.clear()
        turn = asyncio.create_task(session.turn(Say(text="three")))
        await heard_of(heard, out.LlmStart)
        session.send(Compact())
        session.send(Say(text="never mind", client_id="x"))
        session.send(Recall(client_id="x"))
        gate.open()
        assert (await turn).reason == "done"
        assert session.busy
        await idle(session)
        kept = [kind for kind in heard.kept if kind in ("round_end", "compacted")]
        assert kept == ["round_end", "compacted"]


async def test_a_compaction_can_be_stopped(world: World, server: ModelServer) -> None:
    world.configure(memory={"flush": False})
    gate = Gate()
    server.script(Turn(text=LONG), Turn(text=LONG), Turn(text=LONG), Turn(text="SUMMARY " * 50, gate=gate, chunk=64))
    server.script(Turn(text="Yes."))
    async with world.session() as (session, heard):
        for number in range(3):
            await session.turn(Say(text=f"question {number}"))
        session.send(Compact())
        await asyncio.to_thread(gate.reached.wait, 20)
        session.send(Cancel())
        await idle(session)
        gate.open()
        assert [notice.code for notice in heard.of(out.Notice)] == ["notice.chore_stopped"]
        assert [phase.state for phase in heard.of(out.Phase)][-2:] == ["compacting", "idle"]
        assert heard.of(out.Compacted) == []
        assert (await session.turn(Say(text="still there?"))).reason == "done"
        assert "question 0" in said_to_model(server)


async def test_a_taken_back_message_keeps_nobody_waiting(world: World, server: ModelServer) -> None:
    async with world.session() as (session, _):
        turn = asyncio.create_task(session.turn(Say(text="never mind", client_id="x")))
        await asyncio.sleep(0)
        assert session.recall("x") == Say(text="never mind", client_id="x")
        assert session.recall("x") is None
        assert (await turn).reason == "interrupted"
        await asyncio.sleep(0.05)
        assert (server.posts, session.busy) == ([], False)


async def test_words_that_no_turn_has_heard_are_there_when_it_is_resumed(world: World, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="word " * 50, gate=gate, chunk=64), Turn(text="I have heard."))
    async with world.session() as (session, heard):
        session.send(Say(text="go"))
        await heard_of(heard, out.AssistantDelta)
        session.send(Say(text="just one more thing", client_id="x"))
        session.send(Note(text="<user-command>a command</user-command>"))
        session_id = session.id
    gate.open()
    async with world.session(resume=session_id) as (session, _):
        await session.turn(Say(text="just one more thing", client_id="x"))
        await session.turn(Say(text="well?"))
        said = said_to_model(server)
        assert (said.count("just one more thing"), "<user-command>a command" in said, len(server.posts)) == (1, True, 2)


async def test_a_message_said_while_the_turn_ends_has_its_turn(world: World, server: ModelServer) -> None:
    server.script(Turn(text="First."), Turn(text="Second."))
    async with world.session() as (session, heard):

        def at_the_end(event: out.Event) -> None:
            if isinstance(event, out.RoundEnd) and len(heard.of(out.RoundEnd)) == 1:
                session.send(Say(text="at the last moment"))

        session.subscribe(at_the_end)
        await session.turn(Say(text="go"))
        async with asyncio.timeout(20):
            while len(heard.of(out.RoundEnd)) < 2:
                await asyncio.sleep(0.01)
        assert "at the last moment" in said_to_model(server)


async def test_a_session_that_was_only_looked_at_leaves_no_file(world: World) -> None:
    async with world.session() as (session, heard):
        session.send(SetMode(mode="plan"))
        session.send(Rename(title="name"))
        session.send(Compact())
        await idle(session)
        session.send(Clear(conversation=True, usage=True, todos=True))
        await idle(session)
        session.send(Rewind(to=1))
        await idle(session)
        assert heard.of(out.Cleared) != []
    assert list(world.home.sessions.glob("*.jsonl")) == []


async def test_the_list_forgets_words_that_were_taken_back(world: World, server: ModelServer) -> None:
    server.script(Turn(text="One."), Turn(text="Two."))
    async with world.session() as (session, heard):
        await session.turn(Say(text="first words"))
        session.send(Rewind(to=session.rewind_points()[0].seq))
        await heard_of(heard, out.Rewound)
        await idle(session)
        assert ([info.title for info in list_sessions(world.home)], session.title) == ([""], "")
        await session.turn(Say(text="better words"))
        (info,) = list_sessions(world.home)
        assert (info.title, info.turns, session.title) == ("better words", 1, "better words")


async def test_nobody_is_asked_about_an_edit_that_must_fail(world: World, server: ModelServer) -> None:
    (world.workdir / "a.txt").write_text("one\n")
    edit = Call(name="edit_file", input={"path": "a.txt", "old_text": "one", "new_text": "two"})
    read = Call(name="read_file", input={"path": "a.txt"})
    server.script(Turn(calls=(edit,)), Turn(calls=(read, edit)), Turn(text="Done."))
    async with world.session(interactive=True) as (session, heard):
        session.subscribe(
            lambda event: (
                session.send(Answer(ask_id=event.ask_id, decision="allow"))
                if isinstance(event, out.PermissionAsk)
                else None
            )
        )
        await session.turn(Say(text="go"))
        first, _, last = heard.of(out.ToolEnd)
        assert "was not read in this session" in first.output
        assert (last.error, len(heard.of(out.PermissionAsk))) == (None, 1)
    assert (world.workdir / "a.txt").read_text() == "two\n"


async def test_a_question_says_where_a_command_would_run_and_why(world: World, server: ModelServer) -> None:
    server.script(
        Turn(calls=(Call(name="bash", input={"command": "touch x"}),)),
        Turn(calls=(Call(name="write_file", input={"path": "x", "content": "x"}),)),
        Turn(text="Well."),
    )
    async with world.session(interactive=True) as (session, heard):
        session.subscribe(
            lambda event: (
                session.send(Answer(ask_id=event.ask_id, decision="deny"))
                if isinstance(event, out.PermissionAsk)
                else None
            )
        )
        await session.turn(Say(text="go"))
        command, file = heard.of(out.PermissionAsk)
        assert (command.cwd, file.cwd) == (str(session.cwd), "")
        assert all(ask.why is not None and ask.why.id for ask in (command, file))


async def test_a_look_takes_no_notice_and_starts_nothing(world: World, server: ModelServer) -> None:
    server.script(Turn(text="Hello."))
    async with world.session() as (session, heard):
        world.home.root.mkdir(exist_ok=True, parents=True)
        world.home.config.write_text("{broken")
        before = await session.inspect()
        assert (await session.inspect(), server.posts, heard.events) == (before, [], [])
        await session.turn(Say(text="go"))
        assert [notice.code for notice in heard.of(out.Notice)] == ["settings.kept"]


async def test_a_look_in_a_running_turn_leaves_its_model_alone(world: World, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="word " * 50, gate=gate, chunk=64))
    async with world.session() as (session, heard):
        turn = asyncio.create_task(session.turn(Say(text="go")))
        await heard_of(heard, out.AssistantDelta)
        world.home.root.mkdir(exist_ok=True, parents=True)
        world.home.config.write_text('{"llm": {"max_output_tokens": 99}, "agent": {"token_threshold": 1234}}')
        assert (await session.inspect()).compact_at == 1234
        gate.open()
        assert (await turn).reason == "done"


async def test_a_cancel_at_the_very_end_ends_nothing_else(world: World, server: ModelServer) -> None:
    server.script(Turn(text="One."), Turn(text="Two."))
    async with world.session() as (session, heard):

        def too_late(event: out.Event) -> None:
            if isinstance(event, out.RoundEnd | out.Cleared) or (
                isinstance(event, out.Phase) and event.state == "idle"
            ):
                session.send(Cancel())

        stop = session.subscribe(too_late)
        async with asyncio.timeout(20):
            assert (await session.turn(Say(text="go"))).reason == "done"
        session.send(Clear(usage=True))
        await heard_of(heard, out.Cleared)
        await idle(session)
        stop()
        async with asyncio.timeout(20):
            assert (await session.turn(Say(text="again"))).reason == "done"


async def test_a_chore_that_is_stopped_before_it_begins_says_so(world: World, server: ModelServer) -> None:
    async with world.session() as (session, heard):
        session.send(Clear(usage=True))
        session.send(Cancel())
        await idle(session)
        assert [notice.code for notice in heard.of(out.Notice)] == ["notice.chore_stopped"]
        assert (heard.of(out.Cleared), server.posts) == ([], [])


@pytest.mark.parametrize("kind", [out.Cleared, out.Rewound, out.Compacted])
async def test_a_cancel_that_comes_when_it_is_done_says_nothing_else(
    world: World, server: ModelServer, kind: Any
) -> None:
    world.configure(memory={"flush": False})
    server.script(Turn(text=LONG), Turn(text=LONG), Turn(text=LONG), Turn(text="SUMMARY"), Turn(text="Yes."))
    async with world.session() as (session, heard):
        for number in range(3):
            await session.turn(Say(text=f"question {number}"))
        session.subscribe(lambda event: session.send(Cancel()) if isinstance(event, kind) else None)
        chores = (Clear(conversation=True), Rewind(to=session.rewind_points()[1].seq), Compact())
        session.send(chores[(out.Cleared, out.Rewound, out.Compacted).index(kind)])
        await heard_of(heard, kind)
        await idle(session)
        assert heard.of(out.Notice) == []
        assert (await session.turn(Say(text="still there?"))).reason == "done"


async def test_what_a_stopped_compaction_has_spent_is_counted(world: World, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text=LONG), Turn(text=LONG), Turn(text=LONG), Turn(text=" "))
    server.script(Turn(text="SUMMARY " * 50, gate=gate, chunk=64))
    async with world.session() as (session, heard):
        for number in range(3):
            await session.turn(Say(text=f"question {number}"))
        before, last = session.usage, heard.of(out.UsageEvent)[-1].last
        session.send(Compact())
        await asyncio.to_thread(gate.reached.wait, 20)
        session.send(Cancel())
        await idle(session)
        gate.open()
        assert [notice.code for notice in heard.of(out.Notice)] == ["notice.chore_stopped"]
        assert session.usage == before + last  # every scripted answer costs the same
        session_id = session.id
    async with world.session(resume=session_id) as (session, _):
        assert session.usage == before + last


async def test_what_a_turn_stopped_in_its_compaction_has_spent_is_counted(world: World, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text=LONG), Turn(text=LONG), Turn(text=LONG), Turn(text=" "))
    server.script(Turn(text="SUMMARY " * 50, gate=gate, chunk=64))
    async with world.session() as (session, heard):
        for number in range(3):
            await session.turn(Say(text=f"question {number}"))
        before, last = session.usage, heard.of(out.UsageEvent)[-1].last
        world.home.root.mkdir(exist_ok=True, parents=True)
        world.home.config.write_text('{"agent": {"token_threshold": 2000}}')
        turn = asyncio.create_task(session.turn(Say(text="go on")))
        await asyncio.to_thread(gate.reached.wait, 20)
        session.send(Cancel())
        assert (await turn).reason == "interrupted"
        gate.open()
        assert session.usage == before + last
