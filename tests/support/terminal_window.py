"""A program in a terminal whose screen is looked at as a person sees it, with what has scrolled away kept."""

from __future__ import annotations

import fcntl
import os
import re
import select
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

    def type_bytes(self, data: bytes) -> None:
        os.write(self._master, data)

    def type(self, text: str) -> None:
        """All of it, reading what the program writes meanwhile: a long paste would else fill both directions."""
        data = text.encode()
        while data:
            readable, writable, _ = select.select([self._master], [self._master], [], 10)
            if readable:
                self._read(time.monotonic())
            if writable:
                data = data[os.write(self._master, data[:1024]) :]

    def hang_up(self) -> None:
        """Close the terminal, as when its window is closed."""
        os.close(self._master)
        self._master = os.open(os.devnull, os.O_RDWR)

    def sgr_codes(self) -> list[str]:
        """Every colour and style code the program has written."""
        return [code for codes in re.findall(r"\x1b\[([0-9;]*)m", self.seen) for code in (codes or "0").split(";")]

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process.send_signal(signal.SIGWINCH)

    def _take(self, data: bytes) -> None:
        super()._take(data)
        self._stream.feed(data)
