"""Which tools there are, how a call finds its tool, and the state that a session's tools share."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from helloclaw.llm.messages import ToolSpec
from helloclaw.memory.notebook import Notebook
from helloclaw.schedule.schedules import Schedules
from helloclaw.skills.shelf import SkillShelf
from helloclaw.tools.background import BackgroundCommands, background_run, check_background
from helloclaw.tools.base import Tool
from helloclaw.tools.calculator import calculator
from helloclaw.tools.change import edit_file, write_file
from helloclaw.tools.compress import Wishes, compress
from helloclaw.tools.context import ToolContext
from helloclaw.tools.functions import tool_from_function
from helloclaw.tools.ledger import FileLedger
from helloclaw.tools.memory import MEMORY_TOOLS
from helloclaw.tools.read import read_file
from helloclaw.tools.schedule import SCHEDULE_TOOLS
from helloclaw.tools.search import search_content
from helloclaw.tools.shell import ShellState, bash
from helloclaw.tools.skills import load_skill
from helloclaw.tools.subagent import run_subagent
from helloclaw.tools.tasks import TASK_TOOLS
from helloclaw.tools.todo import TodoList, todo_write
from helloclaw.tools.web.access import WebAccess
from helloclaw.tools.web.fetch import web_fetch
from helloclaw.tools.web.search import web_search

__all__ = [
    "Toolbox",
    "default_tools",
    "explain_bad_arguments",
    "lean_tools",
    "open_context",
    "tool_from_function",
]


def default_tools() -> tuple[Tool, ...]:
    """Every built-in tool, in the order the model sees them."""
    return (
        read_file,
        write_file,
        edit_file,
        search_content,
        web_fetch,
        web_search,
        bash,
        background_run,
        check_background,
        todo_write,
        *TASK_TOOLS,
        load_skill,
        *MEMORY_TOOLS,
        *SCHEDULE_TOOLS,
        run_subagent,
        compress,
        calculator,
    )


def lean_tools() -> tuple[Tool, ...]:
    """The few tools that a small model can keep apart, with descriptions it has room for."""
    return tuple(tool.lean() for tool in (read_file, write_file, edit_file, bash, search_content))


class Toolbox:
    """The tools of a session by name. `aliases` are other names for some of them, which the model is not shown."""

    def __init__(self, tools: Sequence[Tool], aliases: Mapping[str, str] | None = None) -> None:
        """Raises `ValueError` when two tools have the same name."""
        self._tools = {tool.name: tool for tool in tools}
        if len(self._tools) < len(tools):
            names = [tool.name for tool in tools]
            raise ValueError(f"more than one tool is named {next(name for name in names if names.count(name) > 1)!r}")
        self._aliases = {"task": "run_subagent", **(aliases or {})}

    @cached_property
    def specs(self) -> tuple[ToolSpec, ...]:
        """Always the same bytes in the same order, so that providers can cache the prompt."""
        return tuple(tool.spec for tool in self._tools.values())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._tools)

    def find(self, name: str) -> Tool | None:
        return self._tools.get(name) or self._tools.get(self._aliases.get(name, ""))

    def unknown(self, name: str) -> str:
        """What to tell the model that called a tool which does not exist."""
        folded = {known.lower(): known for known in self._tools}
        near = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
        hint = f"did you mean {folded[near[0]]}?" if near else f"there are: {', '.join(self._tools)}"
        return f"There is no tool {name[:100]!r}; {hint}"


def explain_bad_arguments(tool: Tool, error: str) -> str:
    """What to tell the model whose arguments don't fit: what is wrong, and the schema they have to fit."""
    schema = msgspec.json.encode(tool.spec.input_schema).decode("utf-8")
    return f"{tool.name} was not run, its arguments are wrong: {error}\nThey must fit this JSON Schema: {schema}"


def open_context(
    session_id: str,
    workdir: Path,
    *,
    environ: Mapping[str, str] | None = None,
    web: WebAccess | None = None,
    skills: SkillShelf | None = None,
    notebook: Notebook | None = None,
    schedules: Schedules | None = None,
    by_schedule: bool = False,
) -> ToolContext:
    """Fresh state for a session's tools, working in `workdir`. `environ` is what commands inherit, less its secrets.

    Without `skills` there are those that come with the program; without a `notebook` nothing is remembered.
    """
    real = Path(os.path.realpath(workdir))
    shell = ShellState(workdir=real, environ=os.environ if environ is None else environ)
    return ToolContext(
        session_id=session_id,
        workdir=real,
        ledger=FileLedger(),
        shell=shell,
        background=BackgroundCommands(workdir=real, shell=shell),
        todo=TodoList(),
        web=web or WebAccess(),
        skills=skills or SkillShelf(home=None, workdir=real),
        wishes=Wishes(),
        notebook=notebook,
        schedules=schedules,
        by_schedule=by_schedule,
    )
