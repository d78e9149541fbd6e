"""Run one shell text to its end: exactly the text, its own session, output as it comes, nothing left when stopped.

What it runs in and who sees the output is the caller's; deciding whether it may run happened before.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import re
import shutil
import time
from collections.abc import Callable, Generator, Mapping
from pathlib import Path

from msgspec import Struct, structs

from helloclaw.sandbox.launch import CannotConfine, Launch, Sandbox
from helloclaw.tools.base import ToolError
from helloclaw.tools.process_tree import MARK_VARIABLE, ProcessTree, end_tree, mark_file

# Out of the way of the numbers that scripts use for their own files (3 to 9, 200) and of bash's (10, 63, 255).
_LOWEST_MARK_FD = 231
# How long to wait for output of what outlives the main process, such as `tee` in `make > >(tee log)`.
_GRACE_S = 0.1
_REAP_S = 0.2
_READ_BYTES = 64 * 1024
_PRELUDE = Path(__file__).with_name("prelude.sh")


class CommandLine(Struct, frozen=True, kw_only=True):
    """A text for bash and where it runs. `mark` tells its processes from all others, see `ProcessTree`.

    In a `sandbox` it is confined, and nothing of it outlives its main process.
    """

    text: str
    cwd: Path
    environ: Mapping[str, str]
    mark: str
    sandbox: Sandbox | None = None


class Ending(Struct, frozen=True, kw_only=True):
    """How a command ended. `exit_code` is negative for a signal, None when it was stopped after its time was up.

    `cwd` is the shell's last directory, None where it could not be learnt. `rest` is the pipe that processes left in
    the background still hold; whoever gets it must keep it and close it. `root` was the first process.
    """

    exit_code: int | None
    seconds: float
    root: int
    cwd: Path | None
    rest: OutputPipe | None = None


class OutputPipe:
    """The reading end of a command's output, emptied by the event loop."""

    def __init__(self, receive: Callable[[bytes], None]) -> None:
        self._receive = receive
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._reader, self._pull)
        self.ended = asyncio.Event()

    def _pull(self) -> bool:
        try:
            data = os.read(self._reader, _READ_BYTES)
        except BlockingIOError:
            return False
        if data:
            self._receive(data)
        else:
            self.close()
        return bool(data)

    def drain(self) -> None:
        """Take what is in the pipe now. Not more, since a process in the background may write without end."""
        for _ in range(1024 * 1024 // _READ_BYTES):
            if self.ended.is_set() or not self._pull():
                return

    def discard(self) -> None:
        """Go on emptying the pipe, for no one: a server that logs must not die of a closed pipe."""
        self._receive = _ignore

    def close_writer(self) -> None:
        if self.writer >= 0:
            os.close(self.writer)
            self.writer = -1

    def close(self) -> None:
        self.close_writer()
        if not self.ended.is_set():
            self.ended.set()
            self._loop.remove_reader(self._reader)
            os.close(self._reader)


def _ignore(_: bytes) -> None:
    pass


async def run_command(line: CommandLine, *, timeout_s: float | None, receive: Callable[[bytes], None]) -> Ending:
    """Run `line`, handing its output to `receive`. When it is over, or cancelled, or `timeout_s` has passed, return.

    After a timeout or a cancel none of its processes is left. Raises `ToolError` when it can't be started.
    """
    if os.name == "nt":
        raise ToolError("commands need bash, which this system does not have; run HelloClaw in WSL to use them")
    arguments = (_find_bash(line.environ), "--noprofile", "--norc", "-c", line.text)
    if line.sandbox is None:
        return await _run(line, Launch(arguments=arguments), timeout_s, receive)
    try:
        async with line.sandbox.confined(arguments, line.cwd) as launch:
            return await _run(line, launch, timeout_s, receive)
    except (CannotConfine, OSError) as error:
        raise ToolError(f"the command was not run, since it can't be confined: {error}") from error


async def _run(line: CommandLine, launch: Launch, timeout_s: float | None, receive: Callable[[bytes], None]) -> Ending:
    started = time.monotonic()
    tree = ProcessTree(root=None, mark=line.mark)
    process: asyncio.subprocess.Process | None = None
    with marked(line.mark) as mark:
        pipe = OutputPipe(receive)
        try:
            process = await _start(line, launch, pipe.writer, mark)
            launch.started()
            pipe.close_writer()
            exit_code = await _wait(process, timeout_s)
            if exit_code is None:
                await _stop(process, tree)
            rest = await _finish(pipe)
        except BaseException:
            try:
                await _stop(process, tree)
            finally:
                pipe.close()
            raise
        return Ending(
            exit_code=exit_code,
            seconds=time.monotonic() - started,
            root=process.pid,
            cwd=_noted_directory(mark),
            rest=rest,
        )


async def _start(line: CommandLine, launch: Launch, output: int, mark: int) -> asyncio.subprocess.Process:
    environ = {
        **line.environ,
        MARK_VARIABLE: line.mark,
        "BASH_ENV": re.sub(r'([$`"\\])', r"\\\1", str(_PRELUDE)),
        "HELLOCLAW_CWD_FD": str(mark),
        **launch.environ,
    }
    try:
        return await asyncio.create_subprocess_exec(
            *launch.arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=line.cwd,
            env=environ,
            pass_fds=(mark, *launch.inherited),
            start_new_session=True,
        )
    except OSError as error:
        too_long = error.errno == errno.E2BIG
        advice = "write long text to a file first" if too_long else "check the directory and the system's limits"
        raise ToolError(f"cannot start bash in {line.cwd}: {error.strerror}; {advice}") from error
    except ValueError:  # UnicodeEncodeError is one too
        raise ToolError("the command holds a NUL or an invalid character; give it again without") from None


async def _wait(process: asyncio.subprocess.Process, timeout_s: float | None) -> int | None:
    try:
        async with asyncio.timeout(timeout_s):
            return await process.wait()
    except TimeoutError:
        return None


async def _stop(process: asyncio.subprocess.Process | None, tree: ProcessTree) -> None:
    """End all that the command started, which a cancel may have hit while its first process was being made."""
    await end_tree(structs.replace(tree, root=process.pid if process else None))
    if process is None:
        return
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_REAP_S):
            await process.wait()


async def _finish(pipe: OutputPipe) -> OutputPipe | None:
    """Take the output's end; the pipe itself if something still holds it."""
    pipe.drain()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_GRACE_S):
            await pipe.ended.wait()
    if pipe.ended.is_set():
        return None
    pipe.drain()
    pipe.discard()
    return pipe


@contextlib.contextmanager
def marked(mark: str) -> Generator[int]:
    """The open file that marks a command's processes, at a number that is in no script's way."""
    import fcntl  # not on Windows, where this module must still import

    low = mark_file(mark)
    high = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, _LOWEST_MARK_FD)
    os.close(low)
    try:
        yield high
    finally:
        os.close(high)


def _noted_directory(mark: int) -> Path | None:
    """Where the shell was when it exited, if that is a directory."""
    noted = Path(os.fsdecode(os.pread(mark, 8192, 0).removesuffix(b"\n")))
    return noted if noted.is_absolute() and noted.is_dir() else None


def _find_bash(environ: Mapping[str, str]) -> str:
    found = shutil.which("bash", path=environ.get("PATH"))
    if found is None:
        raise ToolError("bash is not installed or not on PATH; install it to run commands")
    return found
