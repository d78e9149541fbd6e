"""Run one hook's command to its end: its own session, a hard limit, output within bounds, what it hears on stdin.

What the end means is for `answer`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Generator, Mapping
from pathlib import Path

from msgspec import Struct, structs

from helloclaw.tools.base import ToolError
from helloclaw.tools.command import OutputPipe, marked
from helloclaw.tools.process_tree import MARK_VARIABLE, ProcessTree, end_tree

KEPT_BYTES = 1024 * 1024
"""How much of each output is kept; the rest is read and dropped, so that no hook waits for us."""

_GRACE_S = 0.1
_REAP_S = 0.2
# The command is a child of a shell in a session of their own, so that a script that ends its parent, or its parent's
# group, ends that shell and not the program.
_OUTER = '"$@"; exit $?'


class Run(Struct, frozen=True, kw_only=True):
    """How it went. `exit_code` is None when the time was up, negative for a signal; `failure` is why it never started.

    `cut`: stdout was longer than what is kept of it. `seconds` is wall-clock time, `limit_s` the most it could be.
    `held` are outputs that processes left in the background still hold; whoever gets them keeps and closes them.
    """

    exit_code: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    cut: bool = False
    seconds: float = 0.0
    limit_s: float = 0.0
    failure: str = ""
    held: tuple[OutputPipe, ...] = ()


class HookLine(Struct, frozen=True, kw_only=True):
    """What to run and where. `heard` is what it can read on stdin; `mark` tells its processes from all others."""

    command: str
    cwd: Path
    environ: Mapping[str, str]
    heard: bytes
    mark: str


async def run_hook(line: HookLine, limit_s: float) -> Run:
    """Run it. After the limit or a cancel, none of its processes is left. Raises only `CancelledError`."""
    started = time.monotonic()
    tree = ProcessTree(root=None, mark=line.mark)
    kept, errors = _Kept(), _Kept()
    process: asyncio.subprocess.Process | None = None
    pipes: list[OutputPipe] = []
    try:
        with marked(line.mark) as mark, _readable(line.heard) as heard:
            pipes.append(OutputPipe(kept.receive))
            pipes.append(OutputPipe(errors.receive))
            process = await _start(line, heard, pipes, mark)
        exit_code = await _wait(process, limit_s)
        if exit_code is None:
            await _stop(process, tree)
        held = await _finish(pipes)
    except (ToolError, OSError, ValueError) as error:  # an invalid character in the command is a ValueError
        for pipe in pipes:
            pipe.close()
        return Run(failure=_why(error), seconds=time.monotonic() - started)
    except BaseException:
        try:
            await _stop(process, tree)
        finally:
            for pipe in pipes:
                pipe.close()
        raise
    return Run(
        exit_code=exit_code,
        stdout=bytes(kept.data),
        stderr=bytes(errors.data),
        cut=kept.cut,
        limit_s=limit_s,
        seconds=time.monotonic() - started,
        held=held,
    )


class _Kept:
    def __init__(self) -> None:
        self.data = bytearray()
        self.cut = False

    def receive(self, data: bytes) -> None:
        room = KEPT_BYTES - len(self.data)
        self.data += data[:room]
        self.cut = self.cut or len(data) > room


async def _start(line: HookLine, heard: int, pipes: list[OutputPipe], mark: int) -> asyncio.subprocess.Process:
    bash = shutil.which("bash", path=line.environ.get("PATH"))
    if bash is None:
        raise ToolError("bash is not installed or not on PATH")
    plain = (bash, "--noprofile", "--norc", "-c")
    process = await asyncio.create_subprocess_exec(
        *(*plain, _OUTER, "hook", *plain, line.command),
        stdin=heard,
        stdout=pipes[0].writer,
        stderr=pipes[1].writer,
        cwd=line.cwd,
        env={**line.environ, MARK_VARIABLE: line.mark},
        pass_fds=(mark,),
        start_new_session=True,
    )
    for pipe in pipes:
        pipe.close_writer()
    return process


async def _wait(process: asyncio.subprocess.Process, limit_s: float) -> int | None:
    try:
        async with asyncio.timeout(limit_s):
            return await process.wait()
    except TimeoutError:
        return None


async def _stop(process: asyncio.subprocess.Process | None, tree: ProcessTree) -> None:
    await end_tree(structs.replace(tree, root=process.pid if process else None))
    if process is not None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_REAP_S):
                await process.wait()


async def _finish(pipes: list[OutputPipe]) -> tuple[OutputPipe, ...]:
    """Take the ends of both outputs; those that something still holds are emptied for no one from here on."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_GRACE_S):
            for pipe in pipes:
                pipe.drain()
                await pipe.ended.wait()
    held = tuple(pipe for pipe in pipes if not pipe.ended.is_set())
    for pipe in held:
        pipe.drain()
        pipe.discard()
    return held


@contextlib.contextmanager
def _readable(data: bytes) -> Generator[int]:
    """A file with `data` to read: unlike a pipe, nobody has to stand by until a hook has read it, or has not."""
    made = os.memfd_create("hook") if hasattr(os, "memfd_create") else None
    with open(made, "w+b") if made is not None else tempfile.TemporaryFile() as stream:
        stream.write(data)
        stream.seek(0)
        yield stream.fileno()


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error) if isinstance(error, ToolError) else "the command holds an invalid character"
