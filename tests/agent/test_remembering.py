"""What is remembered of a conversation, when, and how the model comes to know it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from helloclaw.agent.flush import ASK_TO_NOTE
from helloclaw.agent.tokens import text_tokens
from helloclaw.llm.events import Usage
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Compact, Say
from tests.support.model_server import Call, ModelServer, Turn, json_answer
from tests.support.world import Heard, World


def notes(world: World) -> list[str]:
    """The notes on disk, without where they come from."""
    pages = sorted((world.home.workspace / "memory").glob("*.md"))
    rows = [row for page in pages for row in page.read_text(encoding="utf-8").splitlines()]
    return [row.partition(" <!--")[0] for row in rows if row.startswith("- ")]


def said(server: ModelServer, at: int = -1) -> str:
    return str(server.posts[at].json)


async def heard_of(heard: Heard, kind: Any, count: int = 1) -> list[Any]:
    while len(found := heard.of(kind)) < count:
        await asyncio.sleep(0.01)
    return found


async def test_what_the_person_says_is_kept_and_told_to_later_sessions(world: World, server: ModelServer) -> None:
    server.script(Turn(text="Noted."), Turn(text="Yes."), Turn(text="Hello."))
    async with world.session() as (session, heard):
        await session.turn(Say(text="我喜欢喝乌龙茶。Fix the roof."))
        assert [event.notes for event in await heard_of(heard, out.MemorySaved)] == [("用户喜欢喝乌龙茶",)]
        await session.turn(Say(text="And?"))
    assert "<memory>" not in said(server)
    assert notes(world) == ["- [preference] 用户喜欢喝乌龙茶"]
    (page,) = (world.home.workspace / "memory").glob("*.md")
    assert f"<!-- s:{session.id} seq:1 by:capture -->" in page.read_text(encoding="utf-8")
    async with world.session() as (session, _):
        await session.turn(Say(text="Hi."))
    assert "[preference] 用户喜欢喝乌龙茶" in said(server)


@pytest.mark.parametrize(
    "say",
    [
        Say(text="I prefer tea.", typed=""),
        Say(text="I prefer tea.", source="schedule"),
        Say(text="Look at this.", context=("<file>I prefer tea.</file>",)),
    ],
)
async def test_only_the_persons_own_words_are_searched(world: World, server: ModelServer, say: Say) -> None:
    server.script(Turn(text="I prefer tea. 我喜欢茶。"))
    async with world.session() as (session, _):
        await session.turn(say)
    assert notes(world) == []


async def test_it_is_kept_however_the_turn_ends(world: World, server: ModelServer) -> None:
    server.script(json_answer({"error": {"message": "no entry"}}, status=401))
    async with world.session() as (session, _):
        assert (await session.turn(Say(text="I prefer tea."))).reason == "failed"
    assert notes(world) == ["- [preference] User prefers tea"]


async def test_nothing_is_kept_where_the_person_does_not_want_it(world: World, server: ModelServer) -> None:
    world.configure(memory={"capture": False})
    server.script(Turn(text="ok"))
    await world.turn("I prefer tea.")
    assert notes(world) == []


async def test_a_memory_that_can_not_be_written_is_said(world: World, server: ModelServer) -> None:
    world.home.workspace.mkdir(parents=True)
    (world.home.workspace / "memory").write_text("a file where a directory should be")
    server.script(Turn(text="ok"))
    async with world.session() as (session, heard):
        assert (await session.turn(Say(text="I prefer tea."))).reason == "done"
        await heard_of(heard, out.Notice)
    assert [event.code for event in heard.of(out.Notice)] == ["notice.capture_failed"]


async def test_the_long_term_memory_is_frozen_and_what_joins_it_is_told(world: World, server: ModelServer) -> None:
    server.script(Turn(text="one"), Turn(text="two"), Turn(text="three"))
    path = world.home.workspace / "MEMORY.md"
    async with world.session() as (session, _):
        await session.turn(Say(text="one"))
        path.write_text("# Memory\n\n- The cat is called Nian\n", encoding="utf-8")
        await session.turn(Say(text="two"))
        await session.turn(Say(text="three"))
    first, second, third = (post.json for post in server.posts)
    assert system_of(first) == system_of(second) == system_of(third)
    assert "Nian" not in system_of(second)
    assert str(second["messages"]).count("- The cat is called Nian") == 1
    assert str(third["messages"]).count("- The cat is called Nian") == 1
    server.script(Turn(text="four"))
    async with world.session() as (session, _):
        await session.turn(Say(text="four"))
    assert "- The cat is called Nian" in system_of(server.posts[-1].json)


async def test_edited_files_count_at_the_next_turn_and_broken_ones_as_they_were(
    world: World, server: ModelServer
) -> None:
    server.always(Turn(text="ok"))
    workspace = world.home.workspace
    async with world.session() as (session, heard):
        await session.turn(Say(text="one"))
        (workspace / "IDENTITY.md").write_text("- **Name:** Pincer\n", encoding="utf-8")
        (workspace / "USER.md").write_text("The person is called Ada.\n", encoding="utf-8")
        await session.turn(Say(text="two"))
        assert "Pincer" in system_of(server.posts[-1].json)
        assert "called Ada" in system_of(server.posts[-1].json)
        (workspace / "USER.md").write_bytes(b"\x00\x01garbage")
        (workspace / "IDENTITY.md").unlink()
        (workspace / "IDENTITY.md").mkdir()
        await session.turn(Say(text="three"))
        assert "Pincer" in system_of(server.posts[-1].json)
        assert "called Ada" in system_of(server.posts[-1].json)
        codes = [event.code for event in heard.of(out.Notice)]
        assert codes == ["workspace.last_good"] * 2
        await session.turn(Say(text="four"))
        assert len(heard.of(out.Notice)) == 2


async def test_changed_settings_count_at_the_next_turn_and_broken_ones_as_they_were(
    world: World, server: ModelServer
) -> None:
    server.always(Turn(text="ok"))
    async with world.session() as (session, heard):
        await session.turn(Say(text="one"))
        world.configure(llm={"model_id": "another", "max_output_tokens": 1234})
        await session.turn(Say(text="two"))
        assert server.posts[-1].json["model"] == "another"
        world.home.config.write_text('{"llm": {"model_id": ')
        await session.turn(Say(text="three"))
        assert server.posts[-1].json["model"] == "another"
    assert len(heard.of(out.Notice)) == 1


async def test_the_introduction_ends_when_there_is_a_name(world: World, server: ModelServer) -> None:
    workspace = world.home.workspace
    named = {"path": str(workspace / "IDENTITY.md"), "content": "- **Name:** Pincer\n"}
    read = {"path": str(workspace / "IDENTITY.md")}
    server.script(
        Turn(text="Who are you?"),
        Turn(calls=(Call(name="read_file", input=read),)),
        Turn(calls=(Call(name="write_file", input=named),)),
        Turn(text="Done."),
        Turn(text="Hi."),
    )
    async with world.session(introduces=True, allow=("Edit",)) as (session, _):
        await session.turn(Say(text="Hello"))
        assert "Getting started" in system_of(server.posts[0].json)
        await session.turn(Say(text="You are Pincer"))
        assert not (workspace / "BOOTSTRAP.md").exists()
        await session.turn(Say(text="Hi"))
        assert "Getting started" not in system_of(server.posts[-1].json)
        assert "Pincer" in system_of(server.posts[-1].json)


def system_of(request: dict[str, Any]) -> str:
    if "system" in request:
        return str(request["system"])
    return str(request["messages"][0]["content"])


# ── flush ──

LONG = Turn(text="long " * 6000, usage=Usage(input=7_000, output=7_500))
FULL = Turn(text="long " * 6000, usage=Usage(input=15_000, output=7_500))


def small(world: World) -> None:
    world.configure(agent={"token_threshold": 16_000}, memory={"capture": False})


def noting(*notes: str) -> Turn:
    return Turn(calls=tuple(Call(name="memory_add", input={"content": note, "category": "fact"}) for note in notes))


async def test_notes_are_made_before_a_compaction(world: World, server: ModelServer) -> None:
    small(world)
    server.script(LONG, FULL, noting("Ana leads the team"), Turn(text="Task: talk."), Turn(text="ok"))
    async with world.session() as (session, heard):
        for text in ("one", "two", "three"):
            assert (await session.turn(Say(text=text))).reason == "done"
    kinds = [type(event) for event in heard.events if isinstance(event, out.MemorySaved | out.Compacted)]
    assert kinds == [out.MemorySaved, out.Compacted]
    assert heard.of(out.MemorySaved)[0].notes == ("Ana leads the team",)
    assert [event.text for event in heard.of(out.AssistantEnd)][-1] == "ok"
    assert ASK_TO_NOTE in str(server.posts[2].json["messages"][-1])
    assert ASK_TO_NOTE not in said(server)
    assert notes(world) == ["- [fact] Ana leads the team"]
    assert server.posts[2].json["tools"] == server.posts[1].json["tools"]
    # Folded into the prompt's notes again, since the conversation lost it.
    assert "Ana leads the team" in said(server)


async def test_nothing_to_note_is_not_shown(world: World, server: ModelServer) -> None:
    small(world)
    server.script(LONG, FULL, Turn(text="[SILENT]"), Turn(text="Task: talk."), Turn(text="ok"))
    async with world.session() as (session, heard):
        for text in ("one", "two", "three"):
            await session.turn(Say(text=text))
    assert [event.notes for event in heard.of(out.MemorySaved)] == [()]
    assert "[SILENT]" not in [event.text for event in heard.of(out.AssistantEnd)]


async def test_notes_are_made_once_in_a_cycle(world: World, server: ModelServer) -> None:
    """At the soft threshold first; the compaction after it needs no second call."""
    world.configure(agent={"token_threshold": 102_400, "soft_threshold_tokens": 4_000}, memory={"capture": False})
    used = [99_000, 100_500, 103_000]
    answers = [Turn(text="long " * 12_000, usage=Usage(input=count, output=1)) for count in used]
    server.script(answers[0], noting("one"), answers[1], answers[2], Turn(text="Task: talk."), Turn(text="ok"))
    async with world.session() as (session, heard):
        for number in range(4):
            assert (await session.turn(Say(text=f"message {number}"))).reason == "done"
    assert (len(heard.of(out.MemorySaved)), len(heard.of(out.Compacted))) == (1, 1)


async def test_before_a_compaction_that_an_overflow_forces(world: World, server: ModelServer) -> None:
    world.configure(memory={"capture": False})
    too_long = {"error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000"}}
    full = json_answer({"type": "error", **too_long}, status=400)
    server.script(LONG, full, noting("Ana leads"), Turn(text="Task: talk."), Turn(text="ok"))
    async with world.session() as (session, heard):
        await session.turn(Say(text="one"))
        assert (await session.turn(Say(text="two"))).reason == "done"
    assert [event.notes for event in heard.of(out.MemorySaved)] == [("Ana leads",)]
    # It would overflow again with the whole conversation and all tools.
    names = [str(tool) for tool in server.posts[2].json["tools"]]
    assert [("memory_add" in name, "memory_update_longterm" in name) for name in names] == [
        (True, False),
        (False, True),
    ]


async def test_before_a_compaction_that_the_person_wishes(world: World, server: ModelServer) -> None:
    world.configure(memory={"capture": False})
    server.script(LONG, noting("Ana leads"), Turn(text="Task: talk."))
    async with world.session() as (session, heard):
        await session.turn(Say(text="one"))
        session.send(Compact())
        await heard_of(heard, out.Compacted)
    assert notes(world) == ["- [fact] Ana leads"]


async def test_a_flush_that_fails_is_a_notice_and_the_turn_goes_on(world: World, server: ModelServer) -> None:
    small(world)
    refused = json_answer({"error": {"message": "bad request"}}, status=400)
    server.script(LONG, FULL, refused, Turn(text="Task: talk."), Turn(text="ok"))
    async with world.session() as (session, heard):
        for text in ("one", "two", "three"):
            assert (await session.turn(Say(text=text))).reason == "done"
    assert [event.code for event in heard.of(out.Notice)] == ["notice.flush_failed"]
    assert len(heard.of(out.Compacted)) == 1


async def test_other_calls_of_a_flush_are_not_run(world: World, server: ModelServer) -> None:
    small(world)
    calls = (
        Call(name="write_file", input={"path": "x", "content": "x"}),
        Call(name="bash", input={"command": "touch y"}),
        Call(name="memory_add", input={"content": "my password is hunter2"}),
        Call(name="memory_add", input={"content": 7}),
        Call(name="memory_update_longterm", input={"content": "- Lives in Porto"}),
    )
    server.script(LONG, FULL, Turn(calls=calls), Turn(text="Task: talk."), Turn(text="ok"))
    async with world.session(allow=("Edit", "Bash")) as (session, heard):
        for text in ("one", "two", "three"):
            await session.turn(Say(text=text))
    assert list(world.workdir.iterdir()) == [world.workdir / ".transcripts"]
    assert [event.notes for event in heard.of(out.MemorySaved)] == [("Lives in Porto",)]
    assert heard.of(out.ToolUse) == []


async def test_rules_bind_a_flush_too(world: World, server: ModelServer) -> None:
    world.configure(agent={"token_threshold": 16_000}, memory={"capture": False}, permissions={"deny": ["memory_add"]})
    server.script(LONG, FULL, noting("Ana leads"), Turn(text="Task: talk."), Turn(text="ok"))
    async with world.session() as (session, _):
        for text in ("one", "two", "three"):
            await session.turn(Say(text=text))
    assert notes(world) == []


async def test_what_a_flush_costs_is_counted(world: World, server: ModelServer) -> None:
    small(world)
    silent = Turn(text="[SILENT]", usage=Usage(input=500, output=3))
    summary = Turn(text="Task: talk.", usage=Usage(input=1000, output=7))
    server.script(LONG, FULL, silent, summary, Turn(text="ok", usage=Usage(input=10, output=1)))
    async with world.session() as (session, _):
        await session.turn(Say(text="one"))
        await session.turn(Say(text="two"))
        end = await session.turn(Say(text="three"))
    assert end.usage == Usage(input=1510, output=11)


async def test_a_workspace_of_its_own(world: World, server: ModelServer, tmp_path: Path) -> None:
    server.script(Turn(text="ok"))
    await world.turn("I prefer tea.", workspace=tmp_path / "other")
    assert len(list((tmp_path / "other" / "memory").glob("*.md"))) == 1
    assert notes(world) == []


async def test_what_every_request_carries_is_small(world: World, server: ModelServer) -> None:
    """The prompt of a new workspace with its introduction, and the schemas of all tools, as our estimate has them."""
    server.script(Turn(text="ok"))
    async with world.session(introduces=True, language="zh") as (session, _):
        await session.turn(Say(text="hi"))
        seen = await session.inspect()
    request = server.posts[0].json
    schemas = text_tokens(json.dumps(request["tools"], ensure_ascii=False))
    assert text_tokens(seen.system) + schemas < 6_000
    assert [each.name for each in seen.sections][:3] == ["HelloClaw", "你的工作空间", "初始化引导"]
    assert sum(each.tokens for each in seen.sections) <= text_tokens(seen.system) + 10
