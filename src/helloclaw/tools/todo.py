"""`TodoWrite`: the model's plan for the task at hand, kept for the session and shown to the person."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from helloclaw.tools.base import Tool, ToolError, ToolOutput
from helloclaw.tools.context import ToolContext

MAX_ITEMS = 20
REMINDER_AFTER_ROUNDS = 3
Status = Literal["pending", "in_progress", "completed"]
_MARKS: dict[Status, str] = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}


class TodoItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`content` says what to do, `activeForm` the same as something going on ("Fixing the tests")."""

    content: Annotated[str, Meta(min_length=1)]
    status: Status
    activeForm: Annotated[str, Meta(min_length=1)]  # noqa: N815 - the parameter's published name


class TodoWrite(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    items: Annotated[list[TodoItem], Meta(max_length=MAX_ITEMS)]


class TodoList:
    """The plan, and how many rounds have gone by since it was last written."""

    def __init__(self) -> None:
        self.items: tuple[TodoItem, ...] = ()
        self._rounds = 0

    def write(self, items: list[TodoItem]) -> None:
        """Replace the plan. Raises `ToolError` when more than one item is in progress."""
        active = [item.content for item in items if item.status == "in_progress"]
        if len(active) > 1:
            raise ToolError(f"{len(active)} items are in_progress ({'; '.join(active)}); at most one may be")
        self.items = tuple(items)
        self._rounds = 0

    def round_passed(self) -> None:
        self._rounds += 1

    def reminder(self) -> str | None:
        """What to tell the model after three rounds without an update while items are open; again after three more."""
        if self._rounds < REMINDER_AFTER_ROUNDS or all(item.status == "completed" for item in self.items):
            return None
        self._rounds = 0
        return (
            "<system-reminder>\nThe todo list was not updated for a while. If the work went on, update it with "
            f"TodoWrite; do not mention this to the person.\n{self.render()}\n</system-reminder>"
        )

    def render(self) -> str:
        """One item a line, the active one in its active form."""
        return "\n".join(
            f"{_MARKS[item.status]} {item.activeForm if item.status == 'in_progress' else item.content}"
            for item in self.items
        )


async def run(call: TodoWrite, context: ToolContext) -> ToolOutput:
    context.todo.write(call.items)
    return ToolOutput(text=context.todo.render() or "The todo list is empty.")


# Read-only: it changes nothing outside the session, so that planning works in plan mode too.
todo_write = Tool("TodoWrite", TodoWrite, run, read_only=True)
