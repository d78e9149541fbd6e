"""Run the calls of one step: admit in order, bucket, run, settle in order.

Parallel-safe calls next to each other run together; any other call runs alone, after everything before it and before
everything after it, so that a read that follows a write sees it. A result is journalled as soon as all before it are.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec

from helloclaw.agent.admission import Admission, Admitted, Gate, Refused, Wrong
from helloclaw.agent.backups import digest
from helloclaw.agent.config import TurnConfig
from helloclaw.agent.engine import Engine
from helloclaw.agent.hooks import ToolHooks
from helloclaw.llm.messages import AnyCall, ToolCall
from helloclaw.protocol import events as out
from helloclaw.tools.base import FileContent, ToolError, ToolOutput
from helloclaw.tools.context import ToolContext
from helloclaw.tools.persisted import persist_if_long

PREVIEW_CHARACTERS = 400
NOT_STARTED = "Cancelled by user before tool execution."
INTERRUPTED = "Interrupted by user while running; it may have done part of its work."


class Dispatch:
    """Runs the calls of one assistant message. Each call has one result when `run` is left, also by cancellation."""

    def __init__(self, engine: Engine, config: TurnConfig, gate: Gate, hooks: ToolHooks, context: ToolContext) -> None:
        self._engine = engine
        self._config = config
        self._gate = gate
        self._hooks = hooks
        self._context = context
        self._slots = asyncio.Semaphore(config.parallel_calls)

    async def run(self, calls: Sequence[AnyCall]) -> None:
        """Raises `CancelledError` after every call has its result, `JournalError` when one can't be kept."""
        settling = _Settling(self._engine, calls)
        try:
            for call in calls:
                self._engine.emit(out.ToolUse(id=call.id, name=call.name, input=_input_of(call)))
            admissions: list[Admission] = []
            for call in calls:
                follows = any(isinstance(each, Admitted) for each in admissions)
                admissions.append(await self._gate.admit(call, follows=follows))
            await self._engine.sync()
            for bucket in _buckets(admissions):
                await self._run_bucket(bucket, settling)
        except asyncio.CancelledError:
            settling.cancel_rest()
            raise

    async def _run_bucket(self, bucket: Sequence[Admission], settling: _Settling) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for admission in bucket:
                    group.create_task(self._run_one(admission, settling))
        except ExceptionGroup as failures:
            # What a tool raises never gets here: this is the journal's failure, the same for every task.
            raise failures.exceptions[0] from failures

    async def _run_one(self, admission: Admission, settling: _Settling) -> None:
        match admission:
            case Refused(denial=denial):
                settling.settle(denial)
            case Wrong(call=call, output=output):
                settling.settle(_tool_end(call, output, 0.0))
            case Admitted():
                async with self._slots:
                    settling.started(admission.call)
                    began = time.perf_counter()
                    changed = settling.changed_by(admission.call)
                    output = await self._engine.step(
                        f"tool:{admission.call.id}", lambda: self._execute(admission, changed.append)
                    )
                    seconds = time.perf_counter() - began
                    changes = await asyncio.to_thread(_told, tuple(changed)) if changed else ()
                    settling.settle(_tool_end(admission.call, output, seconds, changes))

    def _keep_file(self, data: bytes) -> None:
        """From any thread. What can't be kept can't be undone, which is no reason to fail the call."""
        with contextlib.suppress(OSError):
            self._engine.keep_file(data)

    async def _execute(self, admitted: Admitted, changed: Callable[[FileContent], None]) -> ToolOutput:
        """The one place where a tool runs."""
        call, tool = admitted.call, admitted.tool

        def report(text: str) -> None:
            self._engine.emit(out.ToolProgress(id=call.id, name=call.name, text=text))

        try:
            context = self._context.for_call(
                report=report, approval=admitted.approval, keep=self._keep_file, changed=changed
            )
            output = await tool.run(admitted.parsed, context)
        except ToolError as error:
            output = ToolOutput(text=str(error), is_error=True)
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is None or task.cancelling():
                raise
            # Not a person's wish: something that the tool itself waited for was cancelled.
            output = ToolOutput(text=f"{tool.name} failed: it was cancelled from within", is_error=True)
        except Exception as error:  # A tool's bug must end as a result of this call, never as the end of the turn.
            output = ToolOutput(text=f"{tool.name} failed: {type(error).__name__}: {error}", is_error=True)
        said = [text for text in (admitted.hook_context, await self._hooks.after_tool(call, output)) if text]
        output = msgspec.structs.replace(output, text="\n".join((output.text or "(no output)", *said)))
        return await asyncio.to_thread(persist_if_long, output, tool.name, call.id, self._context.workdir)


class _Settling:
    """Emits results in the order of their calls, each as soon as those before it are there."""

    def __init__(self, engine: Engine, calls: Sequence[AnyCall]) -> None:
        self._engine = engine
        self._waiting = list(calls)
        self._ready: dict[str, out.ToolEnd | out.ToolDenied] = {}
        self._started: set[str] = set()
        self._changed: dict[str, list[FileContent]] = {}

    def changed_by(self, call: AnyCall) -> list[FileContent]:
        """What a call has done to files so far; what it does is put there."""
        return self._changed.setdefault(call.id, [])

    def started(self, call: AnyCall) -> None:
        self._started.add(call.id)
        self._engine.emit(out.ToolStart(id=call.id, name=call.name))
        self._engine.emit(out.Phase(state="tool", label=call.name))

    def settle(self, result: out.ToolEnd | out.ToolDenied) -> None:
        self._ready[result.id] = result
        while self._waiting and (ready := self._ready.pop(self._waiting[0].id, None)):
            self._waiting.pop(0)
            self._engine.emit(ready)

    def cancel_rest(self) -> None:
        for call in tuple(self._waiting):
            if call.id in self._ready:
                self.settle(self._ready[call.id])
            else:
                text = INTERRUPTED if call.id in self._started else NOT_STARTED
                changes = _told(self.changed_by(call))
                self.settle(_tool_end(call, ToolOutput(text=text, is_error=True), 0.0, changes))


def _buckets(admissions: Sequence[Admission]) -> Iterator[Sequence[Admission]]:
    """Neighbours that may run together, in order."""
    serial = iter(range(len(admissions)))
    for _, bucket in groupby(admissions, key=lambda each: -1 if _may_overlap(each) else next(serial)):
        yield tuple(bucket)


def _may_overlap(admission: Admission) -> bool:
    match admission:
        case Admitted(tool=tool, changed=changed):
            return tool.parallel_safe and not changed
        case Refused() | Wrong():
            return True


def _told(changed: Sequence[FileContent]) -> tuple[out.FileChange, ...]:
    return tuple(
        out.FileChange(
            path=str(each.path),
            before=None if each.before is None else digest(each.before),
            after=digest(each.after),
        )
        for each in changed
    )


def _tool_end(
    call: AnyCall, output: ToolOutput, seconds: float, changes: tuple[out.FileChange, ...] = ()
) -> out.ToolEnd:
    first_line = output.text.strip().partition("\n")[0][:PREVIEW_CHARACTERS]
    return out.ToolEnd(
        id=call.id,
        name=call.name,
        duration_ms=round(seconds * 1000),
        output_preview=output.text[:PREVIEW_CHARACTERS],
        output=output.text,
        error=(first_line or "failed") if output.is_error else None,
        diff=output.diff,
        images=output.images,
        changes=changes,
    )


def _input_of(call: AnyCall) -> dict[str, Any]:
    return call.input if isinstance(call, ToolCall) else {"raw": call.raw}
