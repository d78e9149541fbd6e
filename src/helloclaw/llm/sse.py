"""Server-sent events, decoded while the bytes arrive. Pure: bytes in, events out.

The format is the WHATWG's (HTML, "Server-sent events"), with one liberty: an event that the end of the stream
cuts short of its blank line still counts, because some gateways never send the last one.
"""

from __future__ import annotations

from helloclaw.llm.wire import SseEvent

MAX_EVENT_BYTES = 16 * 1024 * 1024
"""Longer than any honest event; what is longer is refused before it fills the memory."""

_BOM = b"\xef\xbb\xbf"


class TooLong(Exception):
    """What the server sends passed its limit: a line or the data of one event, or (in `transport`) a body."""


class SseDecoder:
    """`feed` every chunk as it comes, then `close` once. However the bytes are cut, the events are the same."""

    def __init__(self, limit: int = MAX_EVENT_BYTES) -> None:
        self._limit = limit
        self._unfinished: list[bytes] = []  # the pieces of a line whose end has not come
        self._size = 0  # bytes held: the unfinished line and the data lines
        self._after_cr = False  # an LF that comes next belongs to the line that has just ended
        self._at_start = True
        self._name = ""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events that `chunk` completes. Raises `TooLong`."""
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        if b"\n" not in chunk and b"\r" not in chunk:
            self._hold(chunk)
            return []
        lines = b"".join([*self._unfinished, chunk]).splitlines(keepends=True)
        self._size -= sum(map(len, self._unfinished))
        self._unfinished.clear()
        if not lines[-1].endswith((b"\n", b"\r")):
            self._hold(lines.pop())
        elif lines[-1].endswith(b"\r"):
            self._after_cr = True
        return self._take(lines)

    def close(self) -> list[SseEvent]:
        """The event that the stream ended in the middle of, if it has data."""
        last = b"".join(self._unfinished)
        self._unfinished.clear()
        return self._take([last, b""] if last else [b""])

    def _hold(self, piece: bytes) -> None:
        self._unfinished.append(piece)
        self._grow(len(piece))

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > self._limit:
            raise TooLong

    def _take(self, lines: list[bytes]) -> list[SseEvent]:
        events: list[SseEvent] = []
        for line in lines:
            content = line.rstrip(b"\r\n")
            if self._at_start:
                self._at_start = False
                content = content.removeprefix(_BOM)
            if not content:
                if self._data:
                    data = b"\n".join(self._data).decode(errors="replace")
                    events.append(SseEvent(self._name or "message", data))
                    self._size -= sum(map(len, self._data)) + len(self._data)
                    self._data.clear()
                self._name = ""
                continue
            field, _, value = content.partition(b":")
            if field == b"data":
                value = value.removeprefix(b" ")
                self._data.append(value)
                self._grow(len(value) + 1)
            elif field == b"event":
                self._name = value.removeprefix(b" ").decode(errors="replace")
        return events
