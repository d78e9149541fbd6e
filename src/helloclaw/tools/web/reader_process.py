"""Run `reader.read` in a process of its own, with limits on time and memory. That process is `reader_child`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys

import msgspec

from helloclaw.tools.base import ToolError
from helloclaw.tools.web.reader import Document, Reading

MEMORY_BYTES = 1024 * 1024 * 1024
# What Python needs to find us and the system's libraries, and nothing that is a secret.
_KEPT = ("PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR", "TEMP")


async def read_apart(reading: Reading, timeout_s: float, *, memory_bytes: int = MEMORY_BYTES) -> Document:
    """The document, made in a process that is gone when this returns. Raises `ToolError`."""
    environ = {name: os.environ[name] for name in _KEPT if name in os.environ} | {"PYTHONUTF8": "1"}
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "helloclaw.tools.web.reader_child", str(memory_bytes), str(int(timeout_s) + 1),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            env=environ, cwd=os.sep,
        )  # fmt: skip
    except OSError as error:
        raise ToolError(f"the process that reads pages could not be started: {error}") from error
    try:
        async with asyncio.timeout(timeout_s):
            answer, _ = await process.communicate(msgspec.msgpack.encode(reading))
        return msgspec.msgpack.decode(answer, type=Document)
    except TimeoutError:
        raise ToolError(
            f"{reading.url} came, but reading it takes more than {timeout_s:.0f} s; it was given up"
        ) from None
    except msgspec.DecodeError:
        raise ToolError(f"{reading.url} came, but reading it failed or took too much memory") from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await asyncio.shield(process.wait())
