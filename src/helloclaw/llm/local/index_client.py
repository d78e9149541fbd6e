"""Run a package installer (pip or uv) to fetch one wheel, so that its own mirrors, proxies and certificates apply.

Nothing of a wheel is imported, built or run: installers are told to take wheels only, and to write into a directory
of ours.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

_POLL_S = 0.25
_FAILURE_LINES = 3


class Installer(Struct, frozen=True, kw_only=True):
    """A way to fetch a wheel. `{requirement}`, `{into}` and `{scratch}` in `command` are filled in.

    pip leaves the wheel in `into`; uv can only unpack it there.
    """

    name: str
    command: tuple[str, ...]

    def filled(self, requirement: str, into: Path, scratch: Path) -> list[str]:
        return [part.format(requirement=requirement, into=into, scratch=scratch) for part in self.command]


class InstallerFailed(Exception):
    """The installer did not fetch the wheel. The text is its own last words."""


_PIP_DOWNLOAD = (
    *("download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--disable-pip-version-check"),
    *("--progress-bar=off", "--dest={into}", "{requirement}"),
)
_UV_INSTALL = (
    *("pip", "install", "--no-deps", "--only-binary=:all:", "--no-progress", "--python={python}"),
    *("--cache-dir={scratch}/cache", "--target={into}", "{requirement}"),
)


def installers(environ: Mapping[str, str]) -> tuple[Installer, ...]:
    """What this computer has, in the order to try: pip of this Python, uv, any other pip, a pip made by `venv`.

    An environment made by uv has no pip, one made by pip no uv, and a packaged application may have neither.
    `-P` keeps the current directory off the import path, where anybody may have put a `pip.py`.
    """
    found: list[Installer] = []
    path = environ.get("PATH")
    if importlib.util.find_spec("pip"):
        found.append(Installer(name="pip", command=(sys.executable, "-P", "-m", "pip", *_PIP_DOWNLOAD)))
    if uv := environ.get("UV") or shutil.which("uv", path=path):
        options = tuple(part.replace("{python}", sys.executable) for part in _UV_INSTALL)
        found.append(Installer(name="uv", command=(uv, *options)))
    for name in ("pip3", "pip"):
        if pip := shutil.which(name, path=path):
            found.append(Installer(name=pip, command=(pip, *_PIP_DOWNLOAD)))
            break
    if importlib.util.find_spec("ensurepip"):
        found.append(
            Installer(name="venv", command=(sys.executable, "-P", "-c", _VENV_PIP, "{scratch}", *_PIP_DOWNLOAD))
        )
    return tuple(found)


_VENV_PIP = """
import os, subprocess, sys, venv
home = os.path.join(sys.argv[1], "venv")
venv.create(home, with_pip=True)
python = os.path.join(home, "Scripts" if os.name == "nt" else "bin", "python")
sys.exit(subprocess.call([python, "-P", "-m", "pip", *sys.argv[2:]]))
"""


@contextlib.asynccontextmanager
async def fetched(
    installer: Installer, requirement: str, work: Path, environ: Mapping[str, str], at: Callable[[int], None]
) -> AsyncGenerator[Path]:
    """The directory in which `installer` put the wheel; gone afterwards. `at` gets the bytes on disk as they grow.

    Raises `InstallerFailed`, `OSError`. Cancelling ends the installer and what it started.
    """
    scratch = Path(tempfile.mkdtemp(prefix="fetch-", dir=work))
    try:
        into = scratch / "into"
        into.mkdir()
        await _run(installer.filled(requirement, into, scratch), scratch, environ, at)
        yield into
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


async def _run(command: list[str], scratch: Path, environ: Mapping[str, str], at: Callable[[int], None]) -> None:
    log = scratch / "log"
    with log.open("wb") as output:
        process = await _spawn(command, scratch, environ, output)
    ended = asyncio.create_task(process.wait())
    try:
        while not (await asyncio.wait((ended,), timeout=_POLL_S))[0]:
            at(await asyncio.to_thread(_bytes_below, scratch))
    finally:
        if not ended.done():
            _end(process)
        await ended
    if process.returncode:
        raise InstallerFailed(_last_words(log.read_text(encoding="utf-8", errors="replace"), process.returncode))


async def _spawn(
    command: list[str], scratch: Path, environ: Mapping[str, str], output: BinaryIO
) -> asyncio.subprocess.Process:
    """Start it in a session of its own. Cancelled half-way, asyncio would end it, but not its children."""
    spawning = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=scratch,
            env={**environ, "TMPDIR": str(scratch), "PYTHONDONTWRITEBYTECODE": "1"},
            start_new_session=os.name != "nt",
        )
    )
    try:
        return await asyncio.shield(spawning)
    except asyncio.CancelledError:
        with contextlib.suppress(OSError):
            process = await spawning
            _end(process)
            await process.wait()
        raise


def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def _bytes_below(directory: Path) -> int:
    """Bytes of the files below, hard links counted once; what vanishes meanwhile counts for nothing."""
    sizes: dict[tuple[int, int], int] = {}
    for root, _, names in os.walk(directory):
        for name in names:
            with contextlib.suppress(OSError):
                status = os.lstat(os.path.join(root, name))
                sizes[status.st_dev, status.st_ino] = status.st_size
    return sum(sizes.values())


def _last_words(log: str, returncode: int) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return " ".join(lines[-_FAILURE_LINES:]) or f"exit status {returncode}"
