"""The files of a working directory as completion offers them: listed by ripgrep in a thread, kept for a few seconds."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from helloclaw.repl.compose.fuzzy import Candidates

MOST_FILES = 50_000
MOST_DIRECTORIES = 10_000
FRESH_S = 5.0
_LISTING_S = 10.0
_READ_BYTES = 256 * 1024


def list_files(workdir: Path, environ: Mapping[str, str], *, hidden: bool) -> list[str]:
    """Files below `workdir` and their directories (those end with `/`), at most `MOST_FILES` and `MOST_DIRECTORIES`.

    What `.gitignore` names is left out, and so is what is hidden unless `hidden`. Nothing if ripgrep can't run.
    """
    from helloclaw.tools.base import ToolError
    from helloclaw.tools.search import find_ripgrep

    try:
        options = ["--files", "--no-config", "--no-require-git", "--no-messages", "--null", "--color=never"]
        command = [find_ripgrep(environ), *options, *(("--hidden", "--glob=!.git") if hidden else ())]
        process = subprocess.Popen(
            command,
            cwd=workdir,
            env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, ToolError):
        return []
    with process:
        names = _names(process)
        process.kill()
    return sorted(directories(names), key=len)[:MOST_DIRECTORIES] + names


def directories(names: list[str]) -> set[str]:
    """Every directory on the way to `names`, with a slash at its end."""
    found: set[str] = set()
    for name in names:
        parent = name[: name.rfind("/") + 1]
        while parent and parent not in found:
            found.add(parent)
            parent = parent[: parent[:-1].rfind("/") + 1]
    return found


def _names(process: subprocess.Popen[bytes]) -> list[str]:
    stream = process.stdout
    names: list[str] = []
    rest = b""
    deadline = time.monotonic() + _LISTING_S
    while stream and len(names) < MOST_FILES and time.monotonic() < deadline:
        block = os.read(stream.fileno(), _READ_BYTES)
        if not block:
            break
        *whole, rest = (rest + block).split(b"\0")
        names += (name for raw in whole if (name := _shown(raw)))
    return names[:MOST_FILES]


def _shown(raw: bytes) -> str | None:
    """A name that can be typed; one that is no UTF-8 or has control characters can't."""
    try:
        name = raw.decode()
    except UnicodeDecodeError:
        return None
    return name.removeprefix("./") if name.isprintable() else None


class WorkFiles:
    """The listing of the current working directory, asked for again when it is older than `fresh_s`."""

    def __init__(self, environ: Mapping[str, str], *, fresh_s: float = FRESH_S) -> None:
        self._environ = environ
        self._fresh_s = fresh_s
        self._listed: dict[tuple[Path, bool], tuple[float, Candidates]] = {}
        self._running: dict[tuple[Path, bool], asyncio.Task[Candidates]] = {}

    async def below(self, workdir: Path, *, hidden: bool) -> Candidates:
        """What is known now, while a new listing is made; the first time that is waited for."""
        key = (workdir, hidden)
        known = self._listed.get(key)
        if known and time.monotonic() - known[0] < self._fresh_s:
            return known[1]
        task = self._running.get(key)
        if task is None:
            task = self._running[key] = asyncio.create_task(self._refresh(key))
        return known[1] if known else await asyncio.shield(task)

    async def _refresh(self, key: tuple[Path, bool]) -> Candidates:
        try:
            workdir, hidden = key
            found = await asyncio.to_thread(lambda: Candidates(list_files(workdir, self._environ, hidden=hidden)))
            self._listed = {kept: value for kept, value in self._listed.items() if kept[0] == workdir}
            self._listed[key] = (time.monotonic(), found)
            return found
        finally:
            del self._running[key]
