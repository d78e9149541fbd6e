"""One call over real sockets, whatever the network and the server do."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import pytest
import trustme

from helloclaw.llm.accumulate import Accumulator
from helloclaw.llm.events import Failed, Finish, StreamEvent, TextDelta
from helloclaw.llm.messages import ModelRequest, TextBlock, ToolSpec, user_text
from helloclaw.llm.model import wire_for
from helloclaw.llm.profile import Profile
from helloclaw.llm.transport import Transport
from helloclaw.llm.wire import Endpoint, WireName
from tests.support.model_server import (
    Exchange,
    Gate,
    ModelServer,
    Turn,
    anthropic_stream,
    gzipped,
    html,
    json_answer,
    silent_listener,
    sse,
)

HI = ModelRequest(messages=(user_text("hi"),))
WIRES: list[WireName] = ["anthropic", "openai"]
KEY = "sk-secret-0123456789"


def endpoint(base_url: str, wire: WireName = "anthropic", **more: Any) -> Endpoint:
    given: dict[str, Any] = {"profile": Profile(name="test"), "model": "m", "api_key": KEY}
    return Endpoint(wire=wire, base_url=base_url if wire == "anthropic" else f"{base_url}/v1", **given | more)


@pytest.fixture
async def transport() -> AsyncIterator[Transport]:
    opened = Transport()
    yield opened
    await opened.aclose()


def call(transport: Transport, at: Endpoint, request: ModelRequest = HI) -> AsyncGenerator[StreamEvent]:
    return transport.call(request, at, wire_for(at))


async def ask(transport: Transport, at: Endpoint, request: ModelRequest = HI) -> list[StreamEvent]:
    events = [event async for event in call(transport, at, request)]
    assert [event for event in events if isinstance(event, Finish | Failed)] == [events[-1]]
    return events


async def said(transport: Transport, at: Endpoint) -> str:
    return "".join(event.text for event in await ask(transport, at) if isinstance(event, TextDelta))


async def failure(transport: Transport, at: Endpoint, request: ModelRequest = HI) -> Failed:
    last = (await ask(transport, at, request))[-1]
    assert isinstance(last, Failed)
    assert KEY not in last.message + last.hint
    return last


def kind(failed: Failed) -> tuple[str, bool]:
    return failed.kind, failed.retryable


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("stream", [True, False])
async def test_calls_go_over_one_connection(transport: Transport, wire: WireName, stream: bool) -> None:
    with ModelServer() as server:
        server.always(Turn(text="hello there"))
        at = endpoint(server.base_url, wire, stream=stream)
        assert [await said(transport, at) for _ in range(3)] == ["hello there"] * 3
    assert {post.connection for post in server.posts} == {1}
    assert {post.json["stream"] for post in server.posts} == {stream}


@pytest.mark.parametrize("chunk", [1, 7, 4096])
async def test_gzip(transport: Transport, chunk: int) -> None:
    with ModelServer() as server:
        server.script(gzipped(sse(anthropic_stream("Grüße 世界"), chunk=chunk)))
        assert await said(transport, endpoint(server.base_url)) == "Grüße 世界"


async def test_what_a_body_is_shows_in_its_first_byte_not_in_its_headers(transport: Transport) -> None:
    def labelled(body: bytes, content_type: str) -> Exchange:
        return Exchange(headers={"content-type": content_type}, body=body, chunk=3)

    error = json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}).encode()
    with ModelServer() as server:
        server.script(
            labelled(b"\n \n" + anthropic_stream("a"), "application/octet-stream"),
            labelled(b"\xef\xbb\xbf" + anthropic_stream("b"), "text/html"),
            labelled(b" \n" + error, "text/event-stream"),
            json_answer(json.loads(error)),
            labelled(b"\n <html>", "text/event-stream"),
            html(),
            labelled(b"[]", "application/json"),
            labelled(b'{"no": "message"}', "application/json"),
            labelled(b'{"content": [{"type": "te', "application/json"),
            labelled(b'{"content": nonsense}', "application/json"),
            labelled(b"", "application/json"),
        )
        at = endpoint(server.base_url)
        assert [await said(transport, at), await said(transport, at)] == ["a", "b"]
        assert [kind(await failure(transport, at)) for _ in range(server.left)] == [
            ("overloaded", True),
            ("overloaded", True),
            ("not_an_api", False),
            ("not_an_api", False),
            ("protocol", False),
            ("protocol", False),
            ("interrupted", True),
            ("protocol", False),
            ("interrupted", True),
        ]


async def test_a_slow_first_byte_is_waited_for_and_no_byte_is_a_timeout(transport: Transport) -> None:
    with ModelServer() as server:
        gates = [Gate(), Gate(), Gate()]
        body = anthropic_stream("hello")
        server.script(sse(body, gate=gates[0]), sse(body, gate=gates[1]), sse(body, gate=gates[2], gate_at=300))
        asked = asyncio.create_task(said(transport, endpoint(server.base_url)))
        assert await asyncio.to_thread(gates[0].reached.wait, 5)
        gates[0].open()
        assert await asked == "hello"
        failed = await failure(transport, endpoint(server.base_url, timeout_s=0.05))
        assert (kind(failed), failed.message) == (
            ("timeout", True),
            f"test at 127.0.0.1:{server.port} sent nothing for 0.05 s",
        )
        assert kind(await failure(transport, endpoint(server.base_url, timeout_s=0.05))) == ("timeout", True)


SHORT = (
    b'data: {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "h\xc3\xa9"}}\n\n'
    b'data: {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}\n\n'
    b'event: message_stop\ndata: {"type": "message_stop"}\n\n'
)
WHOLE_AT = SHORT.index(b"event: message_stop")


@pytest.mark.parametrize(("framing", "reset"), [("chunked", False), ("close", False), ("chunked", True)])
async def test_a_stream_cut_at_any_byte_is_interrupted_unless_it_was_whole(
    transport: Transport, framing: Any, reset: bool
) -> None:
    places = range(len(SHORT))
    with ModelServer() as server:
        server.script(*(sse(SHORT, framing=framing, cut_at=place, reset=reset) for place in places))
        at = endpoint(server.base_url)
        ends = [(await ask(transport, at))[-1] for _ in places]
    interrupted = [end for end in ends if isinstance(end, Failed)]
    assert {kind(end) for end in interrupted} == {("interrupted", True)}
    assert WHOLE_AT - 3 <= len(interrupted) <= WHOLE_AT  # the blank line that ends an event may be missing
    assert ends[len(interrupted) :] == [Finish("end_turn")] * (len(SHORT) - len(interrupted))


async def test_a_connection_that_closes_before_it_says_anything(transport: Transport) -> None:
    with ModelServer() as server:
        server.script(Exchange(cut_at=-1))
        assert kind(await failure(transport, endpoint(server.base_url))) == ("interrupted", True)


async def test_nothing_listens(transport: Transport) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert await failure(transport, endpoint(f"http://127.0.0.1:{port}")) == Failed(
        kind="connect",
        message=f"test: nothing listens at http://127.0.0.1:{port}",
        hint="Is test's server started? Start it, or check the port in the base URL.",
        detail=f"test/m · 127.0.0.1:{port}",
        retryable=True,
    )


async def test_something_listens_and_says_nothing(transport: Transport) -> None:
    with silent_listener() as url:
        assert kind(await failure(transport, endpoint(url, timeout_s=0.05))) == ("timeout", True)


async def test_a_name_that_nobody_has(transport: Transport, no_proxies: None) -> None:
    failed = await failure(transport, endpoint("http://nobody.invalid"))
    assert (kind(failed), failed.message) == (("connect", True), "test: the name nobody.invalid was not found")


@pytest.mark.parametrize("url", ["", "nonsense", "ftp://host.example", "http://", "http://[::1", "http://host:port"])
async def test_a_base_url_that_is_none(transport: Transport, no_proxies: None, url: str) -> None:
    assert not (await failure(transport, endpoint(url))).retryable


@pytest.mark.parametrize("key", ["ключ", "line\nfeed", "half\ud83d"])
async def test_a_key_that_can_not_be_sent(transport: Transport, key: str) -> None:
    with ModelServer() as server:
        failed = await failure(transport, endpoint(server.base_url, api_key=key))
        assert kind(failed) == ("bad_request", False)
        assert failed.message == "test: the API key or the base URL has characters that HTTP does not allow"
    assert server.requests == []


async def test_half_characters_are_replaced_before_they_are_sent(transport: Transport) -> None:
    tool = ToolSpec(name="t", description="\ud83d", input_schema={"type": "object", "title": "\ude00"})
    request = ModelRequest(messages=(user_text("a\ud83d\ude00b\ud83d"),), system="\udc80", tools=(tool,))
    with ModelServer() as server:
        server.script(Turn(text="ok"))
        await ask(transport, endpoint(server.base_url), request)
    body = server.posts[0].json
    sent = (body["messages"][0]["content"][0]["text"], body["system"][0]["text"], body["tools"][0])
    assert sent[:2] == ("a😀b\ufffd", "\ufffd")
    assert (sent[2]["description"], sent[2]["input_schema"]["title"]) == ("\ufffd", "\ufffd")


@pytest.mark.parametrize("wire", WIRES)
async def test_an_endless_event_or_answer_is_refused(
    transport: Transport, wire: WireName, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("helloclaw.llm.transport.MAX_ANSWER_BYTES", 1000)
    with ModelServer() as server:
        server.script(sse(b"data: " + b"x" * (17 << 20), chunk=1 << 20), json_answer({"content": "x" * 2000}))
        at = endpoint(server.base_url, wire)
        assert [kind(await failure(transport, at)) for _ in range(2)] == [("protocol", False)] * 2


async def test_an_endless_error_is_cut(transport: Transport) -> None:
    with ModelServer() as server:
        server.script(Exchange(status=500, body=b"x" * (3 << 20)))
        failed = await failure(transport, endpoint(server.base_url))
    assert (failed.kind, failed.status, len(failed.message) < 500) == ("server", 500, True)


@pytest.mark.parametrize("how", ["cancel", "close"])
@pytest.mark.parametrize("begun", [False, True])
async def test_stopping_closes_the_connection_at_once(transport: Transport, how: str, begun: bool) -> None:
    with ModelServer() as server:
        gate = Gate()
        body = anthropic_stream("hello")
        server.script(sse(body, gate=gate, gate_at=body.index(b"event: content_block_stop") if begun else None))
        at = endpoint(server.base_url)
        events = call(transport, at)

        async def consume() -> None:
            async with contextlib.aclosing(events):
                async for _ in events:
                    if how == "close":
                        return

        task = asyncio.create_task(consume())
        assert await asyncio.to_thread(gate.reached.wait, 5)
        if how == "cancel" or not begun:
            task.cancel()
        done, _ = await asyncio.wait({task}, timeout=0.3)
        assert done == {task}
        assert await asyncio.to_thread(server.posts[0].disconnected.wait, 0.3)


async def test_redirects_are_followed_to_the_same_server_only(transport: Transport) -> None:
    def redirect(location: str, status: int = 307) -> Exchange:
        return Exchange(status=status, headers={"location": location}, framing="length")

    with ModelServer() as server, ModelServer() as elsewhere:
        server.script(redirect("/new/v1/messages", 308), Turn(text="followed"))
        server.script(redirect(f"{elsewhere.base_url}/v1/messages"))
        server.script(*(redirect("/v1/messages") for _ in range(4)))
        at = endpoint(server.base_url)
        assert await said(transport, at) == "followed"
        away = await failure(transport, at)
        assert (kind(away), elsewhere.base_url in away.message) == (("not_an_api", False), True)
        assert kind(await failure(transport, at)) == ("not_an_api", False)
    assert [post.path for post in server.posts[:2]] == ["/v1/messages", "/new/v1/messages"]
    assert server.posts[1].json == server.posts[0].json
    assert elsewhere.requests == []


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def test_a_proxy_is_used_but_not_for_this_computer(
    transport: Transport, no_proxies: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer() as proxy, ModelServer() as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.base_url)
        proxy.script(Turn(text="by proxy"))
        server.script(Turn(text="directly"))
        assert await said(transport, endpoint("http://model.invalid")) == "by proxy"
        assert await said(transport, endpoint(server.base_url)) == "directly"
    assert [post.path for post in proxy.posts] == ["http://model.invalid/v1/messages"]


async def test_a_proxy_that_does_not_work(
    transport: Transport, no_proxies: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://proxy.example")
    failed = await failure(transport, endpoint("http://model.invalid"))
    assert not failed.retryable
    assert "nonsense" in failed.message


def server_context(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)  # pyright: ignore[reportUnknownMemberType] - its types want pyOpenSSL
    return context


async def test_a_certificate_is_checked() -> None:
    authority = trustme.CA()
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)  # pyright: ignore[reportUnknownMemberType] - as above
    with ModelServer(tls=server_context(authority)) as server:
        server.script(Turn(text="secret"))
        async with contextlib.aclosing(Transport(tls=trusting)) as transport:
            assert await said(transport, endpoint(server.base_url)) == "secret"
        async with contextlib.aclosing(Transport()) as transport:
            failed = await failure(transport, endpoint(server.base_url))
    assert kind(failed) == ("tls", False)
    assert failed.message.startswith(f"the certificate of localhost:{server.port} can't be trusted")
    assert "SSL_CERT_FILE" in failed.hint


async def test_a_company_names_its_certificates_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    authority = trustme.CA()
    file = tmp_path_factory.mktemp("ca") / "ca.pem"
    authority.cert_pem.write_to_path(str(file))
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with ModelServer(tls=server_context(authority)) as server:
        server.script(Turn(text="secret"))
        async with contextlib.aclosing(Transport()) as transport:
            assert await said(transport, endpoint(server.base_url)) == "secret"


async def test_tls_to_a_server_without(transport: Transport) -> None:
    async def refuse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        failed = await failure(transport, endpoint(f"https://127.0.0.1:{port}"))
    assert kind(failed) == ("tls", False)
    assert "http://" in failed.hint


async def test_plain_http_sets_up_no_tls(transport: Transport, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading the system's certificates takes 20 ms or more; here it could not even be done."""
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file")
    with ModelServer() as server:
        server.script(Turn(text="plain"))
        assert await said(transport, endpoint(server.base_url)) == "plain"
        assert not (await failure(transport, endpoint("https://host.invalid"))).retryable


@pytest.mark.parametrize("wire", WIRES)
async def test_the_list_of_models(transport: Transport, wire: WireName) -> None:
    with ModelServer() as server:
        at = endpoint(server.base_url, wire)
        server.models = ["one", "two"]
        assert await transport.list_models(at) == ["one", "two"]
        server.models_answer = json_answer({"models": [{"name": "three"}, {"id": "four"}, 5]})
        assert await transport.list_models(at) == ["three", "four"]
        failures: list[tuple[str, bool]] = []
        for answer in (json_answer({}, status=404), html(), json_answer({"data": []}), Exchange(cut_at=-1)):
            server.models_answer = answer
            failed = await transport.list_models(at)
            assert isinstance(failed, Failed)
            failures.append(kind(failed))
    assert failures == [("not_found", False), ("protocol", False), ("protocol", False), ("interrupted", True)]
    assert {request.path.partition("?")[0] for request in server.requests} == {"/v1/models"}
    keys = {request.headers.get("authorization") for request in server.requests}
    assert keys == {f"Bearer {KEY}"}


async def test_a_long_answer_in_small_pieces_is_read_quickly(transport: Transport) -> None:
    """20,000 tokens; the time is not asserted, the amount is."""
    with ModelServer() as server:
        server.script(Turn(text="word " * 20_000))
        folded = Accumulator()
        for event in await ask(transport, endpoint(server.base_url)):
            folded.add(event)
    assert folded.message().content == (TextBlock(text="word " * 20_000),)
