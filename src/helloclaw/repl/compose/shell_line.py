"""A line that begins with `!`: a command of the person's own, run by their shell without asking, told to the model."""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

OUTPUT_CHARS = 30_000
"""What the model gets of a command's output at most: half from its beginning, half from its end."""

_MARK = "!"
_SHELLS = frozenset({"bash", "zsh", "sh", "dash", "ksh", "mksh", "fish", "ash"})


class OwnOutput(NamedTuple):
    """What a command printed, at most `OUTPUT_CHARS` of it, its exit code as a shell tells it, and how long it took."""

    text: str
    code: int
    seconds: float


def command_of(line: str) -> str | None:
    """The command of a line that begins with `!`; None for any other line and for a bare `!`."""
    return line[len(_MARK) :].strip() or None if line.startswith(_MARK) else None


async def run_own(command: str, cwd: Path, environ: Mapping[str, str], report: Callable[[str], None]) -> OwnOutput:
    """Run `command` by the person's shell, each piece of output going to `report` as it comes.

    It has the person's own environment and no input. If this is cancelled, none of its processes is left; what a
    command that ended has put into the background runs on. Raises `ToolError` when it can't be started.
    """
    from helloclaw.tools.command import CommandLine, run_command
    from helloclaw.tools.output_text import OutputDecoder

    kept = _Kept(OUTPUT_CHARS)
    decoder = OutputDecoder()

    def receive(data: bytes) -> None:
        take(decoder.feed(data))

    def take(text: str) -> None:
        if text:
            kept.add(text)
            report(text)

    line = CommandLine(
        text=f"exec {shlex.quote(_shell(environ))} -c {shlex.quote(command)}",
        cwd=cwd,
        environ=environ,
        mark=f"{secrets.token_hex(8)}.own.",
    )
    try:
        ending = await run_command(line, timeout_s=None, receive=receive)
    finally:
        take(decoder.flush())
    code = ending.exit_code or 0
    return OwnOutput(text=kept.text(), code=code if code >= 0 else 128 - code, seconds=ending.seconds)


def as_note(command: str, output: OwnOutput) -> str:
    """What the model is told of a command that the person ran."""
    body = output.text.rstrip("\n").replace("</user-command>", "<\\/user-command>")
    head = f"The user ran this command in their shell.\n$ {command}\nexit code: {output.code}"
    return f"<user-command>\n{head}\noutput:\n{body or '(none)'}\n</user-command>"


def _shell(environ: Mapping[str, str]) -> str:
    """`$SHELL`, if that is a shell one can give `-c` to; else bash."""
    named = environ.get("SHELL", "")
    return named if os.path.basename(named) in _SHELLS and os.access(named, os.X_OK) else "bash"


class _Kept:
    """The beginning and the end of a text that may never end."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._head = ""
        self._tail = ""
        self._length = 0

    def add(self, text: str) -> None:
        self._length += len(text)
        room = self._half - len(self._head)
        self._head += text[:room]
        self._tail = (self._tail + text[room:])[-self._half :]

    def text(self) -> str:
        missing = self._length - len(self._head) - len(self._tail)
        gap = f"\n[… {missing} characters left out …]\n" if missing else ""
        return self._head + gap + self._tail
