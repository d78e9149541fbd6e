"""`bash`: one command in the session's shell directory, its output streamed, capped and returned with how it ended."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from helloclaw.sandbox.launch import Sandbox
from helloclaw.tools.base import Facts, Tool, ToolError, ToolOutput
from helloclaw.tools.command import CommandLine, Ending, run_command
from helloclaw.tools.command_output import CommandOutput, describe
from helloclaw.tools.context import Approval, ToolContext
from helloclaw.tools.environment import rebuild
from helloclaw.tools.persisted import BASH_LIMIT, OutputStore
from helloclaw.tools.process_tree import ProcessTree, end_tree, shows_marks
from helloclaw.tools.repository_programs import neutral_git_config

DEFAULT_TIMEOUT_S = 120
MAX_TIMEOUT_S = 3600
# What programs say where a sandbox stops them.
_HELD_BACK = re.compile(
    r"Read-only file system|Permission denied|PermissionError|Operation not permitted|Device or resource busy"
    r"|[Nn]etwork is unreachable|[Nn]ame resolution|[Cc]ould not resolve|Name or service not known"
    r"|\b(?:EROFS|EACCES|EPERM|ENETUNREACH|EAI_AGAIN|ENOTFOUND)\b"
)


class Bash(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    command: str
    timeout: Annotated[float, Meta(ge=1, le=MAX_TIMEOUT_S, description="seconds")] = DEFAULT_TIMEOUT_S


class ShellState:
    """The shell side of a session: where it is, what its commands inherit, and which processes are its own."""

    def __init__(self, *, workdir: Path, environ: Mapping[str, str]) -> None:
        self.workdir = workdir
        self.cwd = workdir
        self.sandbox: Sandbox | None = None
        self.held_back: set[str] = set()  # texts that failed for being confined: they are asked about from then on
        self._environ = environ
        self._session = secrets.token_hex(8)
        self._commands = 0
        self._left: list[Ending] = []

    async def line(self, text: str, approval: Approval | None) -> CommandLine:
        """`text` with the directory, the environment, the mark and the sandbox it is to run with.

        Raises `ToolError` where it may run only in a sandbox, and there is none.
        """
        confined = approval is not None and approval.confined
        if confined and self.sandbox is None:
            raise ToolError("the command may run only in a sandbox, and there is none any more; try again")
        self._commands += 1
        mark = f"{self._session}.{self._commands}."
        environ = rebuild(self._environ)
        if outranking := await neutral_git_config(text, self.cwd, environ):
            environ = rebuild(self._environ, git_config=outranking)
        return CommandLine(
            text=text, cwd=self.cwd, environ=environ, mark=mark, sandbox=self.sandbox if confined else None
        )

    def leave_lost_directory(self) -> str:
        """Go back to the working directory if the current one is gone; what to tell the model then."""
        if self.cwd.is_dir():
            return ""
        lost, self.cwd = self.cwd, self.workdir
        return f"{lost} no longer exists, so this ran in {self.workdir}"

    def move_to(self, directory: Path | None) -> str:
        """Follow the shell to where a command left it; what to tell the model of it."""
        if directory is None or directory == self.cwd:
            return ""
        self.cwd = directory
        return f"current directory: {directory}"

    def learn(self, line: CommandLine, ending: Ending, said: str) -> str:
        """Note whether a confined command failed for being confined; what to tell the model of it."""
        if line.sandbox is None or ending.exit_code == 0:
            return ""
        limits = "it ran in a sandbox: no network, and writing only below the working directory and in $TMPDIR"
        if not _HELD_BACK.search(said):
            return limits
        self.held_back.add(line.text)
        return f"{limits}; if it needs more, give the same command again and the person will be asked"

    def adopt(self, ending: Ending) -> str:
        """Take over the output of what a command left running; what to tell the model of it."""
        self._left = [left for left in self._left if left.rest and not left.rest.ended.is_set()]
        if ending.rest is None:
            return ""
        self._left.append(ending)
        return "a process it started runs on in the background, unseen, until the session ends"

    async def close(self) -> None:
        """End every process that the session's commands left behind."""
        if self._commands:
            await end_tree(ProcessTree(root=None, mark=f"{self._session}."))
        for left in self._left:
            if left.rest and not left.rest.ended.is_set():
                if not shows_marks():  # as long as the pipe is held, the process group exists
                    await end_tree(ProcessTree(root=left.root, mark=f"{self._session}."))
                left.rest.close()
        self._left.clear()
        if self.sandbox is not None:
            self.sandbox.close()


async def run(call: Bash, context: ToolContext) -> ToolOutput:
    shell = context.shell
    lost = shell.leave_lost_directory()
    context.approved_cwd()
    store = OutputStore(context.workdir, f"bash-{secrets.token_hex(4)}", limit=BASH_LIMIT)
    output = CommandOutput(store, context.report)
    try:
        line = await shell.line(call.command, context.approval)
        ending = await run_command(line, timeout_s=call.timeout, receive=output.receive)
    finally:
        output.close()
    limits = shell.learn(line, ending, store.tail())
    notes = (lost, describe(ending), limits, shell.move_to(ending.cwd), shell.adopt(ending))
    return ToolOutput(text=_text(store, notes), is_error=ending.exit_code != 0)


def _text(store: OutputStore, notes: tuple[str, ...]) -> str:
    said = "; ".join(note for note in notes if note)
    body = store.for_model().rstrip("\n")
    return "\n".join(part for part in (body, f"[{said}]" if said else "") if part) or "(no output)"


def _facts(call: Bash) -> Facts:
    return Facts(command=call.command)


bash = Tool("bash", Bash, run, facts=_facts)
