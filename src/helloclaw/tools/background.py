"""`background_run` and `check_background`: commands that outlast a turn. Their end is told exactly once."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from helloclaw.tools.base import Facts, Tool, ToolError, ToolOutput
from helloclaw.tools.command import CommandLine, Ending, run_command
from helloclaw.tools.command_output import CommandOutput, describe
from helloclaw.tools.context import Approval, ToolContext
from helloclaw.tools.persisted import OutputStore
from helloclaw.tools.shell import ShellState

MAX_RUNNING = 8
DEFAULT_TIMEOUT_S = 3600
MAX_TIMEOUT_S = 24 * 3600
FOLDER = "background"
_RESULT_CHARS = 2000
# Ended commands are remembered for `check_background`, the oldest forgotten first.
_REMEMBERED = 50


class BackgroundRun(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    command: str
    timeout: Annotated[float, Meta(ge=1, le=MAX_TIMEOUT_S, description="seconds")] = DEFAULT_TIMEOUT_S


class CheckBackground(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    task_id: str | UnsetType = UNSET


class BackgroundTask:
    """One command in the background. `ended` is how, once it has; `failure` why it could not run."""

    def __init__(self, task_id: str, command: str, workdir: Path) -> None:
        self.task_id = task_id
        self.command = command
        self.store = OutputStore(workdir, task_id, limit=0, folder=FOLDER)
        self.store.spill()
        self.started = time.monotonic()
        self.ended: Ending | None = None
        self.failure = ""
        self.stopped = False
        self.shown = False

    @property
    def running(self) -> bool:
        return self.ended is None and not self.failure and not self.stopped

    @property
    def state(self) -> str:
        """What it is doing or how it ended, in a few words."""
        if self.stopped:
            return "stopped"
        if self.failure:
            return f"failed: {self.failure}"
        if self.ended is None:
            return f"running for {time.monotonic() - self.started:.0f} s"
        return f"{describe(self.ended) or 'done, exit code 0'} after {self.ended.seconds:.1f} s"


class BackgroundCommands:
    """The session's commands in the background. `on_finished` is called when one has ended, to wake an idle session."""

    def __init__(
        self,
        *,
        workdir: Path,
        shell: ShellState,
        max_running: int = MAX_RUNNING,
        on_finished: Callable[[], None] = lambda: None,
    ) -> None:
        self.on_finished = on_finished
        self._workdir = workdir
        self._shell = shell
        self._max_running = max_running
        self._known: dict[str, BackgroundTask] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._finished: list[BackgroundTask] = []
        self._closed = False

    @property
    def tasks(self) -> tuple[BackgroundTask, ...]:
        """All that are running or remembered, in the order they were started."""
        return tuple(self._known.values())

    async def start(
        self, command: str, *, timeout_s: float = DEFAULT_TIMEOUT_S, approval: Approval | None = None
    ) -> BackgroundTask:
        """Start `command` in the shell's current directory, confined if that was a condition of its `approval`.

        Raises `ToolError` when too many are running.
        """
        if len(self._running) >= self._max_running:
            raise ToolError(
                f"{len(self._running)} commands are running in the background, the most allowed; wait for one to end "
                f"({', '.join(self._running)})"
            )
        self._shell.leave_lost_directory()
        task = BackgroundTask(f"bg_{secrets.token_hex(3)}", command, self._workdir)
        line = await self._shell.line(command, approval)
        self._known[task.task_id] = task
        self._forget_old()
        runner = asyncio.create_task(self._run(task, line, timeout_s), name=task.task_id)
        self._running[task.task_id] = runner
        runner.add_done_callback(lambda _: self._settle(task))
        return task

    def find(self, task_id: str) -> BackgroundTask:
        """Raises `ToolError` for an id that names none."""
        if task := self._known.get(task_id):
            return task
        known = ", ".join(self._known) or "none was started"
        raise ToolError(f"no background command {task_id!r}; known: {known}")

    async def stop(self, task_id: str) -> bool:
        """End a command and all it started. False if it had ended already. Raises `ToolError` for an unknown id."""
        self.find(task_id)
        runner = self._running.get(task_id)
        if runner is None:
            return False
        runner.cancel()
        await asyncio.wait([runner])
        return True

    def take_finished(self) -> list[str]:
        """The ends not told yet, one text each, to be put inside `<background-results>`. Each is given out once."""
        finished, self._finished = self._finished, []
        return [_result(task) for task in finished]

    async def close(self) -> None:
        """End all that are running. Nothing is told of them any more."""
        self._closed = True
        runners = list(self._running.values())
        for runner in runners:
            runner.cancel()
        if runners:
            await asyncio.wait(runners)
        self._finished.clear()

    async def _run(self, task: BackgroundTask, line: CommandLine, timeout_s: float) -> None:
        output = CommandOutput(task.store, lambda _: None)
        try:
            task.ended = await run_command(line, timeout_s=timeout_s, receive=output.receive)
            self._shell.adopt(task.ended)
            self._shell.learn(line, task.ended, task.store.tail())
        except ToolError as error:
            task.failure = str(error)
        finally:
            output.close()

    def _settle(self, task: BackgroundTask) -> None:
        """Runs once for every command, also for one that was cancelled before it began."""
        del self._running[task.task_id]
        task.stopped = task.running
        if not self._closed:
            self._finished.append(task)
            self.on_finished()

    def _forget_old(self) -> None:
        ended = [task_id for task_id, task in self._known.items() if not task.running]
        for task_id in ended[: max(0, len(self._known) - _REMEMBERED)]:
            del self._known[task_id]


def _result(task: BackgroundTask) -> str:
    """Output is untrusted: it must not be able to close the element that says what it is."""
    body = "(its output was shown by check_background)" if task.shown else _tail(task) or "(no output)"
    return f"[{task.task_id}] {_headline(task)}\n{body}".replace("</background-results", "<\\/background-results")


def _headline(task: BackgroundTask) -> str:
    command = " ".join(task.command.split())
    return f"{command if len(command) <= 100 else command[:100] + '…'}: {task.state}"


def _tail(task: BackgroundTask) -> str:
    """The end of the output, and where all of it is if that is more."""
    tail = task.store.tail(_RESULT_CHARS).strip("\n")
    if task.store.total <= _RESULT_CHARS:
        return tail
    return f"[… {task.store.where()}]\n{tail}"


async def run(call: BackgroundRun, context: ToolContext) -> ToolOutput:
    context.shell.leave_lost_directory()
    context.approved_cwd()
    task = await context.background.start(call.command, timeout_s=call.timeout, approval=context.approval)
    where = f"its output goes to {context.workdir / task.store.place}" if task.store.in_file else task.store.where()
    confined = context.approval is not None and context.approval.confined
    limits = " It runs in a sandbox, where nobody outside can reach it and it can reach nobody." if confined else ""
    return ToolOutput(text=f"Started {task.task_id}; {where}. You are told when it ends.{limits}")


async def check(call: CheckBackground, context: ToolContext) -> ToolOutput:
    if call.task_id is UNSET:
        lines = [f"[{task.task_id}] {_headline(task)}" for task in context.background.tasks]
        return ToolOutput(text="\n".join(lines) or "No command was started in the background.")
    task = context.background.find(call.task_id)
    task.shown = task.shown or not task.running
    return ToolOutput(text=f"[{task.task_id}] {_headline(task)}\n{_tail(task) or '(no output yet)'}")


def _facts(call: BackgroundRun) -> Facts:
    return Facts(command=call.command)


background_run = Tool("background_run", BackgroundRun, run, facts=_facts)
check_background = Tool("check_background", CheckBackground, check, read_only=True)
