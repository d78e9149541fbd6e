"""Lines of standard input as they come, for an event loop, whatever standard input is: a terminal, a pipe, a file."""

from __future__ import annotations

import asyncio
import codecs
import os
import threading
from collections.abc import AsyncIterator


class StdinLines:
    """`async for line in StdinLines()`, ending with standard input.

    A thread does the reading, because not every kind of standard input can be polled; a daemon, because a read from a
    terminal can't be ended; and with `os.read`, because the interpreter can't exit while a thread is in `sys.stdin`.
    """

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            raise StopAsyncIteration
        return line

    def end(self) -> None:
        """As if standard input had ended here."""
        self._lines.put_nowait(None)

    def _read(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        rest = ""
        try:
            while data := os.read(0, 1 << 16):
                *lines, rest = (rest + decoder.decode(data)).split("\n")
                for line in lines:
                    self._put(line.removesuffix("\r"))
        except OSError:
            pass
        if rest:
            self._put(rest)
        self._put(None)

    def _put(self, line: str | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:
            return  # the loop has ended; nobody listens
