"""The terminal to write to: never asked where its cursor is, and no crash when it is gone."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from prompt_toolkit.data_structures import Size
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from helloclaw.repl.output.theme import Depth

_DEPTHS = {
    "none": ColorDepth.DEPTH_1_BIT,
    "16": ColorDepth.DEPTH_4_BIT,
    "256": ColorDepth.DEPTH_8_BIT,
    "truecolor": ColorDepth.DEPTH_24_BIT,
}


class TerminalOutput(Vt100_Output):
    """What is written after the terminal has been closed goes nowhere; its input ends by itself."""

    def __init__(self, stdout: TextIO, depth: Depth, term: str | None) -> None:
        # An answer to «where is the cursor?» would come in between what is typed.
        super().__init__(stdout, lambda: _size(stdout), term=term, default_color_depth=_DEPTHS[depth], enable_cpr=False)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.stdout.fileno())
            os.close(nowhere)


def terminal_output(depth: Depth, term: str | None) -> TerminalOutput:
    return TerminalOutput(sys.stdout, depth, term)


def _size(stdout: TextIO) -> Size:
    """Of the terminal now; one that does not know its size is taken for an old one."""
    try:
        columns, rows = os.get_terminal_size(stdout.fileno())
    except OSError:
        columns = rows = 0
    return Size(rows=rows or 24, columns=columns or 80)
