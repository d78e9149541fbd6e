"""llama.cpp's server in a child process: started, watched, ended. What is asked of it is not known here.

It listens on a loopback port that the system picks, and answers only who has the random key of this run. Every process
of the product has a server of its own; the weights in memory are the same pages, for they are mapped from the file.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

from helloclaw.i18n import AdvisedError, Phrase
from helloclaw.i18n.system import reason_of
from helloclaw.llm.local.machine import available_memory, compute_threads
from helloclaw.llm.local.openmp import with_openmp

CONTEXT_TOKENS = 8192
"""The window a session gets. Its cache takes 28 KB a token for Qwen2.5-1.5B: 0.24 GB."""

CACHE_MIB = 256
"""For conversations that another one displaced, such as a session's while its summary is written."""

_LOG_BYTES = 1_000_000
_STOP_S = 3.0
_DEATH_S = 1.0
_LOG_ERROR = re.compile(r"^\S+ E (.*)$", re.MULTILINE)

# What takes long, and None when it is over.
OnStatus = Callable[[Phrase | None], None]


class ServerFailed(AdvisedError):
    """The embedded model can't run. The text says what is in the way, `hint` what to do about it."""

    blame = "world"


class LocalServer:
    """A running server. `start` makes one; `stop` ends it, and so does the end of this process."""

    def __init__(self, process: subprocess.Popen[str], base_url: str, api_key: str) -> None:
        self._process = process
        self.base_url = base_url
        self.api_key = api_key

    @classmethod
    async def start(
        cls,
        gguf: Path,
        *,
        log: Path,
        state_directory: Path,
        context_tokens: int = CONTEXT_TOKENS,
        on_status: OnStatus = lambda _: None,
    ) -> LocalServer:
        """Load `gguf` and wait until it answers: 1.5 s from a warm page cache, else as the disk permits.

        llama.cpp's states go into `state_directory`. Raises `ServerFailed`, `OSError`.
        """
        if importlib.util.find_spec("xllamacpp") is None:
            raise ServerFailed("local.no_llama")
        size = _size_of(gguf)
        frugal = fit_memory(size, available_memory())
        on_status(Phrase("status.loading", name=gguf.name, size=f"{size / 1e9:.1f}"))
        api_key = secrets.token_urlsafe(24)
        options = {
            "path": str(gguf),
            "api_key": api_key,
            "context_tokens": context_tokens,
            "threads": compute_threads(),
            "frugal": frugal,
            "cache_mib": CACHE_MIB,
            "state_directory": f"{_private(state_directory)}{os.sep}",
        }
        with _open_log(log) as output:
            start = output.tell()
            process = _spawn(output)
        try:
            answer = await asyncio.to_thread(_converse, process, json.dumps(options))
        except BaseException:
            process.kill()
            raise
        if "url" not in answer:
            process.kill()
            process.wait()
            raise _explain(gguf, log, start, answer.get("error", ""))
        on_status(None)
        return cls(process, answer["url"], api_key)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    async def died(self) -> bool:
        """Whether the process is gone, asked after a connection broke: that is seen a moment before the death is."""
        try:
            await asyncio.to_thread(self._process.wait, _DEATH_S)
        except subprocess.TimeoutExpired:
            return False
        return True

    async def stop(self) -> None:
        """End the process. It goes by itself when its stdin closes."""
        if self._process.stdin:
            self._process.stdin.close()
        await asyncio.to_thread(self._end)

    def _end(self) -> None:
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()


def fit_memory(size: int, available: int | None) -> bool:
    """Whether to be frugal with weights of `size` bytes. Measured with Qwen2.5-Coder-1.5B, context and all.

    llama.cpp keeps a second copy of most weights, packed for the processor, which makes it a quarter faster: 2.1 GB
    instead of 1.5. Raises `ServerFailed` when not even the weights fit: every token would be read from the disk.
    """
    fast, slow = int(size * 1.55) + 370_000_000, size + 380_000_000
    if available is not None and available < slow:
        raise ServerFailed("local.no_memory", needed=f"{slow / 1e9:.1f}", free=f"{available / 1e9:.1f}")
    return available is not None and available < fast


def _size_of(gguf: Path) -> int:
    try:
        return gguf.stat().st_size
    except OSError as error:
        raise ServerFailed("local.no_file", file=gguf, why=reason_of(error)) from error


def _private(directory: Path) -> Path:
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    return directory


def _open_log(log: Path) -> IO[bytes]:
    """For appending, by several processes; begun anew when it has grown."""
    _private(log.parent)
    grown = log.exists() and log.stat().st_size > _LOG_BYTES
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | (os.O_TRUNC if grown else 0), 0o600)
    output = os.fdopen(handle, "ab")
    output.seek(0, os.SEEK_END)
    return output


def _spawn(output: IO[bytes]) -> subprocess.Popen[str]:
    """Runs the file, so that the child imports nothing of ours. `-P` keeps the current directory off its path.

    Called from the thread of the event loop: on Linux the child ends with the thread that started it.
    """
    return subprocess.Popen(
        [sys.executable, "-P", str(Path(__file__).with_name("child.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=output,
        env=with_openmp(os.environ),
        text=True,
        encoding="utf-8",
    )


def _converse(process: subprocess.Popen[str], options: str) -> dict[str, str]:
    """Send the options, wait for the answer. Empty when the child died before it had one."""
    if process.stdin is None or process.stdout is None:
        return {}
    try:
        process.stdin.write(options + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline() or "{}")
    except (OSError, ValueError):
        return {}


def _explain(gguf: Path, log: Path, start: int, error: str) -> ServerFailed:
    with log.open("rb") as stream:
        stream.seek(start)
        said = _LOG_ERROR.findall(stream.read(20_000).decode(errors="replace"))
    reason = said[0] if said else error
    if "libgomp" in reason:
        return ServerFailed("local.no_openmp", reason=reason)
    return ServerFailed("local.failed", file=gguf, reason=reason or Phrase("local.died"), log=log)
