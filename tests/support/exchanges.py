"""What a scripted server sends for one request, and what it remembers of that request.

Values only: how they get on the wire is `model_server`'s business, what a model says is `model_answers`'.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


class Gate:
    """A place where the server stands still until the test opens it. `reached` is set once the server stands there.

    `open` and `reached` are for any thread; `wait` is for the server's event loop only.
    """

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._lock = threading.Lock()
        self._opened = False
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def open(self) -> None:
        with self._lock:
            self._opened = True
            waiting, self._waiting = self._waiting, []
        for loop, event in waiting:
            loop.call_soon_threadsafe(event.set)

    async def wait(self) -> None:
        event = asyncio.Event()
        with self._lock:
            if not self._opened:
                self._waiting.append((asyncio.get_running_loop(), event))
            else:
                event.set()
        self.reached.set()
        await event.wait()


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """One HTTP answer, with everything that can go wrong on the way.

    `chunk` cuts the body into HTTP chunks of that many bytes, which a client sees as so many reads; None sends it
    whole. `framing` says how the client learns where the body ends. `gate` stops the server before body byte `gate_at`,
    or before the first byte of the headers when `gate_at` is None. `cut_at` closes the connection before that body byte
    (0: after the headers; -1: before them), `reset` with a TCP reset instead of an orderly close. `pause_s` is the
    time between chunks after the gate, for a server that takes its time.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    framing: Literal["chunked", "length", "close"] = "chunked"
    chunk: int | None = None
    gate: Gate | None = None
    gate_at: int | None = None
    cut_at: int | None = None
    reset: bool = False
    pause_s: float = 0.0

    def head(self) -> bytes:
        lines = [f"HTTP/1.1 {self.status} {REASONS.get(self.status, 'Scripted')}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        match self.framing:
            case "chunked":
                lines.append("transfer-encoding: chunked")
            case "length":
                lines.append(f"content-length: {len(self.body)}")
            case "close":
                lines.append("connection: close")
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        """The body's bytes from `start` to `end`, framed."""
        size = self.chunk or max(end - start, 1)
        for position in range(start, end, size):
            piece = self.body[position : min(position + size, end)]
            yield b"%x\r\n%s\r\n" % (len(piece), piece) if self.framing == "chunked" else piece


@dataclass(frozen=True, kw_only=True)
class RecordedRequest:
    """A request as it arrived. Header names are in lower case. `disconnected` is set when its connection has closed."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    connection: int
    disconnected: threading.Event

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.raw)


def json_bytes(value: Any) -> bytes:
    """UTF-8, with escapes only where there is half a character, as servers in JavaScript write it."""
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def sse(body: bytes, *, chunk: int | None = 4096, **more: Any) -> Exchange:
    """A 200 with a server-sent event stream."""
    return Exchange(headers={"content-type": "text/event-stream; charset=utf-8"}, body=body, chunk=chunk, **more)


def json_answer(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None, **more: Any) -> Exchange:
    return Exchange(
        status=status,
        headers={"content-type": "application/json", **(headers or {})},
        body=json_bytes(value),
        framing="length",
        **more,
    )


def html(
    body: str = "<!doctype html><html><body>Please log in to the network</body></html>", *, status: int = 200
) -> Exchange:
    """What a captive proxy says."""
    return Exchange(status=status, headers={"content-type": "text/html"}, body=body.encode(), framing="length")


def gzipped(exchange: Exchange) -> Exchange:
    return Exchange(
        status=exchange.status,
        headers={**exchange.headers, "content-encoding": "gzip"},
        body=gzip.compress(exchange.body),
        framing=exchange.framing,
        chunk=exchange.chunk,
    )
