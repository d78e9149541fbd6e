"""The task board's tools: make, look, change, claim. The board is shared; what stands on it is data."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, TypeVar

from msgspec import Meta, Struct

from helloclaw.i18n import SpokenError
from helloclaw.storage.locks import Busy
from helloclaw.tasks.board import Board, Status, Task
from helloclaw.tools.base import Tool, ToolError, ToolOutput
from helloclaw.tools.context import ToolContext

_T = TypeVar("_T")
_MARKS: dict[Status, str] = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]", "deleted": "[-]"}
_LISTED = 200


class TaskCreate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    subject: Annotated[str, Meta(min_length=1)]
    description: str = ""


class TaskGet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    task_id: str


class TaskList(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class TaskUpdate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    task_id: str
    status: Status | None = None
    add_blocked_by: list[str] = []
    add_blocks: list[str] = []


class ClaimTask(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    task_id: str


async def _create(call: TaskCreate, context: ToolContext) -> ToolOutput:
    task = await _with(context, lambda board: board.create(call.subject, call.description))
    return ToolOutput(text=f"Created {_row(task)}")


async def _get(call: TaskGet, context: ToolContext) -> ToolOutput:
    task = await _with(context, lambda board: board.get(call.task_id))
    more = f"\n{task.description}" if task.description else ""
    return ToolOutput(text=f"{_row(task)}{more}")


async def _list(call: TaskList, context: ToolContext) -> ToolOutput:
    del call
    tasks = await _with(context, lambda board: board.list())
    rows = [_row(task) for task in tasks[:_LISTED]]
    if len(tasks) > _LISTED:
        rows.append(f"(and {len(tasks) - _LISTED} more)")
    return ToolOutput(text="\n".join(rows) or "There are no tasks.")


async def _update(call: TaskUpdate, context: ToolContext) -> ToolOutput:
    task = await _with(
        context,
        lambda board: board.update(
            call.task_id, status=call.status, add_blocked_by=call.add_blocked_by, add_blocks=call.add_blocks
        ),
    )
    return ToolOutput(text=f"Now {_row(task)}")


async def _claim(call: ClaimTask, context: ToolContext) -> ToolOutput:
    owner = context.agent_name
    task = await _with(context, lambda board: board.claim(call.task_id, owner))
    return ToolOutput(text=f"Yours: {_row(task)}")


async def _with(context: ToolContext, do: Callable[[Board], _T]) -> _T:
    try:
        return await asyncio.to_thread(lambda: do(Board(context.workdir)))
    except Busy as error:
        raise ToolError(f"The task board is in use ({error}); try again") from error
    except (SpokenError, OSError) as error:
        raise ToolError(str(error)) from error


def _row(task: Task) -> str:
    owner = f" @{task.owner}" if task.owner else ""
    waits = f" (waits for {', '.join(task.blocked_by)})" if task.blocked_by else ""
    return f"{_MARKS[task.status]} {task.id}: {task.subject}{owner}{waits}"


task_create = Tool("task_create", TaskCreate, _create)
task_get = Tool("task_get", TaskGet, _get, read_only=True)
task_list = Tool("task_list", TaskList, _list, read_only=True)
task_update = Tool("task_update", TaskUpdate, _update)
claim_task = Tool("claim_task", ClaimTask, _claim)

TASK_TOOLS = (task_create, task_get, task_list, task_update, claim_task)
