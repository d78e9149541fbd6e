"""Compaction in a session: what is kept, what it costs, and when it is left alone."""

from __future__ import annotations

from typing import Any

from helloclaw.agent.compact import CUT_MARKER
from helloclaw.agent.history import History
from helloclaw.llm.events import Usage
from helloclaw.llm.messages import Message, TextBlock, text_of
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Say
from tests.support.model_server import Call, ModelServer, Turn, json_answer
from tests.support.world import World


def small_window(world: World) -> None:
    world.configure(agent={"token_threshold": 6000}, memory={"flush": False})


def texts(history: History) -> list[str]:
    return [text_of(message) for _, message in history.entries]


def said(seq: int, text: str) -> out.UserMessage:
    return out.UserMessage(seq=seq, text=text)


def test_a_second_compaction_replaces_the_first_summary() -> None:
    answer = Message(role="assistant", content=(TextBlock(text="b"),))
    history = History(
        (
            said(1, "a"),
            out.AssistantEnd(seq=2, text="b", content=answer.content),
            said(3, "c"),
            out.Compacted(seq=4, summary="one", keep_from=3, before_tokens=9, after_tokens=1),
            out.Compacted(seq=5, summary="two", keep_from=3, before_tokens=9, after_tokens=1),
        )
    )
    assert [text.rpartition("\n")[2] for text in texts(history)] == ["two", "c"]


def test_last_words_outlive_any_number_of_compactions_unchanged() -> None:
    history = History(
        (
            said(1, "Fix the roof."),
            out.UserMessage(seq=2, text="<system-reminder>…</system-reminder>", source="reminder"),
            out.Compacted(seq=3, summary="s", keep_from=3, before_tokens=9, after_tokens=1, last_words="Fix the roof."),
        )
    )
    assert history.last_words == (2, "Fix the roof.")
    assert texts(history)[0].endswith("word for word:\nFix the roof.")


async def test_the_persons_words_survive_a_compaction_while_tools_run(world: World, server: ModelServer) -> None:
    small_window(world)
    (world.workdir / "a").write_text("lorem ipsum\n" * 1200)
    read = Turn(calls=(Call(name="read_file", input={"path": "a"}),), usage=Usage(input=7000, output=10))
    summary = Turn(text="Task: reading.")
    server.script(read, summary, read, summary, Turn(text="done"))
    async with world.session() as (session, heard):
        end = await session.turn(Say(text="Read a twice, please."))
    assert end.reason == "done"
    assert [each.last_words for each in heard.of(out.Compacted)] == ["Read a twice, please."] * 2
    assert str(server.posts[-1].json["messages"]).count("Read a twice, please.") == 1
    async with world.session(resume=session.id) as (session, _):
        server.script(Turn(text="ok"))
        await session.turn(Say(text="And?"))
    assert str(server.posts[-1].json["messages"]).count("Read a twice, please.") == 1


async def test_summaries_are_counted(world: World, server: ModelServer) -> None:
    small_window(world)
    server.script(
        Turn(text="long " * 12000, usage=Usage(input=100, output=20)),
        Turn(text="Task: talk.", usage=Usage(input=1000, output=7)),
        Turn(text="short", usage=Usage(input=10, output=1)),
    )
    async with world.session() as (session, heard):
        await session.turn(Say(text="talk"))
        end = await session.turn(Say(text="more"))
    assert end.usage == Usage(input=1010, output=8)
    assert heard.of(out.UsageEvent)[-1].total == Usage(input=1110, output=28)


async def test_without_a_summary_nothing_is_cut(world: World, server: ModelServer) -> None:
    small_window(world)
    refused = json_answer({"error": {"message": "invalid api key", "type": "authentication_error"}}, status=401)
    server.script(Turn(text="long " * 12000), refused, refused)
    async with world.session() as (session, heard):
        await session.turn(Say(text="talk"))
        assert (await session.turn(Say(text="more"))).reason == "failed"
        assert heard.of(out.Compacted) == []
    assert list(world.workdir.glob(".transcripts/*")) == []
    assert len(server.posts) == 3


async def test_one_message_that_is_too_large_is_not_summarised(world: World, server: ModelServer) -> None:
    small_window(world)
    too_long = {"error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000"}}
    server.script(json_answer({"type": "error", **too_long}, status=400))
    end, heard = await world.turn("word " * 9000)
    assert (end.reason, len(server.posts)) == ("failed", 1)
    assert heard.of(out.ErrorEvent)[0].kind == "overflow"


async def test_each_call_of_a_turn_may_overflow_once(world: World, server: ModelServer) -> None:
    world.configure(memory={"flush": False})
    too_long = {"error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000"}}
    full = json_answer({"type": "error", **too_long}, status=400)
    (world.workdir / "a").write_text("lorem ipsum\n" * 2000)
    read = Turn(calls=(Call(name="read_file", input={"path": "a"}),))
    summary = Turn(text="Task: reading.")
    server.script(read, full, summary, read, full, summary, Turn(text="done"))
    end, heard = await world.turn("Read a twice, please.")
    assert (end.reason, len(heard.of(out.Compacted))) == ("done", 2)


async def test_the_model_is_told_again_where_it_is(world: World, server: ModelServer) -> None:
    small_window(world)
    plan = {"items": [{"content": "Paint it", "activeForm": "Painting it", "status": "in_progress"}]}
    server.script(
        Turn(calls=(Call(name="TodoWrite", input=plan),)),
        Turn(text="long " * 12000),
        Turn(text="Task: talk."),
        Turn(text="one"),
        Turn(text="two"),
    )
    async with world.session() as (session, _):
        await session.turn(Say(text="talk"))
        await session.turn(Say(text="more"))
        told = str(server.posts[-1].json["messages"])
        assert (told.count("Working directory"), told.count("Painting it")) == (1, 1)
        await session.turn(Say(text="and more"))
    told = str(server.posts[-1].json["messages"])
    assert (told.count("Working directory"), told.count("Painting it")) == (1, 1)


async def test_a_summary_is_asked_for_at_the_end_of_what_the_provider_has_cached(
    world: World, server: ModelServer
) -> None:
    small_window(world)
    server.script(Turn(text="long " * 12000), Turn(text="Task: talk."), Turn(text="one"))
    async with world.session() as (session, _):
        await session.turn(Say(text="talk"))
        await session.turn(Say(text="more"))
    first, asked, _ = (post.json for post in server.posts)
    assert asked["tools"] == first["tools"]
    assert texts_of(asked)[: len(texts_of(first))] == texts_of(first)
    assert "Summarise this conversation" in texts_of(asked)[-1]


async def test_a_summary_that_does_not_come_is_asked_for_in_another_way(world: World, server: ModelServer) -> None:
    world.configure(memory={"flush": False})
    small_window(world)
    calls = Turn(calls=(Call(name="read_file", input={"path": "a"}),))
    server.script(Turn(text="long " * 12000), calls, Turn(text="Task: talk."), Turn(text="one"))
    async with world.session() as (session, heard):
        await session.turn(Say(text="talk"))
        await session.turn(Say(text="more"))
    assert "tools" not in server.posts[2].json
    assert [each.summary for each in heard.of(out.Compacted)] == ["Task: talk."]
    assert heard.of(out.ToolUse) == []


async def test_where_no_summary_can_be_had_the_oldest_part_is_cut(world: World, server: ModelServer) -> None:
    small_window(world)
    server.script(Turn(text="long " * 12000), Turn(text=" "), Turn(text=" "), Turn(text="one"))
    async with world.session() as (session, heard):
        await session.turn(Say(text="talk"))
        assert (await session.turn(Say(text="more"))).reason == "done"
    assert [each.summary for each in heard.of(out.Compacted)] == [CUT_MARKER]


async def test_a_summary_names_the_files_and_where_every_word_is(world: World, server: ModelServer) -> None:
    small_window(world)
    (world.workdir / "a").write_text("lorem ipsum\n" * 1200)
    server.script(
        Turn(calls=(Call(name="read_file", input={"path": "a"}),), usage=Usage(input=7000, output=10)),
        Turn(text="Task: reading."),
        Turn(calls=(Call(name="write_file", input={"path": "b", "content": "b" * 40_000}),)),
        Turn(text="Task: writing."),
        Turn(text="done"),
    )
    async with world.session(mode="auto", allow=("Edit",)) as (session, heard):
        await session.turn(Say(text="Go."))
    first, second = heard.of(out.Compacted)
    assert (first.files_read, first.files_changed) == (("a",), ())
    assert (second.files_read, second.files_changed) == (("a",), ("b",))
    told = str(server.posts[-1].json["messages"])
    assert all(each in told for each in ("Files read: a", "Files changed: b", str(second.transcript)))


async def test_the_model_may_wish_to_compress(world: World, server: ModelServer) -> None:
    world.configure(memory={"flush": False})
    server.script(
        Turn(text="long " * 12000),
        Turn(calls=(Call(name="compress", input={"focus": "the colours"}),)),
        Turn(text="Task: colours."),
        Turn(text="done"),
    )
    async with world.session() as (session, heard):
        await session.turn(Say(text="talk"))
        end = await session.turn(Say(text="more"))
    assert (end.reason, [each.summary for each in heard.of(out.Compacted)]) == ("done", ["Task: colours."])
    assert "the colours" in texts_of(server.posts[2].json)[-1]


def texts_of(request: dict[str, Any]) -> list[str]:
    """The text of each block of a request's messages, whatever the wire."""
    blocks: list[str] = []
    for message in request["messages"]:
        content = message.get("content") or ""
        blocks += [content] if isinstance(content, str) else [str(part.get("text", part)) for part in content]
    return blocks
