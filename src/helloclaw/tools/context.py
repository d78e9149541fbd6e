"""What a tool may use of its session: where it works, and the state its family keeps between calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from helloclaw.tools.background import BackgroundCommands
    from helloclaw.tools.files import FileLedger
    from helloclaw.tools.shell import ShellState
    from helloclaw.tools.todo import TodoList


class ToolContext:
    """One per session; `report` is replaced for each call and shows progress text (a line or a few) as it comes."""

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
    ) -> None:
        self.session_id = session_id
        self.workdir = workdir
        self.ledger = ledger
        self.shell = shell
        self.background = background
        self.todo = todo
        self.report = report

    @property
    def cwd(self) -> Path:
        """Where relative paths start: the shell's current directory, which `cd` moves."""
        return self.shell.cwd

    def with_report(self, report: Callable[[str], None]) -> ToolContext:
        """The same session state, with progress going to `report`: for calls that run at the same time."""
        return ToolContext(
            session_id=self.session_id,
            workdir=self.workdir,
            ledger=self.ledger,
            shell=self.shell,
            background=self.background,
            todo=self.todo,
            report=report,
        )
