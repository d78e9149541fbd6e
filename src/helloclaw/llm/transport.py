"""Send a request to a model's server and read its answer: the only module of the wires that does I/O.

What to send and how to read it is the wire's business, whether to try again `resilient`'s.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TYPE_CHECKING, Any, cast

import msgspec

from helloclaw.llm.error_report import error_in
from helloclaw.llm.events import Failed, Finish, StreamEvent
from helloclaw.llm.failures import (
    failure_from_error,
    failure_from_exception,
    failure_from_response,
    interrupted,
    is_loopback_host,
    protocol_failure,
    too_long,
)
from helloclaw.llm.lenient_json import decode_lenient
from helloclaw.llm.messages import ModelRequest
from helloclaw.llm.model_list import models_request, names_in
from helloclaw.llm.sse import SseDecoder, TooLong
from helloclaw.llm.text import encodable_value
from helloclaw.llm.wire import Decoder, Endpoint, SseEvent, Wire

if TYPE_CHECKING:
    import httpx2

CONNECT_S = 15.0
"""Seconds for a connection to be made; `Endpoint.timeout_s` is for what comes after that."""

MAX_ANSWER_BYTES = 64 * 1024 * 1024
MAX_ERROR_BYTES = 1024 * 1024
MAX_REDIRECTS = 3
DRAIN_S = 0.1
"""Seconds for the end of a stream to arrive after its last event, so that the connection can be used again."""

_BOM = b"\xef\xbb\xbf"


class Transport:
    """Keeps connections open from call to call; `aclose` closes them. `tls` replaces the system's trust store."""

    def __init__(self, *, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self._clients: dict[tuple[bool, bool], httpx2.AsyncClient] = {}

    async def call(self, request: ModelRequest, endpoint: Endpoint, wire: Wire) -> AsyncGenerator[StreamEvent]:
        """One call. Ends with exactly one `Finish` or `Failed`, and raises nothing but cancellation.

        To stop early, close the generator (`contextlib.aclosing`) or cancel the task: the connection closes at once.
        """
        ended = False
        try:
            async with contextlib.aclosing(self._answer(request, endpoint, wire)) as events:
                async for event in events:
                    ended = isinstance(event, Finish | Failed)
                    yield event
                    if ended:
                        return
        except TooLong:
            yield too_long(endpoint)
        except Exception as error:  # whatever the network or a server does, it is an event
            if not ended:
                yield failure_from_exception(error, endpoint)

    async def list_models(self, endpoint: Endpoint) -> list[str] | Failed:
        """The names of the models that the server has. Raises nothing but cancellation."""
        url, headers = models_request(endpoint)
        try:
            async with self._send("GET", url, headers, b"", endpoint) as response:
                chunks = response.aiter_bytes()
                if not response.is_success:
                    return await _refusal(response, chunks, endpoint)
                body = await _read(chunks, MAX_ANSWER_BYTES)
            names = names_in(body)
            return names or protocol_failure(endpoint, "there is no list of models")
        except Exception as error:  # as above
            return failure_from_exception(error, endpoint)

    async def aclose(self) -> None:
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.aclose()

    async def _answer(self, request: ModelRequest, endpoint: Endpoint, wire: Wire) -> AsyncGenerator[StreamEvent]:
        written = wire.request(request, endpoint)
        accept = "text/event-stream" if endpoint.stream else "application/json"
        headers = {"content-type": "application/json", "accept": accept, **written.headers}
        async with self._send("POST", written.url, headers, _encoded(written.body), endpoint) as response:
            chunks = response.aiter_bytes()
            if not response.is_success:
                yield await _refusal(response, chunks, endpoint)
                return
            head = await _head(chunks)
            match head.removeprefix(_BOM).lstrip()[:1]:
                case b"{" | b"[":  # a whole answer, whatever was asked for and the content type says
                    for event in _whole(await _read(chunks, MAX_ANSWER_BYTES, head), request, endpoint, wire):
                        yield event
                case b"<":
                    yield failure_from_response(response.status_code, response.headers, head, endpoint)
                case _:
                    decoder = wire.decoder(request, endpoint)
                    async with contextlib.aclosing(_stream(head, chunks, decoder, endpoint)) as events:
                        async for event in events:
                            yield event

    @contextlib.asynccontextmanager
    async def _send(
        self, method: str, url: str, headers: dict[str, str], content: bytes, endpoint: Endpoint
    ) -> AsyncGenerator[httpx2.Response]:
        """The response with its body unread. Redirects are followed only to the same host, for the key goes along."""
        import httpx2

        timeout = httpx2.Timeout(endpoint.timeout_s, connect=min(CONNECT_S, endpoint.timeout_s), pool=None)
        at = httpx2.URL(url)
        for left in reversed(range(MAX_REDIRECTS + 1)):
            client = self._client(at)
            built = client.build_request(method, at, headers=headers, content=content or None, timeout=timeout)
            response = await client.send(built, stream=True)
            try:
                target = _redirected(at, response)
                if target is None or not left:
                    yield response
                    return
            finally:
                await response.aclose()
            at = target

    def _client(self, url: httpx2.URL) -> httpx2.AsyncClient:
        """A client for such URLs. TLS is set up only for `https`, and proxies are not asked for this computer."""
        import httpx2

        secure, loopback = url.scheme == "https", is_loopback_host(url.host)
        client = self._clients.get((secure, loopback))
        if client is None:
            verify = (self._tls or httpx2.create_ssl_context()) if secure else False
            client = self._clients[secure, loopback] = httpx2.AsyncClient(
                verify=verify,
                trust_env=not loopback,
                headers={"user-agent": "helloclaw"},
                limits=httpx2.Limits(keepalive_expiry=60.0),
            )
        return client


async def _stream(
    head: bytes, chunks: AsyncIterator[bytes], decoder: Decoder, endpoint: Endpoint
) -> AsyncGenerator[StreamEvent]:
    """Decode a stream whose first bytes are `head`, up to the event that ends it."""
    sse = SseDecoder()
    seen = False
    closing: list[StreamEvent] = []
    try:
        chunk: bytes | None = head
        while chunk is not None:
            events = sse.feed(chunk)
            seen = seen or bool(events)
            for out in _decoded(events, decoder):
                if isinstance(out, Finish | Failed):
                    await _drain(chunks)
                    yield out
                    return
                yield out
            chunk = await anext(chunks, None)
        last = [event for event in sse.close() if _is_whole(event)]
        closing = [*_decoded(last, decoder), *decoder.close(clean=True)]
        if not seen and not last and not _may_be_events(head):
            closing = [protocol_failure(endpoint, f"the answer begins with {head[:80].decode(errors='replace')}")]
    except TooLong:
        closing = [too_long(endpoint)]
    except Exception as error:  # the connection died: what has come may be whole all the same
        closing = decoder.close(clean=False)
        if isinstance(closing[-1], Failed) and closing[-1].kind == "interrupted":
            closing[-1] = failure_from_exception(error, endpoint)
    for event in closing:
        yield event


def _may_be_events(head: bytes) -> bool:
    """Whether a body that begins so, and ended before its first event, may have been going to be a stream."""
    start = head.removeprefix(_BOM).lstrip()[:5]
    return any(field.startswith(start[: len(field)]) for field in (b"event", b"data", b"id", b"retry", b":"))


def _decoded(events: list[SseEvent], decoder: Decoder) -> list[StreamEvent]:
    return [out for event in events for out in decoder.feed(event)]


def _is_whole(event: SseEvent) -> bool:
    """Whether an event that the end of the stream cut short has all its data."""
    try:
        decode_lenient(event.data)
    except ValueError:
        return event.data.strip() == "[DONE]"
    return True


def _whole(body: bytes, request: ModelRequest, endpoint: Endpoint, wire: Wire) -> list[StreamEvent]:
    try:
        value = decode_lenient(body.decode(errors="replace").lstrip("\ufeff"))
    except ValueError:
        cut = not body.rstrip().endswith((b"}", b"]"))
        return [interrupted(endpoint) if cut else protocol_failure(endpoint, "the answer is not JSON")]
    error = error_in(value)
    if error is not None:
        return [failure_from_error(error, endpoint)]
    if not isinstance(value, dict):
        return [protocol_failure(endpoint, "the answer is not a JSON object")]
    return wire.decode_whole(cast("dict[str, Any]", value), request, endpoint)


async def _head(chunks: AsyncIterator[bytes]) -> bytes:
    """The body's beginning, up to where it says what it is."""
    head = b""
    async for chunk in chunks:
        head += chunk
        if head.removeprefix(_BOM).strip() or len(head) > MAX_ERROR_BYTES:
            break
    return head


async def _read(chunks: AsyncIterator[bytes], limit: int, head: bytes = b"") -> bytes:
    pieces, size = [head], len(head)
    while size <= limit:
        chunk = await anext(chunks, None)
        if chunk is None:
            return b"".join(pieces)
        pieces.append(chunk)
        size += len(chunk)
    raise TooLong


async def _refusal(response: httpx2.Response, chunks: AsyncIterator[bytes], endpoint: Endpoint) -> Failed:
    try:
        body = await _read(chunks, MAX_ERROR_BYTES)
    except Exception:  # the status says enough
        body = b""
    return failure_from_response(response.status_code, response.headers, body, endpoint)


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    with contextlib.suppress(Exception):
        async with asyncio.timeout(DRAIN_S):
            async for _ in chunks:
                pass


def _encoded(body: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return msgspec.json.encode(encodable_value(body))


def _redirected(at: httpx2.URL, response: httpx2.Response) -> httpx2.URL | None:
    """Where to ask again, if that is the same server, or the same host by TLS instead of without."""
    if response.status_code not in (301, 302, 307, 308):
        return None
    target = at.join(response.headers.get("location", ""))
    same = (target.scheme, target.host, target.port) == (at.scheme, at.host, at.port)
    upgraded = (at.scheme, target.scheme, target.port) == ("http", "https", None) and target.host == at.host
    return target if same or upgraded else None
