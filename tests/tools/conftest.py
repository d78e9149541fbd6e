"""A session's tools in a fresh directory, and a look at the machine's processes."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from helloclaw.tools.base import ToolError, ToolOutput
from helloclaw.tools.context import Approval, ToolContext
from helloclaw.tools.registry import Toolbox, default_tools, open_context


class Bench:
    """Calls tools as dispatch does. `reports` is the progress they showed."""

    def __init__(self, context: ToolContext) -> None:
        self.context = context
        self.toolbox = Toolbox(default_tools())
        self.reports: list[str] = []

    @property
    def workdir(self) -> Path:
        return self.context.workdir

    async def call(self, name: str, /, approval: Approval | None = None, **arguments: Any) -> ToolOutput:
        tool = self.toolbox.find(name)
        assert tool is not None
        context = self.context.for_call(report=self.reports.append, approval=approval)
        return await tool.run(tool.parse(arguments), context)

    async def text(self, name: str, /, **arguments: Any) -> str:
        output = await self.call(name, **arguments)
        assert not output.is_error, output.text
        return output.text

    async def error(self, name: str, /, **arguments: Any) -> str:
        with pytest.raises(ToolError) as caught:
            await self.call(name, **arguments)
        return str(caught.value)

    async def preview(self, name: str, /, **arguments: Any) -> str | None:
        tool = self.toolbox.find(name)
        assert tool is not None
        assert tool.preview is not None
        return await tool.preview(tool.parse(arguments), self.context)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    workdir = tmp_path / "工作"
    workdir.mkdir()
    context = open_context("session", workdir)
    yield Bench(context)
    await context.close()


def running(argument: str) -> list[int]:
    """The processes, zombies left out, that have `argument` on their command line."""
    found: list[int] = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            arguments = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
            state = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()[0]
        except OSError:
            continue
        if argument.encode() in arguments and state != b"Z":
            found.append(int(name))
    return found


async def until(happened: Callable[[], object], within_s: float = 10.0) -> None:
    """Wait for something another process does."""
    deadline = time.monotonic() + within_s
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        await asyncio.sleep(0.005)
