"""A session from outside: what it asks of the model, does, tells its front end and writes down."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise
from pathlib import Path

import pytest

from helloclaw.agent.catalog import list_sessions
from helloclaw.agent.opening import SessionBusy
from helloclaw.llm.events import Usage
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Answer, Cancel, Say, SetMode
from tests.support.model_server import Call, Gate, ModelServer, Turn, json_answer
from tests.support.world import Heard, World


def said_to_model(server: ModelServer, index: int = -1) -> str:
    """Everything in the messages of one request, as text."""
    return str(server.posts[index].json["messages"])


async def test_a_tool_runs_and_its_result_reaches_the_model_and_the_journal(world: World, server: ModelServer) -> None:
    (world.workdir / "名单.txt").write_text("蓝莓\n", encoding="utf-8")
    server.script(Turn(calls=(Call(name="read_file", input={"path": "名单.txt"}),)), Turn(text="It says 蓝莓."))

    async with world.session() as (session, heard):
        end = await session.turn(Say(text="What is in 名单.txt?"))

    assert (end.reason, end.stop_reason, end.steps) == ("done", "end_turn", 2)
    assert "蓝莓" in said_to_model(server)
    assert heard.kept == [
        "user_message",
        "assistant_end",
        "llm_end",
        "usage",
        "tool_use",
        "tool_start",
        "tool_end",
        "assistant_end",
        "llm_end",
        "usage",
        "round_end",
    ]
    journal = world.journal(session.id)
    assert journal[0]["workdir"] == str(world.workdir)
    assert [line["seq"] for line in journal[1:]] == list(range(1, len(heard.kept) + 1))
    assert [line["type"] for line in journal[1:]] == heard.kept
    assert heard.of(out.AssistantEnd)[-1].text == "It says 蓝莓."
    assert heard.events[0] == out.SessionCreated(
        session_id=session.id, ts=heard.events[0].ts, workdir=str(world.workdir)
    )


async def test_deltas_carry_the_number_of_the_message_they_end_in(world: World, server: ModelServer) -> None:
    server.script(Turn(text="one two three", chunk=1))
    _, heard = await world.turn("count")
    (end,) = heard.of(out.AssistantEnd)
    deltas = heard.of(out.AssistantDelta)
    assert "".join(delta.text for delta in deltas) == end.text == "one two three"
    assert {delta.seq for delta in deltas} == {end.seq}


async def test_a_message_sent_while_a_turn_runs_joins_at_the_next_step(world: World, server: ModelServer) -> None:
    gate = Gate()
    (world.workdir / "a").write_text("A")
    server.script(Turn(calls=(Call(name="read_file", input={"path": "a"}),), gate=gate), Turn(text="ok, in French"))

    async with world.session() as (session, heard):
        first = asyncio.create_task(session.turn(Say(text="Read a.")))
        await asyncio.to_thread(gate.reached.wait)
        second = asyncio.create_task(session.turn(Say(text="And answer in French.")))
        await asyncio.sleep(0)
        gate.open()
        ends = await asyncio.gather(first, second)

    assert ends[0] is ends[1]
    assert len(server.posts) == 2
    assert "And answer in French." in said_to_model(server)
    assert [event.text for event in heard.of(out.UserMessage)] == ["Read a.", "And answer in French."]


async def test_the_same_client_id_twice_is_one_message(world: World, server: ModelServer) -> None:
    server.script(Turn(text="hello"))
    async with world.session() as (session, heard):
        session.send(Say(text="hi", client_id="c1"))
        await session.turn(Say(text="there"))
        session.send(Say(text="hi", client_id="c1"))
    assert [event.text for event in heard.of(out.UserMessage)] == ["hi", "there"]


async def test_cancel_during_a_model_call_keeps_what_was_shown(world: World, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="The first half. The second half.", gate=gate, chunk=1), Turn(text="Going on."))

    async with world.session() as (session, heard):
        turn = asyncio.create_task(session.turn(Say(text="tell me")))
        await asyncio.to_thread(gate.reached.wait)
        while not heard.of(out.AssistantDelta):
            await asyncio.sleep(0.005)
        session.send(Cancel())
        end = await turn
        shown = "".join(delta.text for delta in heard.of(out.AssistantDelta))
        (kept,) = heard.of(out.AssistantEnd)
        assert (end.reason, kept.text, kept.interrupted) == ("interrupted", shown, True)
        assert await asyncio.to_thread(server.posts[0].disconnected.wait, 2)
        gate.open()
        assert (await session.turn(Say(text="go on"))).reason == "done"
    assert shown.strip() in said_to_model(server)


async def test_cancel_during_a_tool_ends_its_process_and_answers_every_call(world: World, server: ModelServer) -> None:
    marker = world.workdir / "started"
    sleeper = Call(name="bash", input={"command": f"touch {marker}; sleep 600"})
    server.script(Turn(calls=(sleeper, Call(name="bash", input={"command": "echo later"}))), Turn(text="fine"))

    async with world.session(allow=("Bash",)) as (session, heard):
        turn = asyncio.create_task(session.turn(Say(text="wait")))
        while not marker.exists():
            await asyncio.sleep(0.01)
        session.send(Cancel())
        end = await turn
        assert end.reason == "interrupted"
        ends = heard.of(out.ToolEnd)
        assert ends[0].output.startswith("Interrupted by user")
        assert ends[1].output == "Cancelled by user before tool execution."
        assert (await session.turn(Say(text="and now?"))).reason == "done"


async def test_cancel_while_a_retry_waits(world: World, server: ModelServer) -> None:
    server.script(json_answer({"error": {"message": "slow down"}}, status=429, headers={"retry-after": "30"}))
    async with world.session() as (session, heard):
        turn = asyncio.create_task(session.turn(Say(text="hi")))
        while not heard.of(out.LlmRetry):
            await asyncio.sleep(0.005)
        began = time.monotonic()
        session.send(Cancel())
        end = await turn
    assert end.reason == "interrupted"
    assert time.monotonic() - began < 5  # far below the 30 s that the server asked for


async def test_a_resumed_session_remembers_and_a_copy_leaves_the_original_alone(
    world: World, server: ModelServer
) -> None:
    server.script(Turn(text="Noted."), Turn(text="It was 7."), Turn(text="Copy."))
    async with world.session() as (session, _):
        await session.turn(Say(text="The number is 7."))
        original = session.id
    async with world.session(resume=original) as (session, _):
        assert session.id == original
        await session.turn(Say(text="Which number?"))
    assert "The number is 7." in said_to_model(server)
    length = len(world.journal(original))
    async with world.session(resume=original[:6], fork=True) as (session, heard):
        await session.turn(Say(text="Go on here."))
        fork = session.id
    assert "Which number?" in said_to_model(server)
    assert (len(world.journal(original)), world.journal(fork)[0]["forked_from"]) == (length, original)
    assert [event.forked_from for event in heard.of(out.SessionCreated)] == [original]
    assert [info.title for info in list_sessions(world.home)] == ["The number is 7."] * 2


async def test_a_session_is_written_by_one_at_a_time(world: World, server: ModelServer) -> None:
    server.script(Turn(text="hello"))
    async with world.session() as (session, _):
        await session.turn(Say(text="hi"))
        with pytest.raises(SessionBusy):
            async with world.session(resume=session.id):
                pass


async def test_a_session_in_which_nothing_was_said_leaves_no_file(world: World) -> None:
    async with world.session() as (session, _):
        assert (world.home.sessions / f"{session.id}.jsonl").exists()
    assert list_sessions(world.home) == []
    assert list(world.home.sessions.glob("*.jsonl")) == []


async def test_headless_denies_what_would_be_asked_and_names_the_rule(world: World, server: ModelServer) -> None:
    server.script(Turn(calls=(Call(name="bash", input={"command": "touch x"}),)), Turn(text="not allowed"))
    _, heard = await world.turn("make x")
    (denied,) = heard.of(out.ToolDenied)
    assert denied.rule is not None
    assert f"--allow '{denied.rule}'" in denied.output
    assert denied.output.startswith("Permission denied: ")
    assert not (world.workdir / "x").exists()

    server.script(Turn(calls=(Call(name="bash", input={"command": "touch x"}),)), Turn(text="done"))
    await world.turn("make x", allow=(denied.rule,))
    assert (world.workdir / "x").exists()


async def answering(world: World, server: ModelServer, decision: str, *, reason: str = "") -> Heard:
    command = {"command": "touch asked"}
    server.script(
        Turn(calls=(Call(name="bash", input=command),)), Turn(calls=(Call(name="bash", input=command),)), Turn(text="k")
    )
    async with world.session(interactive=True) as (session, heard):

        def person(event: out.Event) -> None:
            if isinstance(event, out.PermissionAsk):
                session.send(Answer(ask_id=event.ask_id, decision=decision, reason=reason))  # type: ignore[arg-type]

        session.subscribe(person)
        await session.turn(Say(text="make it"))
    return heard


async def test_allow_is_for_once(world: World, server: ModelServer) -> None:
    heard = await answering(world, server, "allow")
    assert (world.workdir / "asked").exists()
    assert len(heard.of(out.PermissionAsk)) == 2


async def test_always_is_for_the_session(world: World, server: ModelServer) -> None:
    heard = await answering(world, server, "always")
    assert (world.workdir / "asked").exists()
    assert len(heard.of(out.PermissionAsk)) == 1


async def test_the_reason_of_a_denial_reaches_the_model(world: World, server: ModelServer) -> None:
    heard = await answering(world, server, "deny", reason="use another name")
    assert not (world.workdir / "asked").exists()
    assert [each.output for each in heard.of(out.ToolDenied)] == [
        "Permission denied by user for bash: use another name"
    ] * 2
    assert "Permission denied by user for bash: use another name" in said_to_model(server)


async def test_no_answer_is_not_a_refusal(world: World, server: ModelServer) -> None:
    world.home.root.mkdir(parents=True)
    world.home.config.write_text('{"permissions": {"ask_timeout_s": 1}}')
    server.script(Turn(calls=(Call(name="bash", input={"command": "touch x"}),)), Turn(text="nobody there"))
    async with world.session(interactive=True) as (session, heard):
        await session.turn(Say(text="go"))
    (denied,) = heard.of(out.ToolDenied)
    assert (denied.source, denied.output) == ("timeout", "No answer within 1 s; not run")


async def test_plan_mode_is_enforced_and_remembered(world: World, server: ModelServer) -> None:
    write = Call(name="write_file", input={"path": "x", "content": "1"})
    server.script(Turn(calls=(write,)), Turn(text="planned"), Turn(text="still planning"))
    async with world.session(allow=("Edit",)) as (session, heard):
        session.send(SetMode(mode="plan"))
        await session.turn(Say(text="write x"))
        session_id = session.id
    assert len(heard.of(out.ToolDenied)) == 1
    assert not (world.workdir / "x").exists()
    async with world.session(resume=session_id) as (session, _):
        assert session.mode == "plan"
        await session.turn(Say(text="and?"))
    assert "Mode: plan" in said_to_model(server)


async def test_bad_arguments_and_unknown_tools_come_back_with_what_would_work(
    world: World, server: ModelServer
) -> None:
    calls = (
        Call(name="read_file", input={"pfad": "x"}),
        Call(name="read_fil", input={"path": "x"}),
        Call(name="bash", input={"command": 7}),
    )
    server.script(Turn(calls=calls), Turn(text="sorry"))
    _, heard = await world.turn("go")
    first, second, third = heard.of(out.ToolEnd)
    assert "path" in first.output
    assert "read_file" in second.output
    assert "command" in third.output
    assert all(each.error for each in (first, second, third))


async def test_the_step_limit_ends_with_one_call_without_tools(world: World, server: ModelServer) -> None:
    (world.workdir / "a").write_text("A")
    read = Turn(calls=(Call(name="read_file", input={"path": "a"}),))
    server.script(read, read, Turn(text="as far as I got"))
    end, heard = await world.turn("loop", default_steps=2)
    assert (end.reason, end.steps) == ("limit", 3)
    last = server.posts[-1].json
    assert last.get("tools") is None or last["tool_choice"] in ("none", {"type": "none"})
    assert heard.of(out.AssistantEnd)[-1].text == "as far as I got"


async def test_a_hard_limit_makes_no_further_call(world: World, server: ModelServer) -> None:
    (world.workdir / "a").write_text("A")
    server.script(Turn(calls=(Call(name="read_file", input={"path": "a"}),)))
    end, _ = await world.turn("loop", max_steps=1)
    assert (end.reason, end.steps, len(server.posts)) == ("limit", 1, 1)


async def test_a_full_context_is_compacted_and_the_call_made_again(world: World, server: ModelServer) -> None:
    world.configure(memory={"flush": False})
    too_long = {"error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000"}}
    server.script(
        Turn(text="I read it. " + "blah " * 3000),
        json_answer({"type": "error", **too_long}, status=400),
        Turn(text="Task: remember the number 42."),
        Turn(text="It was 42."),
    )
    async with world.session() as (session, heard):
        await session.turn(Say(text="The number is 42. " + "word " * 3000))
        end = await session.turn(Say(text="Which number?"))
    assert end.reason == "done"
    (compacted,) = heard.of(out.Compacted)
    assert compacted.after_tokens < compacted.before_tokens
    assert "remember the number 42" in said_to_model(server)
    assert "Which number?" in said_to_model(server)
    assert Path(compacted.transcript).exists()
    async with world.session(resume=session.id) as (session, _):
        server.script(Turn(text="Still 42."))
        await session.turn(Say(text="And now?"))
    assert "remember the number 42" in said_to_model(server)
    assert "word word" not in said_to_model(server)


async def test_the_context_is_compacted_before_it_is_full(world: World, server: ModelServer) -> None:
    world.configure(agent={"token_threshold": 6000}, memory={"flush": False})
    server.script(
        Turn(text="long " * 4000, usage=Usage(input=100, output=6500)),
        Turn(text="Task: talk."),
        Turn(text="short"),
    )
    async with world.session() as (session, heard):
        await session.turn(Say(text="talk"))
        await session.turn(Say(text="more"))
    assert len(heard.of(out.Compacted)) == 1
    assert "long long" not in said_to_model(server)


async def test_a_wrong_key_is_said_and_the_words_are_kept(world: World, server: ModelServer) -> None:
    server.script(json_answer({"error": {"message": "invalid api key", "type": "authentication_error"}}, status=401))
    end, heard = await world.turn("hello")
    (error,) = heard.of(out.ErrorEvent)
    assert (end.reason, error.kind, error.retryable) == ("failed", "auth", False)
    assert [event.text for event in heard.of(out.UserMessage)] == ["hello"]


async def test_the_todo_list_is_brought_back_to_mind(world: World, server: ModelServer) -> None:
    (world.workdir / "a").write_text("A")
    todo = Call(
        name="TodoWrite", input={"items": [{"content": "Fix it", "status": "in_progress", "activeForm": "Fixing it"}]}
    )
    read = Turn(calls=(Call(name="read_file", input={"path": "a"}),))
    server.script(Turn(calls=(todo,)), read, read, read, Turn(text="done"))
    _, heard = await world.turn("work")
    assert [event.source for event in heard.of(out.UserMessage)] == ["user", "reminder"]
    assert "<system-reminder>" in said_to_model(server)


async def test_each_request_begins_with_the_bytes_of_the_one_before(world: World, server: ModelServer) -> None:
    (world.workdir / "a").write_text("A")
    read = Turn(calls=(Call(name="read_file", input={"path": "a"}),))
    server.script(read, Turn(text="one"), read, Turn(text="two"))
    async with world.session() as (session, _):
        await session.turn(Say(text="first"))
        await session.turn(Say(text="second"))
    requests = [post.json for post in server.posts]
    assert len({str(request.get("system")) + str(request["tools"]) for request in requests}) == 1
    for before, after in pairwise(requests):
        earlier = str(before["messages"]).replace(", 'cache_control': {'type': 'ephemeral'}", "").rstrip("]")
        later = str(after["messages"]).replace(", 'cache_control': {'type': 'ephemeral'}", "")
        assert later.startswith(earlier[:-2])


async def test_changed_settings_apply_to_the_next_turn_and_broken_ones_are_said(
    world: World, server: ModelServer
) -> None:
    server.script(Turn(text="one"), Turn(text="two"), Turn(text="three"))
    async with world.session() as (session, heard):
        await session.turn(Say(text="1"))
        world.home.root.mkdir(parents=True, exist_ok=True)
        world.home.config.write_text('{"llm": {"max_output_tokens": 1234}}')
        await session.turn(Say(text="2"))
        world.home.config.write_text('{"llm": ')
        await session.turn(Say(text="3"))
    limits = [post.json.get("max_tokens") or post.json.get("max_completion_tokens") for post in server.posts]
    assert limits == [8000, 1234, 1234]
    (notice,) = heard.of(out.Notice)
    assert "config.json" in notice.text
