"""A small web of real servers on loopback: 127.0.0.2 stands for the internet, all else here stays closed."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import trustme

from helloclaw.tools.registry import open_context
from helloclaw.tools.web.access import WebAccess
from helloclaw.tools.web.addresses import networks
from helloclaw.tools.web.download import Downloader, Limits
from helloclaw.tools.web.guard import Guard
from tests.tools.conftest import Bench

OUTSIDE = "127.0.0.2"
INSIDE = "127.0.0.1"

Answer = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]


def reply(
    body: bytes | str = b"", content_type: str = "text/html; charset=utf-8", *, status: str = "200 OK", **headers: str
) -> bytes:
    """A whole HTTP answer; a header's underscores become hyphens."""
    content = body.encode() if isinstance(body, str) else body
    typed = {"content-type": content_type} if content_type else {}
    named = typed | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"HTTP/1.1 {status}\r\n{lines}content-length: {len(content)}\r\n\r\n".encode() + content


def redirect(to: str, status: str = "302 Found") -> bytes:
    return reply(status=status, location=to)


@dataclass
class Asked:
    """A request as it came, header names in lower case."""

    line: str
    headers: dict[str, str]
    body: bytes = b""

    @property
    def path(self) -> str:
        return self.line.split()[1]


@dataclass
class Site:
    """Answers by path; `asked` is what came, `connections` how often somebody connected."""

    host: str
    port: int = 0
    routes: dict[str, Answer] = field(default_factory=dict[str, Answer])
    asked: list[Asked] = field(default_factory=list[Asked])
    connections: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:-2])}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            asked = Asked(line=head[0], headers=headers, body=body)
            self.asked.append(asked)
            answer = self.routes.get(
                asked.path.partition("?")[0], reply("not here", "text/plain", status="404 Not Found")
            )
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(writer)
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            writer.close()
            await writer.wait_closed()


@asynccontextmanager
async def serving(host: str = OUTSIDE, tls: ssl.SSLContext | None = None) -> AsyncIterator[Site]:
    site = Site(host)
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if task := asyncio.current_task():
            tasks.add(task)
        try:
            await site.serve(reader, writer)
        except asyncio.CancelledError:
            writer.close()

    server = await asyncio.start_server(serve, host, 0, ssl=tls, limit=2**20)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Names:
    """A name server. Each look-up of a name takes the next of its answers; the last one stays."""

    def __init__(self) -> None:
        self.answers: dict[str, list[Sequence[str]]] = {}
        self.looked_up: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.looked_up.append(host)
        answers = self.answers.get(host)
        if answers is None:
            raise OSError("Name or service not known")
        return answers.pop(0) if len(answers) > 1 else answers[0]


@dataclass
class Web:
    """A session whose web is `site`, called `site.test`."""

    bench: Bench
    site: Site
    names: Names
    access: WebAccess

    def url(self, path: str = "/", host: str = "site.test") -> str:
        return f"http://{host}:{self.site.port}{path}"

    async def text(self, path: str = "/", **arguments: object) -> str:
        return await self.bench.text("web_fetch", url=self.url(path), **arguments)

    async def error(self, path: str = "/", **arguments: object) -> str:
        return await self.bench.error("web_fetch", url=self.url(path), **arguments)


@asynccontextmanager
async def surfing(
    tmp_path: Path, site: Site, *, limits: Limits | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Web]:
    names = Names()
    names.answers["site.test"] = [(OUTSIDE,)]
    guard = Guard(resolve=names, allowed=networks(f"{OUTSIDE}/32"))
    access = WebAccess(downloader=Downloader(guard, limits=limits, tls=tls))
    context = open_context("session", tmp_path, web=access)
    try:
        yield Web(Bench(context), site, names, access)
    finally:
        await context.close()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving() as site:
        yield site


@pytest.fixture
async def web(tmp_path: Path, site: Site) -> AsyncIterator[Web]:
    async with surfing(tmp_path, site) as web:
        yield web


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


def server_tls(authority: trustme.CA, *names: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return context


def client_tls(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context
