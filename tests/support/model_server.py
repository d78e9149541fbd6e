"""A model's server that says what a test tells it to, over a real socket, on both wires.

It runs in a thread of its own, so that sync tests, async tests and subprocesses can all talk to it. From a shell:
`python -m tests.support.model_server --script FILE [--port N] [--repeat]`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import socket
import ssl
import struct
import threading
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any, Self

from helloclaw.llm.events import Usage
from tests.support.exchanges import Exchange, Gate, RecordedRequest, gzipped, html, json_answer, sse
from tests.support.model_answers import (
    Call,
    Turn,
    answer,
    anthropic_events,
    anthropic_stream,
    anthropic_whole,
    openai_chunk,
    openai_chunks,
    openai_stream,
    openai_whole,
)

__all__ = [
    "Call",
    "Exchange",
    "Gate",
    "ModelServer",
    "RecordedRequest",
    "Turn",
    "anthropic_events",
    "anthropic_stream",
    "anthropic_whole",
    "gzipped",
    "html",
    "json_answer",
    "openai_chunk",
    "openai_chunks",
    "openai_stream",
    "openai_whole",
    "silent_listener",
    "sse",
]

Said = Exchange | Turn | bytes | dict[str, Any]
Scripted = Said | Callable[[RecordedRequest], Said]
"""An exchange; a turn; the bytes of an SSE body; a JSON body; or a function of the request that gives one of these."""


class ModelServer:
    """`with ModelServer() as server: server.script(Turn(text="hi")); …`

    Scripted answers are given in order, to POSTs only. After the last one comes what `always` was given, else an HTTP
    400, and leaving the `with` block raises. `GET …/models` lists `models` and takes nothing from the script.
    """

    def __init__(self, *, tls: ssl.SSLContext | None = None, port: int = 0, record: bool = True) -> None:
        self.models: list[str] = ["scripted"]
        self.models_answer: Exchange | None = None
        self.requests: list[RecordedRequest] = []
        self.unexpected: list[RecordedRequest] = []
        self._script: deque[Scripted] = deque()
        self._always: Scripted | None = None
        self._tls = tls
        self._wanted_port = port
        self._record = record
        self._served = 0
        self._connections = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._up = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="model-server", daemon=True)
        self.port = 0

    def script(self, *exchanges: Scripted) -> None:
        self._script.extend(exchanges)

    def always(self, exchange: Scripted) -> None:
        """What to answer once the script is used up."""
        self._always = exchange

    @property
    def base_url(self) -> str:
        """The root, without `/v1`."""
        return f"{'https' if self._tls else 'http'}://{'localhost' if self._tls else '127.0.0.1'}:{self.port}"

    @property
    def posts(self) -> list[RecordedRequest]:
        """The requests that asked a model, without those that listed models."""
        return [request for request in self.requests if request.method == "POST"]

    @property
    def left(self) -> int:
        """How many scripted answers nobody has asked for."""
        return len(self._script)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._up.wait(10), "the scripted server did not start"
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        if kind is None and self.unexpected:
            paths = [f"{request.method} {request.path}" for request in self.unexpected]
            raise AssertionError(f"requests that the script has no answer for: {paths}")

    def _run(self) -> None:
        asyncio.run(self.serve())

    async def serve(self, started: Callable[[], None] = lambda: None) -> None:
        """Serve until `__exit__`, or until cancelled."""
        server = await asyncio.start_server(
            self._connected, "127.0.0.1", self._wanted_port, ssl=self._tls, limit=1 << 20, backlog=512
        )
        self.port = server.sockets[0].getsockname()[1]
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._up.set()
        started()
        try:
            await self._stop.wait()
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._connections += 1
        disconnected = threading.Event()
        try:
            while request := await self._read(reader, self._connections, disconnected):
                if not await self._answer(self._pick(request), reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went away, which some tests are about
        except asyncio.CancelledError:
            pass  # the server is closing
        finally:
            disconnected.set()
            self._tasks.discard(task)
            writer.close()

    async def _read(
        self, reader: asyncio.StreamReader, connection: int, disconnected: threading.Event
    ) -> RecordedRequest | None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        request = RecordedRequest(
            method=method, path=path, headers=headers, raw=raw, connection=connection, disconnected=disconnected
        )
        if self._record:
            self.requests.append(request)
        return request

    def _pick(self, request: RecordedRequest) -> Exchange:
        if request.method == "GET" and request.path.partition("?")[0].endswith("/models"):
            entries = [{"id": name, "object": "model", "type": "model"} for name in self.models]
            return self.models_answer or json_answer({"object": "list", "data": entries, "has_more": False})
        said: Scripted | None = self._script.popleft() if self._script else self._always
        if callable(said):
            said = said(request)
        self._served += 1
        match said:
            case None:
                self.unexpected.append(request)
                return json_answer({"error": {"message": "the script has no answer left"}}, status=400)
            case Turn():
                return answer(said, path=request.path, body=request.json, number=self._served)
            case bytes():
                return sse(said)
            case dict():
                return json_answer(said)
            case Exchange():
                return said

    async def _answer(self, exchange: Exchange, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Send it; False when the connection is to be closed."""
        end = len(exchange.body) if exchange.cut_at is None else min(exchange.cut_at, len(exchange.body))
        if exchange.gate is not None and exchange.gate_at is None:
            await _stand(exchange.gate, reader)
        if end < 0:
            return _hang_up(exchange, writer)
        writer.write(exchange.head())
        start = 0
        if exchange.gate is not None and exchange.gate_at is not None:
            start = min(exchange.gate_at, end)
            writer.write(b"".join(exchange.pieces(0, start)))
            await writer.drain()
            await _stand(exchange.gate, reader)
        if exchange.pause_s:
            for piece in exchange.pieces(start, end):
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(exchange.pause_s)
        else:
            writer.write(b"".join(exchange.pieces(start, end)))
        if exchange.cut_at is not None:
            await writer.drain()
            return _hang_up(exchange, writer)
        if exchange.framing == "chunked":
            writer.write(b"0\r\n\r\n")
        await writer.drain()
        return exchange.framing != "close"


async def _stand(gate: Gate, reader: asyncio.StreamReader) -> None:
    """Wait at the gate, or until the client has gone."""
    waiting = asyncio.ensure_future(gate.wait())
    gone = asyncio.ensure_future(reader.read(1))
    try:
        await asyncio.wait({waiting, gone}, return_when=asyncio.FIRST_COMPLETED)
        if gone.done() and not waiting.done():
            raise ConnectionResetError("the client hung up")
    finally:
        waiting.cancel()
        gone.cancel()
        await asyncio.wait({waiting, gone})  # until the reader is free again


def _hang_up(exchange: Exchange, writer: asyncio.StreamWriter) -> bool:
    if exchange.reset:
        sock: socket.socket = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


@contextlib.contextmanager
def silent_listener() -> Generator[str]:
    """The URL of a socket that takes connections (the kernel does) and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def turns_from_json(value: Any) -> list[Turn]:
    """`[{"text": …, "thinking": …, "calls": [{"name", "input", "id"?}], "usage": {…}, "stop_reason": …}, …]`"""
    turns: list[Turn] = []
    for entry in value:
        calls = tuple(Call(**call) for call in entry.get("calls", ()))
        more = {"usage": Usage(**entry["usage"])} if "usage" in entry else {}
        plain = {name: entry[name] for name in ("text", "thinking", "stop_reason", "chunk") if name in entry}
        turns.append(replace(Turn(calls=calls, **plain), **more))
    return turns


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve scripted model answers on 127.0.0.1; prints the URL.")
    parser.add_argument("--script", required=True, help="JSON: a list of turns, or {turns, models}")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--repeat", action="store_true", help="say the last turn for ever")
    options = parser.parse_args()
    with open(options.script, encoding="utf-8") as file:
        value: Any = json.load(file)
    script: dict[str, Any] = {"turns": value} if isinstance(value, list) else value
    server = ModelServer(port=options.port, record=False)
    server.models = script.get("models", server.models)
    turns = turns_from_json(script["turns"])
    server.script(*(turns[:-1] if options.repeat else turns))
    if options.repeat:
        server.always(turns[-1])
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(server.serve(started=lambda: print(server.base_url, flush=True)))  # noqa: T201 - the command's output


if __name__ == "__main__":
    main()
