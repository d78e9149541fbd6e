"""`always`: what is allowed from now on, for how long, and what happens where that can't be kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Literal

import pytest

from helloclaw.permissions.keeping import PROJECT_FILE
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Answer, Say
from helloclaw.settings.trust import is_trusted, trust
from tests.support.model_server import Call, ModelServer, Turn
from tests.support.world import Heard, World

Save = Literal["session", "project", "user"]
SOON_S = 20
RULE = "Bash(touch:*)"


def touch(name: str) -> Turn:
    return Turn(calls=(Call(name="bash", input={"command": f"touch {name}"}),))


def always(save: Save, rule: str | None = RULE) -> Callable[[out.PermissionAsk], Answer]:
    return lambda ask: Answer(ask_id=ask.ask_id, decision="always", rule=rule, save=save)


async def answered(world: World, answer: Callable[[out.PermissionAsk], Answer]) -> Heard:
    """One turn, in which every question is answered like this."""
    async with world.session(interactive=True) as (session, heard):
        session.subscribe(lambda event: session.send(answer(event)) if isinstance(event, out.PermissionAsk) else None)
        await asyncio.wait_for(session.turn(Say(text="go")), SOON_S)
    return heard


def asked(heard: Heard) -> list[str]:
    return [ask.tool_input["command"] for ask in heard.of(out.PermissionAsk)]


def resolved(heard: Heard) -> list[tuple[str, str | None, str]]:
    return [(each.decision, each.rule, each.save) for each in heard.of(out.PermissionResolved)]


@pytest.mark.parametrize(("save", "next_session_asks"), [("session", ["touch c"]), ("project", []), ("user", [])])
async def test_it_holds_where_it_was_kept(
    world: World, server: ModelServer, save: Save, next_session_asks: list[str]
) -> None:
    trust(world.home, world.workdir)
    server.script(touch("a"), touch("b"), Turn(text="done"), touch("c"), Turn(text="done"))
    first = await answered(world, always(save))
    assert [ask.saves for ask in first.of(out.PermissionAsk)] == [("session", "project", "user")]
    assert (asked(first), resolved(first)) == (["touch a"], [("always", RULE, save)])
    second = await answered(world, lambda ask: Answer(ask_id=ask.ask_id, decision="deny"))
    assert asked(second) == next_session_asks
    project, user = world.workdir / PROJECT_FILE, world.home.permissions
    kept = {"session": None, "project": project, "user": user}[save]
    assert [path for path in (project, user) if path.exists()] == ([kept] if kept else [])
    if kept:
        assert json.loads(kept.read_bytes()) == {"allow": [RULE]}
    assert is_trusted(world.home, world.workdir)


async def test_a_project_nobody_trusts_is_not_offered_and_not_written(world: World, server: ModelServer) -> None:
    server.script(touch("a"), touch("b"), Turn(text="done"))
    heard = await answered(world, always("project"))
    assert [ask.saves for ask in heard.of(out.PermissionAsk)] == [("session", "user")]
    assert (asked(heard), resolved(heard)) == (["touch a"], [("always", RULE, "session")])
    assert [notice.code for notice in heard.of(out.Notice)] == ["rule.not_trusted"]
    assert ((world.workdir / "b").exists(), (world.workdir / ".claude").exists()) == (True, False)


async def test_what_cant_be_saved_is_said_and_counts_for_the_session(world: World, server: ModelServer) -> None:
    server.script(touch("a"), touch("b"), Turn(text="done"))

    def answer(ask: out.PermissionAsk) -> Answer:
        world.home.permissions.mkdir(parents=True)
        return always("user")(ask)

    heard = await answered(world, answer)
    assert (asked(heard), resolved(heard)) == (["touch a"], [("always", RULE, "session")])
    (notice,) = heard.of(out.Notice)
    assert (notice.code, notice.level, RULE in notice.text, str(world.home.permissions) in notice.text) == (
        "rule.not_saved", "warning", True, True,
    )  # fmt: skip
    assert (world.workdir / "b").exists()


async def test_a_rule_that_cant_be_read_grants_nothing_more(world: World, server: ModelServer) -> None:
    server.script(touch("a"), touch("b"), Turn(text="done"))
    heard = await answered(world, always("user", "Bash("))
    assert asked(heard) == ["touch a", "touch b"]
    assert [notice.code for notice in heard.of(out.Notice)] == ["rule.bad", "rule.bad"]
    assert not world.home.permissions.exists()


async def test_without_a_rule_it_is_the_narrowest_that_was_offered(world: World, server: ModelServer) -> None:
    server.script(touch("a"), Turn(text="done"))
    await answered(world, always("user", None))
    assert json.loads(world.home.permissions.read_bytes()) == {"allow": ["Bash(touch a)"]}
