"""Nothing of this computer and its network can be reached, by whatever way a URL tries."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
import trustme

from helloclaw.tools.base import ToolError
from helloclaw.tools.registry import open_context
from helloclaw.tools.web.addresses import networks
from helloclaw.tools.web.guard import Guard, system_resolve
from helloclaw.tools.web.urls import parse_url
from tests.tools.conftest import Bench
from tests.tools.web.conftest import (
    INSIDE,
    OUTSIDE,
    Names,
    Web,
    client_tls,
    redirect,
    reply,
    server_tls,
    serving,
    surfing,
)
from tests.tools.web.test_addresses import CLOSED

HOSTS = [f"[{address}]" if ":" in address else address for address in CLOSED if address[:1].isdigit() or ":" in address]


async def test_without_a_word_from_the_person_this_computer_is_closed(tmp_path: Path) -> None:
    async with serving(INSIDE) as inside:
        inside.routes["/"] = reply("secret")
        bench = Bench(open_context("session", tmp_path))
        for host in ("127.0.0.1", "localhost", "localhost.", "[::ffff:127.0.0.1]", "１２７.0.0.1", "0.0.0.0"):
            text = await bench.error("web_fetch", url=f"http://{host}:{inside.port}/")
            assert text.endswith(
                ". web_fetch reaches the public internet only; "
                "a program run by bash can speak to this computer and its network"
            )
        await bench.context.close()
        assert inside.connections == 0


async def test_what_a_refusal_says() -> None:
    guard = Guard(resolve=Names())
    with pytest.raises(ToolError) as caught:
        await guard.addresses(parse_url("http://169.254.169.254/latest/meta-data"))
    assert str(caught.value).startswith(
        "http://169.254.169.254/latest/meta-data was not fetched: 169.254.169.254 is a cloud's metadata service. "
    )


@pytest.mark.parametrize("host", HOSTS)
async def test_every_closed_address_as_the_host_of_a_url_and_of_a_redirect(web: Web, host: str) -> None:
    web.site.routes["/a"] = redirect(f"http://{host}/")
    for text in (await web.bench.error("web_fetch", url=f"http://{host}/"), await web.error("/a")):
        assert " is no" in text or "names a network interface" in text or "was not fetched" in text or "unusual" in text
    assert len(web.site.asked) == 1


@pytest.mark.parametrize("address", [each for each in CLOSED if "." in each or ":" in each])
async def test_every_closed_address_as_what_a_name_leads_to(web: Web, address: str) -> None:
    web.names.answers["evil.test"] = [(address,)]
    text = await web.bench.error("web_fetch", url="http://evil.test/")
    assert text.startswith(f"http://evil.test/ was not fetched: evil.test is {address}, which is {CLOSED[address]}. ")


async def test_one_closed_address_among_open_ones_closes_the_name(web: Web) -> None:
    web.site.routes["/"] = reply("x")
    web.names.answers["both.test"] = [(OUTSIDE, INSIDE)]
    assert "both.test is 127.0.0.1" in await web.bench.error("web_fetch", url=web.url(host="both.test"))
    assert web.site.connections == 0


async def test_a_redirect_to_a_name_inside(web: Web) -> None:
    async with serving(INSIDE) as inside:
        inside.routes["/"] = reply("secret")
        web.names.answers["intranet.test"] = [(INSIDE,)]
        web.site.routes["/a"] = redirect(f"http://intranet.test:{inside.port}/")
        assert "intranet.test is 127.0.0.1, which is this computer" in await web.error("/a")
        assert inside.connections == 0


async def test_a_name_that_changes_its_mind_is_looked_up_once(web: Web) -> None:
    """DNS rebinding: judged at one address, connected to at another."""
    async with serving(INSIDE) as inside:
        inside.routes["/"] = reply("secret", "text/plain")
        web.names.answers["rebind.test"] = [(OUTSIDE,), (INSIDE,)]
        web.site.routes["/"] = reply("open", "text/plain")
        assert (await web.bench.text("web_fetch", url=web.url(host="rebind.test"))).endswith("open")
        assert web.names.looked_up == ["rebind.test"]
        assert "which is this computer" in await web.bench.error("web_fetch", url=web.url(host="rebind.test"))
        assert inside.connections == 0


async def test_a_redirect_to_itself_is_judged_again(web: Web) -> None:
    web.names.answers["rebind.test"] = [(OUTSIDE,), (INSIDE,)]
    web.site.routes["/a"] = redirect("/b")
    assert "which is this computer" in await web.bench.error("web_fetch", url=web.url("/a", "rebind.test"))
    assert web.names.looked_up == ["rebind.test", "rebind.test"]


async def test_the_judged_address_gets_the_names_host_and_sni(tmp_path: Path, authority: trustme.CA) -> None:
    seen: list[str | None] = []
    tls = server_tls(authority, "site.test")
    tls.sni_callback = lambda _socket, name, _context: seen.append(name)
    async with serving(tls=tls) as site, surfing(tmp_path, site, tls=client_tls(authority)) as web:
        site.routes["/"] = reply("safe", "text/plain")
        await web.bench.text("web_fetch", url=f"https://site.test:{site.port}/")
        assert seen == ["site.test"]
        assert site.asked[0].headers["host"] == f"site.test:{site.port}"


async def test_an_address_in_a_certificate(tmp_path: Path, authority: trustme.CA) -> None:
    async with serving(tls=server_tls(authority, OUTSIDE)) as site:
        site.routes["/"] = reply("safe", "text/plain")
        async with surfing(tmp_path, site, tls=client_tls(authority)) as web:
            assert (await web.bench.text("web_fetch", url=f"https://{OUTSIDE}:{site.port}/")).endswith("safe")


async def test_the_systems_names() -> None:
    assert await system_resolve("127.0.0.1", 80) == ["127.0.0.1"]
    assert set(await system_resolve("localhost", 80)) <= {"127.0.0.1", "::1"}
    with pytest.raises(OSError, match=r".") as caught:
        await system_resolve("name.invalid", 80)
    assert isinstance(caught.value, socket.gaierror)


async def test_a_resolver_that_never_answers_is_given_up(tmp_path: Path) -> None:
    from helloclaw.tools.web.access import WebAccess
    from helloclaw.tools.web.download import Downloader, Limits

    async def never(_host: str, _port: int) -> list[str]:
        await asyncio.Event().wait()
        return []

    guard = Guard(resolve=never, allowed=networks("127.0.0.2/32"))
    access = WebAccess(downloader=Downloader(guard, limits=Limits(total_s=0.2)))
    bench = Bench(open_context("session", tmp_path, web=access))
    assert await bench.error("web_fetch", url="http://site.test/") == "http://site.test/ did not answer within 0.2 s"
    await bench.context.close()
