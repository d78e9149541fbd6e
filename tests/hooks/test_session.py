"""Hooks in a whole session, on a scripted model: what they block, change, add and hear."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Cancel, Say
from helloclaw.settings.problems import SettingsError
from helloclaw.settings.trust import trust
from tests.support.model_server import Call, ModelServer, Turn
from tests.support.world import World
from tests.tools.conftest import until


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with ModelServer() as server:
        yield World(tmp_path, server)


def hooked(world: World, hooks: dict[str, Any], *, trusted: bool = True) -> None:
    (world.workdir / ".hooks.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
    if trusted:
        trust(world.home, world.workdir)


def last_heard(world: World) -> str:
    """What the model was sent last, as text."""
    return json.dumps(world.server.posts[-1].json, ensure_ascii=False)


LS = Call(name="bash", input={"command": "ls"})


async def test_a_guard_blocks_a_call_and_the_model_hears_why(world: World) -> None:
    hooked(world, {"PreToolUse": [{"matcher": "bash", "command": "echo not today >&2; exit 1"}]})
    world.server.script(Turn(calls=(LS,)), Turn(text="ok"))
    end, heard = await world.turn("go")
    (denied,) = heard.of(out.ToolDenied)
    assert (end.reason, denied.source, denied.output) == ("done", "hook", "Blocked by hook: not today")
    assert "Blocked by hook: not today" in last_heard(world)


async def test_a_changed_input_is_what_runs_and_is_judged_again(world: World) -> None:
    rewrite = """echo '{"updatedInput": {"command": "echo changed"}, "additionalContext": "mind it"}'"""
    hooked(world, {"PreToolUse": [{"command": rewrite}], "PostToolUse": [{"command": "echo after >&2; exit 2"}]})
    world.server.script(Turn(calls=(LS,)), Turn(text="ok"))
    _, heard = await world.turn("go")
    assert [event.output for event in heard.of(out.ToolEnd)] == ["changed\nmind it\nafter"]

    worse = """echo '{"updatedInput": {"command": "sudo rm -rf /"}}'"""
    hooked(world, {"PreToolUse": [{"command": worse}]})
    world.server.script(Turn(calls=(LS,)), Turn(text="ok"))
    _, heard = await world.turn("go")
    assert [event.source for event in heard.of(out.ToolDenied)] == ["permission"]


async def test_asking_where_nobody_can_be_asked_is_a_denial(world: World) -> None:
    asking = """echo '{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "sure?"}}'"""
    hooked(world, {"PreToolUse": [{"command": asking}]})
    world.server.script(Turn(calls=(LS,)), Turn(text="ok"))
    _, heard = await world.turn("go")
    assert [event.output for event in heard.of(out.ToolDenied)] == [
        "Permission denied: sure?; nobody can be asked here"
    ]


async def test_the_start_messages_and_rounds_are_heard(world: World) -> None:
    hooked(
        world,
        {
            "SessionStart": [{"command": "echo on main >&2; exit 2"}],
            "UserPromptSubmit": [{"command": "grep -q password && { echo no passwords >&2; exit 1; }; exit 0"}],
            "RoundEnd": [{"command": 'echo "$HOOK_TOOL_INPUT" >>rounds; echo well done >&2; exit 2'}],
            "SessionEnd": [{"command": "touch ended"}],
        },
    )
    world.server.script(Turn(text="hello"), Turn(text="again"))
    async with world.session() as (session, heard):
        await session.turn(Say(text="hi"))
        assert "<system-reminder>\\non main\\n</system-reminder>" in last_heard(world)
        end = await session.turn(Say(text="my password is x"))
        assert end.reason == "failed"
        assert [event.message for event in heard.of(out.ErrorEvent)] == [
            "Blocked by a hook, and not kept: no passwords"
        ]
        await session.turn(Say(text="more"))
        assert "well done" in last_heard(world)
        assert "password is x" not in last_heard(world)
    rounds = [json.loads(line) for line in (world.workdir / "rounds").read_text().splitlines()]
    assert rounds == [
        {"stop_reason": "end_turn", "last_assistant_text": "hello"},
        {"stop_reason": "end_turn", "last_assistant_text": "again"},
    ]
    assert (world.workdir / "ended").exists()


async def test_nothing_runs_in_a_directory_that_is_not_trusted(world: World) -> None:
    hooked(world, {"SessionStart": [{"command": "touch ran"}], "PreToolUse": [{"command": "exit 1"}]}, trusted=False)
    world.server.script(Turn(calls=(LS,)), Turn(text="ok"))
    _, heard = await world.turn("go")
    assert heard.of(out.ToolDenied) == []
    assert not (world.workdir / "ran").exists()


async def test_a_cancel_ends_a_hook_and_the_turn(world: World) -> None:
    hooked(world, {"PreToolUse": [{"command": "touch begun; sleep 60"}]})
    world.server.script(Turn(calls=(LS,)), Turn(text="next"))
    async with world.session() as (session, heard):
        turn = asyncio.create_task(session.turn(Say(text="go")))
        await until((world.workdir / "begun").exists)
        session.send(Cancel())
        async with asyncio.timeout(10):
            end = await turn
        assert (end.reason, heard.of(out.ToolEnd)[0].output) == (
            "interrupted",
            "Cancelled by user before tool execution.",
        )


async def test_a_cancel_while_a_message_is_screened_loses_no_word(world: World) -> None:
    hooked(world, {"UserPromptSubmit": [{"command": "touch begun; sleep 60"}]})
    async with world.session() as (session, heard):
        turn = asyncio.create_task(session.turn(Say(text="go")))
        await until((world.workdir / "begun").exists)
        session.send(Cancel())
        async with asyncio.timeout(10):
            end = await turn
        assert (end.reason, [event.text for event in heard.of(out.UserMessage)]) == ("interrupted", ["go"])


async def test_a_broken_file_is_said_before_a_session_is_kept(world: World) -> None:
    hooked(world, {"PreToolUze": []})
    with pytest.raises(SettingsError, match='did you mean "PreToolUse"'):
        await world.turn("go")
    assert list(world.home.sessions.glob("*.jsonl")) == []
