"""Get what is at a URL: few redirects, each judged like the first URL, and never more bytes or seconds than allowed.

Every hop connects to an address that `Guard` has judged, while the Host header and the certificate stay the name's.
Proxies are not used: behind one nobody here could know where a connection ends.
"""

from __future__ import annotations

import asyncio
import os
import ssl
import zlib
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from helloclaw.tools.base import ToolError
from helloclaw.tools.output_text import cleaned
from helloclaw.tools.web.guard import Guard
from helloclaw.tools.web.inflate import ENCODINGS, Inflater
from helloclaw.tools.web.urls import Target, join

if TYPE_CHECKING:
    import httpx2

_HEADERS = {
    "user-agent": "Mozilla/5.0 (compatible; HelloClaw)",
    "accept": "text/html, application/xhtml+xml, text/*, application/json, application/pdf;q=0.9, */*;q=0.5",
    "accept-encoding": "gzip, deflate",  # what can be unpacked within a limit
    "accept-language": "*",
}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")


class Limits(Struct, frozen=True, kw_only=True):
    """`total_s` is for everything from the first look-up to the last byte, `idle_s` for each wait within."""

    total_s: float = 15.0
    idle_s: float = 8.0
    body_bytes: int = 5 * 1024 * 1024
    redirects: int = 5


class Fetched(Struct, frozen=True, kw_only=True):
    """An answer. `body` is unpacked; `cut` says why it is not all of it. `first` is where the redirects began."""

    first: Target
    target: Target
    status: int
    reason: str
    content_type: str
    body: bytes
    cut: Literal["size", "time", "connection"] | None = None


class Downloader:
    """`tls` replaces the system's trust store. `refuses` gives the reason why a redirect's URL may not be followed."""

    def __init__(
        self,
        guard: Guard,
        *,
        limits: Limits | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._guard = guard
        self._limits = limits or Limits()
        self._tls = tls

    async def get(self, first: Target, refuses: Callable[[str], str | None] = lambda _: None) -> Fetched:
        """Raises `ToolError` where there is no answer, or none that may be read."""
        deadline = asyncio.get_running_loop().time() + self._limits.total_s
        at = first
        try:
            for left in reversed(range(self._limits.redirects + 1)):
                async with asyncio.timeout_at(deadline):
                    addresses = await self._guard.addresses(at)
                async with self._answer(at, addresses, deadline) as response:
                    location = response.headers.get("location")
                    if response.status_code not in _REDIRECTS or not location:
                        return await self._read(response, first, at, deadline)
                    if not left:
                        raise ToolError(
                            f"{first.url} redirects more than {self._limits.redirects} times, last to {location[:200]}"
                        )
                at = _follow(at, location, refuses)
        except TimeoutError:
            raise ToolError(f"{at.url} did not answer within {self._limits.total_s:g} s") from None
        raise ToolError(f"{first.url} was not fetched")  # can't be: the last round returns or raises

    @asynccontextmanager
    async def _answer(self, at: Target, addresses: tuple[str, ...], deadline: float) -> AsyncGenerator[httpx2.Response]:
        """The answer of the first address that can be connected to, its body unread."""
        import httpx2

        transport = httpx2.AsyncHTTPTransport(verify=self._context(at), trust_env=False)
        try:
            async with asyncio.timeout_at(deadline):
                response = await self._ask(transport, at, addresses)
            try:
                yield response
            finally:
                await response.aclose()
        except httpx2.TimeoutException:
            raise ToolError(f"{at.url}: the server sent nothing for {self._limits.idle_s:g} s") from None
        except httpx2.TransportError as error:
            raise ToolError(_unreachable(at, error)) from None
        finally:
            await transport.aclose()

    async def _ask(
        self, transport: httpx2.AsyncHTTPTransport, at: Target, addresses: tuple[str, ...]
    ) -> httpx2.Response:
        import httpx2

        timeout = httpx2.Timeout(self._limits.idle_s, connect=self._limits.idle_s / min(2, len(addresses)))
        for index, address in enumerate(addresses):
            request = httpx2.Request(
                "GET",
                httpx2.URL(scheme=at.scheme, host=address, port=at.port, raw_path=at.path.encode("ascii")),
                headers={"host": at.netloc, **_HEADERS},
                extensions={"timeout": timeout.as_dict(), "sni_hostname": at.host},
            )
            try:
                return await transport.handle_async_request(request)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                if index == len(addresses) - 1:
                    raise
        raise ToolError(f"{at.host}: the name has no address")  # can't be: `Guard` gives at least one

    async def _read(self, response: httpx2.Response, first: Target, at: Target, deadline: float) -> Fetched:
        import httpx2

        body = bytearray()
        cut = None
        try:
            async with asyncio.timeout_at(deadline):
                async with aclosing(_unpacked(response, at, self._limits.body_bytes + 1)) as pieces:
                    async for piece in pieces:
                        body += piece
            if len(body) > self._limits.body_bytes:
                cut = "size"
        except (TimeoutError, httpx2.TimeoutException):
            cut = "time"
        except (httpx2.TransportError, zlib.error):
            cut = "connection"
        if cut in ("time", "connection") and not body:
            what = "nothing came in time" if cut == "time" else "the connection broke off or the data is damaged"
            raise ToolError(f"{at.url} answered {response.status_code}, but of its content {what}")
        return Fetched(
            first=first,
            target=at,
            status=response.status_code,
            reason=cleaned(response.reason_phrase)[:100],
            content_type=cleaned(response.headers.get("content-type", ""))[:200],
            body=bytes(body[: self._limits.body_bytes]),
            cut=cut,
        )

    def _context(self, at: Target) -> ssl.SSLContext | bool:
        import httpx2

        if at.scheme != "https":
            return False
        if self._tls is None:
            self._tls = httpx2.create_ssl_context()
        return self._tls


async def _unpacked(response: httpx2.Response, at: Target, room: int) -> AsyncGenerator[bytes]:
    """The body without its compression, at most `room` bytes of it, and no more of it read than that."""
    packed = [name.strip().lower() for name in response.headers.get("content-encoding", "").split(",") if name.strip()]
    packed = [name for name in packed if name != "identity"]
    if len(packed) > 1 or not ENCODINGS.issuperset(packed):
        raise ToolError(f"{at.url} is compressed with {', '.join(packed)[:50]}, which was not asked for")
    inflater = Inflater() if packed else None
    read = given = 0
    async for piece in response.aiter_raw():
        read += len(piece)
        out = inflater.feed(piece, room - given) if inflater else piece[: room - given]
        given += len(out)
        yield out
        if given >= room or read >= room:
            return


def _follow(at: Target, location: str, refuses: Callable[[str], str | None]) -> Target:
    """Where a redirect leads. Raises `ToolError` if it may not be followed."""
    there = join(at, location)
    if (at.scheme, there.scheme) == ("https", "http"):
        raise ToolError(f"{at.url} redirects to {there.url}, from https to http; that is not followed")
    if why := refuses(there.url):
        raise ToolError(f"{at.url} redirects to {there.url}; that is not followed: {why}")
    return there


def _unreachable(at: Target, error: Exception) -> str:
    reason = cleaned(str(error))[:300] or type(error).__name__
    message = f"{at.url} could not be fetched: {reason}"
    if name := next((name for name in _PROXIES if os.environ.get(name)), None):
        message += f". {name} is set, but web_fetch connects directly"
    return message
