"""`/hooks` shows what each hook has done, and switches them for the session."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from helloclaw.agent.session import Session
from helloclaw.hooks.runner import HookRunner
from helloclaw.i18n import Texts, texts
from helloclaw.llm.messages import ToolCall
from helloclaw.settings.source import SettingsSource
from helloclaw.settings.trust import trust
from helloclaw.slash.registry import run_line
from helloclaw.storage.paths import Home
from tests.support.model_server import ModelServer
from tests.support.world import World


@dataclass
class Front:
    """The least that a front end is."""

    session: Session
    source: SettingsSource
    home: Home
    say: Texts = field(default_factory=lambda: texts("en"))
    environ: Mapping[str, str] = field(default_factory=dict[str, str])


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with ModelServer() as server:
        yield World(tmp_path, server)


async def said(line: str, front: Front) -> list[str]:
    reply = await run_line(line, front)
    assert reply is not None
    return reply.markdown.splitlines()


HEAD = ["", "| event | for | command | runs | last exit | time |", "| --- | --- | --- | ---: | --- | ---: |"]


async def test_it_lists_and_switches(world: World) -> None:
    path = world.workdir / ".hooks.json"
    path.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "bash|x", "command": "exit 1 | `true`"}]}}))
    trust(world.home, world.workdir)
    async with world.session() as (session, _):
        front = Front(session, SettingsSource(world.home, world.environ), world.home)
        on = "Hooks are on: 1 from .hooks.json."
        row = r"| PreToolUse | bash\|x | `exit 1 \| 'true'` |"
        assert await said("/hooks", front) == [on, *HEAD, f"{row} 0 |  |  |"]
        assert isinstance(session.hooks, HookRunner)
        call = ToolCall(id="1", name="bash", input={})
        await session.hooks.before_tool(call)
        assert (await said("/hooks list", front))[-1].startswith(f"{row} 1 | 0 | ")
        off = "Hooks are off in this session; /hooks on has them back."
        assert (await said("/hooks off", front))[0] == off
        assert (await said("/hooks on", front))[0] == on
        (world.workdir / ".hooks.disabled").touch()
        disabled = "Hooks are off, since there is a .hooks.disabled here; remove it to have them back."
        assert (await said("/hooks reload", front))[0] == disabled
        front.say.switch("zh")
        assert (await said("/hooks", front))[0].startswith("钩子已关闭")


async def test_without_hooks_and_without_trust_it_says_so(world: World) -> None:
    async with world.session() as (session, _):
        front = Front(session, SettingsSource(world.home, world.environ), world.home)
        assert await said("/hooks", front) == ["There are no hooks here: no .hooks.json in the working directory."]
        (world.workdir / ".hooks.json").write_text('{"hooks": {}}')
        assert await said("/hooks reload", front) == [
            "The hooks of .hooks.json don't count until this directory is trusted: helloclaw trust"
        ]
        reply = await run_line("/hooks of", front)
        assert reply is not None
        assert reply.level == "error"
