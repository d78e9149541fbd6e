"""One command: its limit, its tree, its output, and that it takes nobody with it."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from uuid import uuid4

import pytest

from helloclaw.hooks.run import KEPT_BYTES, HookLine, Run, run_hook
from helloclaw.tools.process_tree import ProcessTree, end_tree
from tests.tools.conftest import running, until


def line(command: str, cwd: Path, *, heard: bytes = b"", **environ: str) -> HookLine:
    return HookLine(
        command=command, cwd=cwd, environ={"PATH": os.environ["PATH"], **environ}, heard=heard, mark=f"{uuid4().hex}.1."
    )


async def ran(command: str, cwd: Path, limit_s: float = 30, **more: str) -> Run:
    return await run_hook(line(command, cwd, **more), limit_s)


def a_time() -> str:
    """A duration that no other process on the machine sleeps for."""
    return f"100.{uuid4().int % 10**12}"


async def test_both_outputs_apart_the_code_and_stdin(tmp_path: Path) -> None:
    run = await run_hook(line("cat; pwd; echo bad >&2; exit 2", tmp_path, heard=b"said\n"), 30)
    assert (run.exit_code, run.stdout, run.stderr, run.failure, run.held) == (
        2,
        b"said\n%s\n" % os.fsencode(tmp_path),
        b"bad\n",
        "",
        (),
    )


async def test_stdin_may_be_left_unread_however_long_it_is(tmp_path: Path) -> None:
    run = await run_hook(line("exit 1", tmp_path, heard=b"x" * 8_000_000), 30)
    assert run.exit_code == 1


async def test_output_without_end_is_drained_and_bounded(tmp_path: Path) -> None:
    run = await ran("head -c 20000000 /dev/zero; head -c 3000000 /dev/zero >&2", tmp_path)
    assert (run.exit_code, len(run.stdout), len(run.stderr), run.cut) == (0, KEPT_BYTES, KEPT_BYTES, True)


async def test_after_the_limit_the_whole_tree_is_gone(tmp_path: Path) -> None:
    sleep = a_time()
    began = time.monotonic()
    run = await ran(
        f"setsid sleep {sleep} & trap '' TERM; (sleep {sleep} & sleep {sleep}); sleep {sleep}", tmp_path, 0.3
    )
    assert (run.exit_code, run.failure) == (None, "")
    assert 0.3 <= run.seconds <= time.monotonic() - began < 10
    assert running(sleep) == []


async def test_a_cancel_ends_the_whole_tree(tmp_path: Path) -> None:
    sleep = a_time()
    task = asyncio.create_task(ran(f"setsid sleep {sleep} & sleep {sleep}", tmp_path))
    await until(lambda: len(running(sleep)) == 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert running(sleep) == []


@pytest.mark.parametrize(
    "command",
    [
        "kill -KILL $PPID",
        "kill -KILL 0",
        "kill -KILL -- -$PPID",
        "bash -c 'kill -KILL $PPID'",
        'kill -KILL -- "-$(ps -o pgid= -p $$ | tr -d " ")"',
    ],
)
async def test_a_hook_that_ends_its_parent_or_group_does_not_end_us(command: str, tmp_path: Path) -> None:
    run = await ran(command, tmp_path)
    assert run.exit_code not in (0, 1, 2)


async def test_a_script_that_ends_its_parent_does_not_end_us(tmp_path: Path) -> None:
    script = tmp_path / "hook.sh"
    script.write_text("#!/bin/sh\nkill -KILL $PPID; exit 0\n")
    script.chmod(0o755)
    assert (await ran("./hook.sh", tmp_path)).exit_code == -9


@pytest.mark.parametrize(("command", "code"), [("no-such-program", 127), ("/", 126), ("kill -SEGV $$", 139)])
async def test_a_crash_has_a_code_of_its_own(command: str, code: int, tmp_path: Path) -> None:
    assert (await ran(command, tmp_path)).exit_code == code


async def test_what_cannot_start_says_why(tmp_path: Path) -> None:
    assert (await ran("true", tmp_path / "gone")).failure == "No such file or directory"
    assert (await ran("x" * 3_000_000, tmp_path)).failure == "Argument list too long"
    assert (await ran("true", tmp_path, PATH="")).failure == "bash is not installed or not on PATH"
    assert (await ran("a\0b", tmp_path)).failure == "the command holds an invalid character"


async def test_what_is_left_in_the_background_does_not_hold_us_up(tmp_path: Path) -> None:
    sleep = a_time()
    job = line(f"echo done; sleep {sleep} &", tmp_path)
    began = time.monotonic()
    run = await run_hook(job, 30)
    assert (run.exit_code, run.stdout, len(run.held)) == (0, b"done\n", 2)
    assert time.monotonic() - began < 5
    await end_tree(ProcessTree(root=None, mark=job.mark))
    for pipe in run.held:
        pipe.close()
    assert running(sleep) == []


async def test_no_file_stays_open(tmp_path: Path) -> None:
    await ran("true", tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        await ran("cat", tmp_path)
        await ran("cat", tmp_path / "gone")
    assert len(os.listdir("/proc/self/fd")) == before


async def test_what_a_hook_inherits(tmp_path: Path) -> None:
    run = await ran(
        'env -0 | tr "\\0" "\\n" | grep -v "^\\(_\\|PWD\\|SHLVL\\|HELLOCLAW_COMMAND\\)=" | sort', tmp_path, A="b"
    )
    assert run.stdout.decode().splitlines() == ["A=b", f"PATH={os.environ['PATH']}"]
