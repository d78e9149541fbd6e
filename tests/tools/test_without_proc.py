"""Systems without `/proc`, such as macOS: files are read and written, and a command ends with its process group."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.conftest import running
from tests.tools.test_shell import unique_sleep

SCRIPT = """
import asyncio, os, sys
from pathlib import Path
from helloclaw.tools.registry import Toolbox, default_tools, open_context

async def main():
    directory, nap = Path(sys.argv[1]), sys.argv[2]
    context = open_context("s", directory)
    toolbox = Toolbox(default_tools())

    async def call(name, **arguments):
        tool = toolbox.find(name)
        return (await tool.run(tool.parse(arguments), context)).text

    print(os.path.exists("/proc/self"), await call("write_file", path="f", content="a\\n"))
    print(await call("read_file", path="f"))
    print(await call("bash", command="cd /; exit 3"))
    print(await call("bash", command=f"sleep {nap} & echo left"))
    task = asyncio.create_task(call("bash", command=f"trap '' TERM; touch {directory}/up; sleep {nap}; sleep {nap}"))
    while not (directory / "up").exists():
        await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait([task])
    await context.close()

asyncio.run(main())
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="taking /proc away needs a mount namespace, which needs root")
def test_files_and_commands_work_without_proc(tmp_path: Path) -> None:
    nap = unique_sleep()
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    line = f"umount -l /proc && exec {sys.executable} {script} {tmp_path} {nap}"
    done = subprocess.run(["unshare", "--mount", "bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "False Created f (1 line)",
        "1\ta",
        "[exit code 3; current directory: /]",
        "left",
        "[a process it started runs on in the background, unseen, until the session ends]",
    ]
    assert running(nap) == []
