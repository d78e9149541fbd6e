"""Confined commands through the shell tool and in a whole session."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from helloclaw.agent.session import Session
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Answer, Say
from helloclaw.sandbox.offer import Offer, probe
from helloclaw.sandbox.placeholders import placeholders
from helloclaw.sandbox.session import SessionSandbox
from helloclaw.settings.trust import is_trusted, trust, what_waits
from helloclaw.storage.paths import Home
from helloclaw.tools.base import ToolError
from helloclaw.tools.context import Approval
from helloclaw.tools.registry import open_context
from tests.sandbox.conftest import offers
from tests.sandbox.test_confined import unique_sleep
from tests.support.model_server import Call, ModelServer, Turn
from tests.support.world import World
from tests.tools.conftest import Bench, running, until


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory that no sandbox replaces by its own."""
    base = Path("/srv") if os.geteuid() == 0 else Path.home() / ".cache"
    base.mkdir(exist_ok=True)
    root = Path(tempfile.mkdtemp(prefix="helloclaw-test-", dir=base))
    yield root
    shutil.rmtree(root)


@pytest.fixture(params=offers(), ids=lambda offer: offer.kind)
async def bench(request: pytest.FixtureRequest, place: Path) -> AsyncIterator[Bench]:
    (place / "work").mkdir()
    (place / "home").mkdir()
    context = open_context("session", place / "work")
    context.shell.sandbox = SessionSandbox(
        request.param, workdir=place / "work", home=place / "home", product_home=place / "home/.helloclaw"
    )
    yield Bench(context)
    await context.close()


def confined(bench: Bench) -> Approval:
    return Approval(paths=frozenset(), cwd=bench.context.cwd, confined=True)


async def test_only_what_was_approved_for_the_sandbox_runs_in_it(bench: Bench, place: Path) -> None:
    refused = await bench.call("bash", confined(bench), command=f"echo x > {place}/out")
    assert refused.is_error
    assert refused.text.endswith(
        "[exit code 1; it ran in a sandbox: no network, and writing only below the working directory and in $TMPDIR; "
        "if it needs more, give the same command again and the person will be asked]"
    )
    assert not (place / "out").exists()
    assert await bench.text("bash", command=f"echo x > {place}/out") == "(no output)"
    assert (place / "out").exists()


async def test_output_directory_and_codes_are_as_outside(bench: Bench) -> None:
    (bench.workdir / "sub").mkdir()
    command = "cd sub; echo one; echo two >&2; printf '%s' $#; exit 3"
    output = await bench.call("bash", confined(bench), command=command)
    said, _, noted = output.text.partition("\n[exit code 3; ")
    assert said == "one\ntwo\n0"
    assert noted.endswith(f"current directory: {bench.workdir / 'sub'}]")
    assert bench.context.cwd == bench.workdir / "sub"


async def test_the_time_is_up_and_a_cancel_end_all_of_it(bench: Bench) -> None:
    sleep = unique_sleep()
    output = await bench.call("bash", confined(bench), command=f"setsid sleep {sleep} & sleep {sleep}", timeout=1)
    assert "timed out after" in output.text
    assert running(sleep) == []
    task = asyncio.create_task(
        bench.call("bash", confined(bench), command=f"(setsid -f sleep {sleep}); exec sleep {sleep}")
    )
    await until(lambda: len(running(sleep)) >= 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert running(sleep) == []
    assert os.listdir(bench.workdir) == []


async def test_a_command_in_the_background_is_confined_too(bench: Bench, place: Path) -> None:
    output = await bench.call("background_run", confined(bench), command=f"echo x > {place}/out; echo done")
    assert output.text.endswith("It runs in a sandbox, where nobody outside can reach it and it can reach nobody.")
    (task,) = bench.context.background.tasks
    await until(lambda: not task.running)
    assert "done" in task.store.tail()
    assert not (place / "out").exists()


async def test_files_are_kept_from_command_to_command_and_gone_in_the_end(bench: Bench) -> None:
    await bench.text("bash", command="true")
    approval = confined(bench)
    await bench.call("bash", approval, command="echo kept > $TMPDIR/a")
    assert (await bench.call("bash", approval, command="cat $TMPDIR/a")).text == "kept"
    sandbox = bench.context.shell.sandbox
    assert isinstance(sandbox, SessionSandbox)
    assert sandbox.temporary is not None
    temporary = sandbox.temporary
    await bench.context.close()
    assert not temporary.exists()


async def test_no_file_stays_open(bench: Bench) -> None:
    await bench.call("bash", confined(bench), command="true")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        await bench.call("bash", confined(bench), command="true")
    assert len(os.listdir("/proc/self/fd")) == before


async def test_without_a_sandbox_what_needs_one_is_not_run(bench: Bench) -> None:
    (bench.workdir / ".claude").symlink_to("elsewhere")
    with pytest.raises(ToolError, match=r"was not run, since it can't be confined: .*\.claude is a symlink"):
        await bench.call("bash", confined(bench), command="touch ran")
    sandbox, bench.context.shell.sandbox = bench.context.shell.sandbox, None
    assert sandbox is not None
    sandbox.close()
    with pytest.raises(ToolError, match="may run only in a sandbox"):
        await bench.call("bash", confined(bench), command="touch ran")
    assert not (bench.workdir / "ran").exists()


async def test_a_link_that_a_confined_command_plants_leads_no_tool_outside(bench: Bench, place: Path) -> None:
    (place / "victim").write_text("kept")
    approval = confined(bench)
    (bench.workdir / "src").mkdir()
    await bench.call("bash", approval, command=f"ln -s {place}/victim src/link; ln -s {place} src/.task_outputs")
    tool = bench.toolbox.find("write_file")
    assert tool is not None
    parsed = tool.parse({"path": "src/link", "content": "changed"})
    facts = tool.call({"path": "src/link", "content": "changed"}, parsed)
    held = Approval(paths=frozenset({bench.workdir / "src/link"}), cwd=bench.workdir)
    with pytest.raises(ToolError):
        await bench.call("write_file", held, path="src/link", content="changed")
    assert (facts.writes, (place / "victim").read_text()) == (("src/link",), "kept")


WRITE = Call(name="bash", input={"command": "python3 -c \"open('made', 'w')\" && touch ../out"})
INSIDE = Call(name="bash", input={"command": "python3 -c \"open('made', 'w')\""})


@pytest.mark.skipif(probe().kind != "bubblewrap", reason="needs bubblewrap")
async def test_in_auto_mode_a_session_runs_confined_what_it_would_ask_about(place: Path) -> None:
    with ModelServer() as server:
        world = World(place, server)
        server.script(Turn(calls=(INSIDE,)), Turn(text="ok"))
        end, heard = await world.turn("go", mode="auto")
        assert (end.reason, heard.of(out.ToolDenied)) == ("done", [])
        assert (world.workdir / "made").exists()
        server.script(Turn(calls=(INSIDE,)), Turn(text="ok"))
        _, heard = await world.turn("go", mode="default")
        assert [event.source for event in heard.of(out.ToolDenied)] == ["permission"]
        world.home.config.write_text('{"permissions": {"sandbox": "off"}}')
        server.script(Turn(calls=(INSIDE,)), Turn(text="ok"))
        _, heard = await world.turn("go", mode="auto")
        assert [event.source for event in heard.of(out.ToolDenied)] == ["permission"]


def test_an_offer_is_found_once_and_says_why_there_is_no_better() -> None:
    assert probe() is probe()
    assert probe().kind in ("bubblewrap", "landlock", "none")
    assert (probe().problem == "") == (probe().kind == "bubblewrap")
    nothing = Offer(kind="none", problem="nothing works")
    sandbox = SessionSandbox(nothing, workdir=Path("/w"), home=Path("/h"), product_home=Path("/h/.helloclaw"))
    assert sandbox.check() == "nothing works"


async def test_a_placeholder_is_no_reason_to_ask_about_trust(tmp_path: Path) -> None:
    home, work = Home(tmp_path / "home"), tmp_path / "work"
    work.mkdir()
    (work / ".claude").mkdir()
    (work / ".claude/permissions.json").write_text('{"allow": ["Bash(ls)"]}')
    trust(home, work)
    with placeholders([work / ".hooks.json", work / ".env", work / ".mcp.json"]):
        assert (is_trusted(home, work), what_waits(work)) == (True, [".claude/permissions.json"])


@pytest.mark.skipif(probe().kind != "bubblewrap", reason="needs bubblewrap")
async def test_who_writes_into_what_it_inherited_is_waited_for_all_the_same(bench: Bench) -> None:
    if not isinstance(bench.context.shell.sandbox, SessionSandbox) or bench.context.shell.sandbox.kind != "bubblewrap":
        pytest.skip("only namespaces have an end to wait for")
    sleep = unique_sleep()
    command = f"for fd in /proc/self/fd/*; do echo x >$fd; done 2>/dev/null; setsid -f sleep {sleep} >/dev/null 2>&1"
    await bench.call("bash", confined(bench), command=command)
    assert running(sleep) == []
    assert os.listdir(bench.workdir) == []


@pytest.mark.skipif(probe().kind != "bubblewrap", reason="needs bubblewrap")
async def test_what_the_sandbox_held_back_is_asked_about_when_it_comes_again(place: Path) -> None:
    with ModelServer() as server:
        world = World(place, server)
        command = f"python3 -c \"import os; os.mkdir(os.path.dirname('{place}/x') + '/made')\""
        outward = Call(name="bash", input={"command": command})
        failing = Call(name="bash", input={"command": "python3 -c 'raise SystemExit(3)'"})
        server.script(Turn(calls=(outward,)), Turn(calls=(outward,)), Turn(calls=(failing,)), Turn(calls=(failing,)))
        server.script(Turn(text="ok"))
        async with world.session(mode="auto", interactive=True) as (session, heard):
            session.subscribe(lambda event: _allow(session, event))
            await session.turn(Say(text="go"))
        assert [event.tool_input for event in heard.of(out.PermissionAsk)] == [{"command": command}]
        assert [event.error is None for event in heard.of(out.ToolEnd)] == [False, True, False, False]
        assert (place / "made").is_dir()


def _allow(session: Session, event: out.Event) -> None:
    if isinstance(event, out.PermissionAsk):
        session.send(Answer(ask_id=event.ask_id, decision="allow"))
