"""`bash`: the approved text, where it runs, what is shown of it, and that nothing outlives a stop."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from uuid import uuid4

import pytest

from helloclaw.tools.registry import open_context
from tests.tools.conftest import Bench, running, until


def unique_sleep() -> str:
    """A duration that no other process on the machine sleeps for."""
    return f"100.{uuid4().int % 10**12}"


async def test_output_of_both_kinds_comes_in_order_with_the_exit_code(bench: Bench) -> None:
    output = await bench.call("bash", command="echo 一; echo 二 >&2; echo 三; exit 3")
    assert (output.text, output.is_error) == ("一\n二\n三\n[exit code 3]", True)
    assert await bench.text("bash", command="true") == "(no output)"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("exit 3", 3),
        ("false", 1),
        ("(exit 4)", 4),
        ("set -e; false; echo no", 1),
        ("if", 2),
        ("exec sh -c 'exit 5'", 5),
    ],
)
async def test_exit_codes_are_bashs_own(bench: Bench, command: str, code: int) -> None:
    assert (await bench.call("bash", command=command)).text.endswith(f"[exit code {code}]")


async def test_death_by_a_signal_is_named(bench: Bench) -> None:
    assert (await bench.call("bash", command="kill -KILL $$")).text == "[killed by SIGKILL]"


async def test_the_text_is_run_as_it_is(bench: Bench) -> None:
    command = r"""printf '%s|' "$0" "$#" 'a  b' "\$x" "$(echo '$HOME')" "$-"; echo; cat >/dev/null <<'E'
not read
E
cat /proc/$$/cmdline | tr '\0' ' '"""
    first, rest = (await bench.text("bash", command=command)).split("\n", 1)
    assert first.endswith("/bash|0|a  b|$x|$HOME|hBc|")
    assert rest.endswith(f"/bash --noprofile --norc -c {command} ")


async def test_the_directory_stays_where_cd_left_it(bench: Bench) -> None:
    (bench.workdir / "子 目录").mkdir()
    target = bench.workdir / "子 目录"
    assert await bench.text("bash", command="cd '子 目录'") == f"[current directory: {target}]"
    assert await bench.text("bash", command="pwd") == str(target)
    assert (await bench.call("bash", command="cd ..; exit 3")).text == (
        f"[exit code 3; current directory: {bench.workdir}]"
    )
    assert await bench.text("bash", command="(cd /usr)") == "(no output)"
    assert (await bench.call("bash", command="cd /usr; if")).text.endswith("[exit code 2]")
    assert bench.context.cwd == bench.workdir


async def test_a_script_may_use_low_file_numbers_and_its_own_exit_trap(bench: Bench) -> None:
    await bench.text("bash", command="exec 3>three 9>nine 200>many; cd /usr")
    assert [(bench.workdir / name).read_text() for name in ("three", "nine", "many")] == ["", "", ""]
    assert await bench.text("bash", command="cd /tmp; trap 'echo bye' EXIT") == "bye"


async def test_a_directory_that_is_gone_is_left(bench: Bench) -> None:
    await bench.text("bash", command="mkdir gone; cd gone")
    gone = bench.context.cwd
    await bench.text("bash", command="rmdir ../gone")
    assert await bench.text("bash", command="pwd") == (
        f"{bench.workdir}\n[{gone} no longer exists, so this ran in {bench.workdir}]"
    )


async def test_input_is_closed(bench: Bench) -> None:
    assert (await bench.call("bash", command="read -r line; echo got:$line; tty")).text.startswith("got:\nnot a tty")


async def test_output_is_reported_while_it_comes(bench: Bench) -> None:
    task = asyncio.create_task(
        bench.text("bash", command="echo begun; until [ -e go ]; do sleep 0.01; done; echo done")
    )
    await until(lambda: bench.reports == ["begun\n"])
    (bench.workdir / "go").touch()
    assert await task == "begun\ndone"
    assert "".join(bench.reports) == "begun\ndone\n"


async def test_legacy_encodings_and_escapes_are_read(bench: Bench) -> None:
    command = r"printf '\xd6\xd0\xce\xc4\n中文 \e[31mred\e[0m\n 10%%\r 99%%\r100%%\n\e]0;title\a.'"
    assert await bench.text("bash", command=command) == "中文\n中文 red\n100%\n."


async def test_long_output_goes_to_a_file(bench: Bench) -> None:
    text = await bench.text("bash", command="seq 1 20000")
    whole = "".join(f"{n}\n" for n in range(1, 20001))
    (file,) = (bench.workdir / ".task_outputs" / "tool-results").glob("bash-*.txt")
    assert file.read_text() == whole
    assert (bench.workdir / ".task_outputs" / ".gitignore").read_text() == "*\n"
    left_out = f"[… {len(whole) - 2000} characters left out; all {len(whole)} characters are in {file}]"
    assert text == f"{whole[:1000]}\n{left_out}\n{whole[-1000:]}".rstrip("\n")


async def test_output_within_the_limit_makes_no_file(bench: Bench) -> None:
    assert len(await bench.text("bash", command="head -c 30000 /dev/zero | tr '\\0' x")) == 30_000
    assert not (bench.workdir / ".task_outputs").exists()


async def test_endless_output_stays_within_bounds(bench: Bench) -> None:
    output = await bench.call("bash", command="yes 中文", timeout=1)
    assert "[timed out after 1 s; it and everything it had started were stopped]" in output.text
    assert len(output.text) < 25_000
    (file,) = (bench.workdir / ".task_outputs" / "tool-results").glob("bash-*.txt")
    assert file.stat().st_size <= 3 * 64 * 1024 * 1024


async def test_a_background_child_does_not_hold_up_the_answer(bench: Bench) -> None:
    nap = unique_sleep()
    began = time.monotonic()
    text = await bench.text("bash", command=f"sleep {nap} & echo started")
    assert text == "started\n[a process it started runs on in the background, unseen, until the session ends]"
    assert time.monotonic() - began < 2.0
    assert len(running(nap)) == 1
    await bench.context.close()
    assert running(nap) == []


async def test_a_server_left_behind_can_go_on_printing(bench: Bench) -> None:
    command = "(until [ -e go ]; do sleep 0.01; done; echo x; seq 1 50000; echo y > done) & true"
    await bench.text("bash", command=command)
    (bench.workdir / "go").touch()
    await until((bench.workdir / "done").exists)


DAEMON = """import os
os.fork() and os._exit(0)
os.setsid()
os.closerange(0, 1000)
os.execlp('sleep', 'sleep', '{nap}')"""
# Each with the number of its processes that sleep.
STUBBORN = {
    "a child": ("sleep {nap}", 1),
    "one that ignores SIGTERM": ("trap '' TERM; sleep {nap}; sleep {nap}", 1),
    "a grandchild in the background": ("(sleep {nap} & wait) & wait", 1),
    "one in a session of its own": ("setsid sleep {nap} & setsid sleep {nap}; wait", 2),
    "an orphan in a session of its own": ("setsid -f sleep {nap}; sleep {nap}", 2),
    "an orphan without environment": ("setsid -f env -i sleep {nap} >/dev/null 2>&1; sleep {nap}", 2),
    "an orphan without open files": (f'python3 -c "{DAEMON}"; sleep {{nap}}', 2),
    "a stopped one": ("sleep {nap} & until grep -q sleep /proc/$!/comm; do :; done; kill -STOP $!; sleep {nap}", 2),
    "an orphan that ignores SIGTERM": (
        "setsid -f bash -c \"trap '' TERM; sleep {nap}; sleep {nap}\"; sleep {nap}",
        2,
    ),
}


@pytest.mark.alone
@pytest.mark.parametrize(("command", "sleeping"), STUBBORN.values(), ids=STUBBORN.keys())
async def test_a_cancel_leaves_no_process_and_takes_no_time(bench: Bench, command: str, sleeping: int) -> None:
    nap = unique_sleep()
    task = asyncio.create_task(bench.call("bash", command=command.format(nap=nap)))
    await until(lambda: len(running(nap)) >= sleeping)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    took = time.monotonic() - began
    assert running(nap) == []
    assert took < 0.3


@pytest.mark.alone
@pytest.mark.parametrize("kind", ["one that ignores SIGTERM", "an orphan without environment"])
async def test_a_timeout_leaves_no_process(bench: Bench, kind: str) -> None:
    nap = unique_sleep()
    command = STUBBORN[kind][0].format(nap=nap)
    output = await bench.call("bash", command=f"echo so far; {command}", timeout=1)
    assert output.text.startswith("so far\n")
    assert output.text.endswith("\n[timed out after 1 s; it and everything it had started were stopped]")
    assert output.is_error
    assert running(nap) == []


async def test_a_second_cancel_does_not_stop_the_clean_up(bench: Bench) -> None:
    nap = unique_sleep()
    task = asyncio.create_task(bench.call("bash", command=f"trap '' TERM; sleep {nap}; sleep {nap}"))
    await until(lambda: running(nap))
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert running(nap) == []


async def test_closing_the_event_loop_ends_the_command(tmp_path: Path) -> None:
    nap = unique_sleep()
    command = f"setsid -f sleep {nap}; touch up; sleep {nap}"
    script = (
        "import asyncio, sys\nfrom pathlib import Path\n"
        "from helloclaw.tools.registry import default_tools, open_context\n"
        "async def main():\n"
        "    context = open_context('s', Path(sys.argv[1]))\n"
        "    bash = next(tool for tool in default_tools() if tool.name == 'bash')\n"
        f"    task = asyncio.create_task(bash.run(bash.parse({{'command': '{command}'}}), context))\n"
        "    while not Path(sys.argv[1], 'up').exists(): await asyncio.sleep(0.01)\n"
        "asyncio.run(main())\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", script, str(tmp_path))
    assert await process.wait() == 0
    assert running(nap) == []


async def test_one_session_does_not_end_anothers_processes(bench: Bench, tmp_path: Path) -> None:
    mine, other = unique_sleep(), unique_sleep()
    context = open_context("other", tmp_path)
    second = Bench(context)
    for owner, nap in ((bench, mine), (second, other)):
        await owner.text("bash", command=f"setsid -f sleep {nap} >/dev/null 2>&1")
    await bench.context.close()
    assert (running(mine), len(running(other))) == ([], 1)
    await context.close()
    assert running(other) == []


async def test_a_stop_spares_the_sessions_other_commands(bench: Bench) -> None:
    naps = [unique_sleep() for _ in range(11)]
    for nap in naps[:10]:
        await bench.text("bash", command=f"sleep {nap} >/dev/null 2>&1 &")
    await bench.call("bash", command=f"sleep {naps[10]}", timeout=1)
    assert [len(running(nap)) for nap in naps] == [1] * 10 + [0]


async def test_what_cannot_be_started_is_explained(bench: Bench) -> None:
    assert "holds a NUL" in await bench.error("bash", command="echo a\0b")
    assert "Argument list too long; write long text to a file" in await bench.error("bash", command="x" * 200_000)


async def test_no_file_of_ours_stays_open(bench: Bench) -> None:
    await bench.text("bash", command="true")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        await bench.text("bash", command="echo hi")
        task = asyncio.create_task(bench.call("bash", command="echo hi; sleep 9"))
        await until(lambda: bench.reports[-1:] == ["hi\n"])
        task.cancel()
        await asyncio.wait([task])
        bench.reports.clear()
    assert len(os.listdir("/proc/self/fd")) == before


async def test_a_stopped_shell_does_not_go_on_with_its_next_command(bench: Bench) -> None:
    for attempt in range(10):
        nap = unique_sleep()
        task = asyncio.create_task(bench.call("bash", command=f"sleep {nap}; touch went-on-{attempt}"))
        await until(lambda nap=nap: running(nap))
        task.cancel()
        await asyncio.wait([task])
    assert list(bench.workdir.glob("went-on-*")) == []
