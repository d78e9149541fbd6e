"""The REPL as a person has it: a process in a terminal, a home of its own, a scripted model."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cli.conftest import Program, program, server, talking
from tests.support.terminal_window import TerminalWindow

__all__ = ["Program", "open_window", "program", "server", "talking"]

OpenWindow = Callable[..., TerminalWindow]


@pytest.fixture
def open_window(talking: Program) -> OpenWindow:
    """Start the REPL; the mode is given, so that it is not asked for."""

    def open_it(*words: str, columns: int = 100, rows: int = 40, **environ: str) -> TerminalWindow:
        command = talking.command("--mode", "default", *words)
        env = talking.environ | environ
        return TerminalWindow(command, cwd=talking.workdir, env=env, columns=columns, rows=rows)

    return open_it
