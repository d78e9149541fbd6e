"""What a tool may use of its session: where it works, and the state its family keeps between calls."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from helloclaw.tools.base import ToolError

if TYPE_CHECKING:
    from helloclaw.tools.background import BackgroundCommands
    from helloclaw.tools.ledger import FileLedger
    from helloclaw.tools.shell import ShellState
    from helloclaw.tools.todo import TodoList


class ToolContext:
    """One per session. `report` shows progress text (a line or a few) as it comes; `approved` are the resolved paths
    that the call was permitted for, None where nobody resolved any. Both are set for each call, by `for_call`.
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
        report: Callable[[str], None] = lambda _: None,
        approved: frozenset[Path] | None = None,
    ) -> None:
        self.session_id = session_id
        self.workdir = workdir
        self.ledger = ledger
        self.shell = shell
        self.background = background
        self.todo = todo
        self.report = report
        self.approved = approved

    @property
    def cwd(self) -> Path:
        """Where relative paths start: the shell's current directory, which `cd` moves."""
        return self.shell.cwd

    def with_report(self, report: Callable[[str], None]) -> ToolContext:
        """The same session state, with progress going to `report`: for calls that run at the same time."""
        return self.for_call(report=report, approved=None)

    def for_call(self, *, report: Callable[[str], None], approved: frozenset[Path] | None) -> ToolContext:
        """The same session state for one call. `approved` pins it to the paths that the decision was about."""
        twin = copy.copy(self)
        twin.report = report
        twin.approved = approved
        return twin

    def approved_path(self, path: Path) -> Path:
        """`path` again, if it is one that the call was permitted for.

        Raises `ToolError` when it is not: a symlink was exchanged after the decision.
        """
        if self.approved is None or path in self.approved:
            return path
        raise ToolError(
            f"{path} is not where this path led when it was approved; look at it with `ls -l` and try again"
        )

    async def close(self) -> None:
        """End what the session started and has not ended: no process outlives it."""
        await self.background.close()
        await self.shell.close()
