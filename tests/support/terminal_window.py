"""A program in a terminal whose screen is looked at as a person sees it: rows, colours gone, what scrolled away kept."""

from __future__ import annotations

import fcntl
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyte

from tests.support.pseudo_terminal import PseudoTerminal

UP, DOWN, ESC, ENTER = "\x1b[A", "\x1b[B", "\x1b", "\r"


class TerminalWindow(PseudoTerminal):
    """`rows` is what is on the screen now, `everything` that with what has scrolled away before it."""

    def __init__(
        self, command: Sequence[str | bytes], *, cwd: Path, env: Mapping[str, str], columns: int = 100, rows: int = 40
    ) -> None:
        self.screen = pyte.HistoryScreen(columns, rows, history=100_000, ratio=0.5)
        self._stream = pyte.ByteStream(self.screen)
        super().__init__(command, cwd=cwd, env={**env, "TERM": "xterm-256color"}, columns=columns, rows=rows)

    @property
    def rows(self) -> list[str]:
        return [row.rstrip() for row in self.screen.display]

    @property
    def everything(self) -> list[str]:
        past = ["".join(row[x].data for x in range(self.screen.columns)).rstrip() for row in self.screen.history.top]
        return [*past, *self.rows]

    @property
    def text(self) -> str:
        """Everything, trailing empty rows left out."""
        return "\n".join(self.everything).rstrip()

    def until(self, what: str | Callable[[TerminalWindow], bool], *, timeout_s: float = 20.0) -> str:
        """Wait until the text, or the condition, is there to be seen; what is seen then."""
        seen = (lambda window: what in window.text) if isinstance(what, str) else what
        deadline = time.monotonic() + timeout_s
        while not seen(self):
            assert time.monotonic() < deadline, f"no {what!r} on:\n{self.text}"
            assert self._read(min(deadline, time.monotonic() + 0.2)), f"ended without {what!r}:\n{self.text}"
        return self.text

    def until_gone(self, what: str, *, timeout_s: float = 20.0) -> str:
        """Wait until the text stands nowhere on the screen any more."""
        return self.until(lambda window: what not in "\n".join(window.rows), timeout_s=timeout_s)

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process.send_signal(signal.SIGWINCH)

    def _take(self, data: bytes) -> None:
        super()._take(data)
        self._stream.feed(data)
