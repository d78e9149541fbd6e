"""What a person may do between turns: go back, begin anew, rename, add a note, take a message back, compact."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from helloclaw.agent.catalog import list_sessions
from helloclaw.agent.session import Session
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Clear, Compact, Note, Recall, Rename, Rewind, Say, SetMode
from tests.support.model_server import Call, Gate, ModelServer, Turn, json_answer
from tests.support.world import Heard, World


def said_to_model(server: ModelServer, index: int = -1) -> str:
    return str(server.posts[index].json["messages"])


async def heard_of(heard: Heard, *kinds: Any) -> Any:
    """The first such event, once it has come."""
    async with asyncio.timeout(20):
        while not (found := heard.of(*kinds)):
            await asyncio.sleep(0.01)
    return found[0]


async def idle(session: Session) -> None:
    async with asyncio.timeout(20):
        while session.busy:
            await asyncio.sleep(0.01)


def system_of(request: dict[str, Any]) -> str:
    """The system prompt of a request, on whichever wire it went."""
    match request:
        case {"system": [*blocks]}:
            return "".join(block["text"] for block in blocks)
        case {"messages": [{"role": "system", "content": str(text)}, *_]}:
            return text
        case _:
            raise AssertionError(f"no system prompt in {request}")


def write(path: str, content: str) -> Turn:
    return Turn(calls=(Call(name="write_file", input={"path": path, "content": content}),))


async def test_a_rewind_takes_words_back_also_after_resuming(world: World, server: ModelServer) -> None:
    server.script(Turn(text="One."), Turn(text="Two."), Turn(text="Three."), Turn(text="Four."))
    async with world.session() as (session, heard):
        await session.turn(Say(text="first words"))
        await session.turn(Say(text="second words", client_id="c2"))
        points = session.rewind_points()
        assert [(point.text, point.files) for point in points] == [("first words", ()), ("second words", ())]
        session.send(Rewind(to=points[1].seq))
        assert (await heard_of(heard, out.Rewound)).to == points[1].seq
        await idle(session)
        await session.turn(Say(text="other words"))
        assert ("second words" in said_to_model(server), "One." in said_to_model(server)) == (False, True)
        spent = session.usage
        session_id = session.id
    async with world.session(resume=session_id) as (session, _):
        assert [point.text for point in session.rewind_points()] == ["first words", "other words"]
        assert session.usage == spent
        await session.turn(Say(text="second words", client_id="c2"))  # said before: not again
        await session.turn(Say(text="and now"))
        assert ("second words" in said_to_model(server), "other words" in said_to_model(server)) == (False, True)


async def test_files_are_put_back(world: World, server: ModelServer) -> None:
    kept, new, touched = world.workdir / "旧.txt", world.workdir / "dir" / "new.txt", world.workdir / "mine.txt"
    kept.write_bytes("原样\r\n".encode())
    touched.write_text("before")
    reads = tuple(Call(name="read_file", input={"path": name}) for name in ("旧.txt", "mine.txt"))
    server.script(
        Turn(calls=reads),
        Turn(text="Read."),
        write("旧.txt", "changed\n"),
        write("旧.txt", "changed twice\n"),
        write("dir/new.txt", "new\n"),
        write("mine.txt", "by the agent"),
        Turn(text="Done."),
    )
    async with world.session(allow=("Edit",)) as (session, heard):
        await session.turn(Say(text="read"))
        await session.turn(Say(text="change"))
        touched.write_text("by the person")
        point = session.rewind_points()[1]
        assert point.files == ("dir/new.txt", "mine.txt", "旧.txt")
        session.send(Rewind(to=point.seq, files=True))
        rewound = await heard_of(heard, out.Rewound)
        assert (set(rewound.restored), rewound.left) == ({"旧.txt", "dir/new.txt"}, ("mine.txt",))
    assert (kept.read_bytes(), new.exists(), touched.read_text()) == ("原样\r\n".encode(), False, "by the person")
    copies = world.home.sessions / f"{session.id}.files"
    assert {oct(path.stat().st_mode & 0o777) for path in copies.iterdir()} == {"0o600"}


async def test_files_can_be_edited_after_a_rewind(world: World, server: ModelServer) -> None:
    """What was put back is known to the edit tools as what is there."""
    (world.workdir / "a.txt").write_text("one\n")
    edit = Call(name="edit_file", input={"path": "a.txt", "old_text": "one", "new_text": "two"})
    server.script(
        Turn(calls=(Call(name="read_file", input={"path": "a.txt"}),)), Turn(calls=(edit,)), Turn(text="Did.")
    )
    server.script(Turn(calls=(edit,)), Turn(text="Again."))
    async with world.session(allow=("Edit",)) as (session, heard):
        await session.turn(Say(text="go"))
        session.send(Rewind(to=session.rewind_points()[0].seq, files=True))
        await heard_of(heard, out.Rewound)
        await idle(session)
        await session.turn(Say(text="go again"))
    assert (world.workdir / "a.txt").read_text() == "two\n"


@pytest.mark.parametrize("trap", ["symlink", "parent", "control"])
async def test_nothing_is_restored_through_a_trap(world: World, server: ModelServer, trap: str, tmp_path: Path) -> None:
    place = world.workdir / "place"
    place.mkdir()
    (place / "f.txt").write_text("old")
    server.script(
        Turn(calls=(Call(name="read_file", input={"path": "place/f.txt"}),)), write("place/f.txt", "new"), Turn()
    )
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f.txt").write_text("new")
    async with world.session(allow=("Edit",)) as (session, heard):
        await session.turn(Say(text="go"))
        match trap:
            case "symlink":
                (place / "f.txt").unlink()
                (place / "f.txt").symlink_to(outside / "f.txt")
            case "parent":
                (place / "f.txt").unlink()
                place.rmdir()
                place.symlink_to(outside)
            case _:
                journal = world.home.sessions / f"{session.id}.jsonl"
                control = world.workdir / ".claude" / "permissions.json"
                control.parent.mkdir()
                control.write_text("new")
                journal.write_bytes(journal.read_bytes().replace(b"place/f.txt", b".claude/permissions.json"))
        session.send(Rewind(to=session.rewind_points()[0].seq, files=True))
        rewound = await heard_of(heard, out.Rewound)
        assert (rewound.restored, len(rewound.left)) == ((), 1)
    assert (outside / "f.txt").read_text() == "new"


async def test_a_rewind_reaches_back_over_a_clearing(world: World, server: ModelServer) -> None:
    server.script(Turn(text="One."), Turn(text="Two."), Turn(text="Three."))
    async with world.session() as (session, heard):
        await session.turn(Say(text="before the clearing"))
        session.send(Clear(conversation=True))
        await heard_of(heard, out.Cleared)
        await idle(session)
        await session.turn(Say(text="after it"))
        assert "before the clearing" not in said_to_model(server)
        session.send(Rewind(to=session.rewind_points()[1].seq))
        await heard_of(heard, out.Rewound)
        await idle(session)
        session_id = session.id
    async with world.session(resume=session_id) as (session, heard):
        # The clearing stands before the message that was taken back, so it still counts.
        await session.turn(Say(text="third"))
        assert "before the clearing" not in said_to_model(server)
        session.send(Rewind(to=session.rewind_points()[0].seq))
        await heard_of(heard, out.Rewound)
        assert session.rewind_points() == []


async def test_clearing_usage_and_todos(world: World, server: ModelServer) -> None:
    todo = {"items": [{"content": "Do it", "status": "pending", "activeForm": "Doing it"}]}
    server.script(Turn(calls=(Call(name="TodoWrite", input=todo),)), Turn(text="Planned."))
    async with world.session() as (session, heard):
        await session.turn(Say(text="plan"))
        assert (len(session.todo), session.usage.output > 0) == (1, True)
        session.send(Clear(conversation=True, usage=True, todos=True))
        await heard_of(heard, out.Cleared)
        assert (session.todo, session.usage.output) == ((), 0)
        session_id = session.id
    async with world.session(resume=session_id) as (session, _):
        assert session.usage.output == 0


async def test_a_rewind_waits_for_no_turn(world: World, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="slow", gate=gate))
    async with world.session() as (session, heard):
        turn = asyncio.create_task(session.turn(Say(text="go")))
        await heard_of(heard, out.AssistantStart, out.LlmStart)
        session.send(Rewind(to=1))
        session.send(Rewind(to=77))
        gate.open()
        await turn
        session.send(Rewind(to=77))
        await idle(session)
        assert [notice.code for notice in heard.of(out.Notice)] == [
            "notice.busy",
            "notice.busy",
            "notice.no_such_message",
        ]
        assert heard.of(out.Rewound) == []


async def test_a_rename_is_the_title_everywhere(world: World, server: ModelServer) -> None:
    server.script(Turn(text="Hello."))
    async with world.session() as (session, _):
        await session.turn(Say(text="first words of all"))
        assert session.title == "first words of all"
        session.send(Rename(title="  周报  的\n准备 "))
        assert session.title == "周报 的 准备"
        session_id = session.id
    assert [info.title for info in list_sessions(world.home)] == ["周报 的 准备"]
    async with world.session(resume=session_id) as (session, _):
        assert session.title == "周报 的 准备"
        session.send(Rename(title=""))
        assert session.title == "first words of all"
    assert [info.title for info in list_sessions(world.home)] == ["first words of all"]


async def test_a_note_starts_no_turn_and_is_heard_with_the_next_message(world: World, server: ModelServer) -> None:
    server.script(Turn(text="I know."))
    async with world.session() as (session, _):
        session.send(Note(text="<user-command>\n$ ls\na.txt\n</user-command>"))
        await asyncio.sleep(0)
        assert (server.posts, session.busy) == ([], False)
        session_id = session.id
    async with world.session(resume=session_id) as (session, _):
        await session.turn(Say(text="what did I see?"))
        assert "a.txt" in said_to_model(server)
        assert len(server.posts) == 1


async def test_a_note_in_a_turn_comes_before_its_next_step(world: World, server: ModelServer) -> None:
    gate, last = Gate(), Gate()
    calls = (Call(name="calculator", input={"expression": "1+1"}),)
    server.script(Turn(text="So.", calls=calls, gate=gate), Turn(text="Done.", gate=last))
    async with world.session() as (session, heard):
        turn = asyncio.create_task(session.turn(Say(text="go")))
        await heard_of(heard, out.AssistantDelta)
        session.send(Note(text="<user-command>first</user-command>"))
        gate.open()
        async with asyncio.timeout(20):
            await asyncio.to_thread(last.reached.wait, 20)
        assert "<user-command>first" in said_to_model(server)
        session.send(Note(text="<user-command>second</user-command>"))
        last.open()
        assert (await turn).reason == "done"
        assert len(server.posts) == 2
        await idle(session)
        assert [event.context for event in heard.of(out.UserMessage)][1:] == [
            ("<user-command>first</user-command>",),
            ("<user-command>second</user-command>",),
        ]


async def test_a_waiting_message_can_be_taken_back(world: World, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="Working. " * 20, gate=gate, chunk=64), Turn(text="Said again."))
    async with world.session() as (session, heard):
        turn = asyncio.create_task(session.turn(Say(text="go")))
        await heard_of(heard, out.AssistantDelta)
        session.send(Say(text="never mind", client_id="x"))
        assert [event.text for event in heard.of(out.MessageQueued)] == ["never mind"]
        session.send(Recall(client_id="x"))
        session.send(Recall(client_id="x"))
        assert [event.text for event in heard.of(out.MessageRecalled)] == ["never mind"]
        gate.open()
        await turn
        assert len(server.posts) == 1
        await session.turn(Say(text="after all", client_id="x"))
        assert "after all" in said_to_model(server)


async def test_a_mode_set_in_a_stream_takes_no_number_that_was_announced(world: World, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="word " * 50, gate=gate, chunk=64))
    async with world.session() as (session, heard):
        turn = asyncio.create_task(session.turn(Say(text="go")))
        await heard_of(heard, out.AssistantDelta)
        session.send(SetMode(mode="plan"))
        assert session.mode == "plan"
        gate.open()
        await turn
    ended = heard.of(out.AssistantEnd)[0]
    assert {delta.seq for delta in heard.of(out.AssistantDelta)} == {ended.seq}
    assert [line.get("type") for line in world.journal(session.id)].count("session_updated") == 1


async def test_compacting_on_request(world: World, server: ModelServer) -> None:
    world.configure(memory={"flush": False})
    long = "The quick brown fox jumps over the lazy dog. " * 200
    server.script(Turn(text=long), Turn(text=long), Turn(text=long), Turn(text="SUMMARY of it"), Turn(text="Yes."))
    async with world.session() as (session, heard):
        for number in range(3):
            await session.turn(Say(text=f"question {number}"))
        session.send(Compact(focus="the fox"))
        compacted = await heard_of(heard, out.Compacted)
        await idle(session)
        assert compacted.after_tokens < compacted.before_tokens
        assert "the fox" in said_to_model(server)
        assert [phase.state for phase in heard.of(out.Phase)][-2:] == ["compacting", "idle"]
        await session.turn(Say(text="still there?"))
        assert "SUMMARY of it" in said_to_model(server)


async def test_compacting_that_fails_or_is_not_worth_it_says_so(world: World, server: ModelServer) -> None:
    world.configure(memory={"flush": False})
    long = "The quick brown fox jumps over the lazy dog. " * 200
    server.script(Turn(text=long), Turn(text=long), Turn(text=long))
    server.script(json_answer({"error": {"message": "no entry"}}, status=401))
    async with world.session() as (session, heard):
        session.send(Compact())
        await heard_of(heard, out.Notice)
        await idle(session)
        for number in range(3):
            await session.turn(Say(text=f"question {number}"))
        session.send(Compact())
        await idle(session)
        assert [notice.code for notice in heard.of(out.Notice)] == ["notice.nothing_to_compact"]
        (error,) = heard.of(out.ErrorEvent)
        assert (error.kind, error.retryable, "no entry" in error.detail) == ("auth", False, True)
        assert heard.of(out.Compacted) == []


async def test_what_the_next_call_would_be_made_of(world: World, server: ModelServer) -> None:
    server.script(Turn(calls=(Call(name="calculator", input={"expression": "1+1"}),)), Turn(text="Two."))
    async with world.session(allow=("Bash(ls:*)",)) as (session, _):
        await session.turn(Say(text="count"))
        seen = await session.inspect()
    assert seen.system == system_of(server.posts[-1].json)
    assert {name for name, size in seen.tokens.items() if size > 0} == {
        "system",
        "tools",
        "user",
        "assistant",
        "results",
        "notes",
    }
    assert (seen.mode, [rule.text for rule in seen.rules.allow]) == ("default", ["Bash(ls:*)"])
    assert "".join(section.text for section in seen.sections).replace("\n", "") == seen.system.replace("\n", "")
