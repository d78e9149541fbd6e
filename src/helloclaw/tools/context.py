"""What a tool may use of its session: where it works, and the state its family keeps between calls."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from helloclaw.tools.base import FileContent, ToolError

if TYPE_CHECKING:
    from helloclaw.llm.events import Usage
    from helloclaw.memory.notebook import Notebook
    from helloclaw.schedule.schedules import Schedules
    from helloclaw.skills.shelf import SkillShelf
    from helloclaw.tools.background import BackgroundCommands
    from helloclaw.tools.compress import Wishes
    from helloclaw.tools.ledger import FileLedger
    from helloclaw.tools.shell import ShellState
    from helloclaw.tools.subagent import Subagents
    from helloclaw.tools.todo import TodoList
    from helloclaw.tools.web.access import WebAccess


class Approval(Struct, frozen=True, kw_only=True):
    """What a decision was about: the files a call named, resolved, and the directory it was to run in.

    `confined`: it may run only in a sandbox.
    """

    paths: frozenset[Path]
    cwd: Path
    confined: bool = False


class ToolContext:
    """One per session. `report` shows progress text (a line or a few) as it comes; `keep` is given what a file holds
    before the call replaces it, and `changed` is told of it afterwards, both from any thread, so that it can be undone;
    `approval` holds the call to what it was permitted for, None where nobody decided. `for_call` sets all four. `keep`
    and `changed` raise nothing. `by_schedule`: nobody but a schedule has started what runs.
    `agent_name` is who claims tasks. `spend` is told of tokens that a call has cost.
    """

    def __init__(
        self,
        *,
        session_id: str,
        workdir: Path,
        ledger: FileLedger,
        shell: ShellState,
        background: BackgroundCommands,
        todo: TodoList,
        web: WebAccess,
        skills: SkillShelf,
        wishes: Wishes,
        notebook: Notebook | None = None,
        schedules: Schedules | None = None,
        by_schedule: bool = False,
        agent_name: str = "lead",
        report: Callable[[str], None] = lambda _: None,
        approval: Approval | None = None,
    ) -> None:
        self.session_id = session_id
        self.workdir = workdir
        self.ledger = ledger
        self.shell = shell
        self.background = background
        self.todo = todo
        self.web = web
        self.skills = skills
        self.wishes = wishes
        self.notebook = notebook
        self.schedules = schedules
        self.by_schedule = by_schedule
        self.agent_name = agent_name
        self.subagents: Subagents | None = None
        self.spend: Callable[[Usage], None] = lambda _: None
        self.report = report
        self.keep: Callable[[bytes], None] = lambda _: None
        self.changed: Callable[[FileContent], None] = lambda _: None
        self.approval = approval

    @property
    def cwd(self) -> Path:
        """Where relative paths start: the shell's current directory, which `cd` moves."""
        return self.shell.cwd

    def with_report(self, report: Callable[[str], None]) -> ToolContext:
        """The same session state, with progress going to `report`: for calls that run at the same time."""
        return self.for_call(report=report, approval=None)

    def for_call(
        self,
        *,
        report: Callable[[str], None],
        approval: Approval | None,
        keep: Callable[[bytes], None] = lambda _: None,
        changed: Callable[[FileContent], None] = lambda _: None,
    ) -> ToolContext:
        """The same session state for one call, held to what was decided about it."""
        twin = copy.copy(self)
        twin.report = report
        twin.keep = keep
        twin.changed = changed
        twin.approval = approval
        return twin

    def approved_path(self, path: Path) -> Path:
        """`path` again, if it is one that the call was permitted for.

        Raises `ToolError` when it is not: after the decision a symlink was exchanged, or a `cd` moved the directory.
        """
        if self.approval is None or path in self.approval.paths:
            return path
        raise ToolError(f"{path} is not where this path led when it was approved; look where it leads now, try again")

    def approved_cwd(self) -> Path:
        """The current directory, if a command was permitted to run in it.

        Raises `ToolError` when another call has moved it since.
        """
        if self.approval is None or self.cwd == self.approval.cwd:
            return self.cwd
        raise ToolError(
            f"the current directory is {self.cwd} now, but the command was approved for {self.approval.cwd}; "
            "try again, after calls that use cd"
        )

    async def close(self) -> None:
        """End what the session started and has not ended: no process outlives it."""
        await self.background.close()
        await self.shell.close()
        if self.notebook is not None:
            self.notebook.close()
