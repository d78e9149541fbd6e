"""A program in a terminal of its own, as a person has it: keys in, screen out, Ctrl-C as a signal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

CTRL_C = "\x03"
CTRL_D = "\x04"


class PseudoTerminal:
    """`with PseudoTerminal(command, cwd=…, env=…) as screen: screen.wait_for("> "); screen.type("hi\\n")`.

    `seen` is everything the program has written. What is still running on leaving is killed.
    """

    def __init__(
        self, command: Sequence[str | bytes], *, cwd: Path, env: Mapping[str, str], columns: int = 100, rows: int = 40
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - one system call, and no other way
        )
        os.close(slave)
        self.seen = ""
        self._read_to = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def wait_for(self, text: str, *, timeout_s: float = 20.0) -> str:
        """Everything up to and including the next `text` that was not waited for yet."""
        deadline = time.monotonic() + timeout_s
        while (at := self.seen.find(text, self._read_to)) < 0:
            assert time.monotonic() < deadline, f"no {text!r} in {self.seen[self._read_to :]!r}"
            assert self._read(deadline), f"ended without {text!r}: {self.seen[self._read_to :]!r}"
        begin, self._read_to = self._read_to, at + len(text)
        return self.seen[begin : self._read_to]

    def wait_for_end(self, *, timeout_s: float = 20.0) -> int:
        """The exit code."""
        deadline = time.monotonic() + timeout_s
        while self._read(deadline):
            assert time.monotonic() < deadline, f"still running: {self.seen[-500:]!r}"
        return self.process.wait(timeout_s)

    def _read(self, deadline: float) -> bool:
        """Read what there is; False at the end."""
        if not select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))[0]:
            return True
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:  # Linux: the last one who had it open has closed it
            return False
        self._take(data)
        return bool(data)

    def _take(self, data: bytes) -> None:
        self.seen += data.decode(errors="replace").replace("\r\n", "\n")
