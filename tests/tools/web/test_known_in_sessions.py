"""Which fetches of a session are free and which are asked: what a person typed, a search found or a page linked to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Say
from helloclaw.tools.web.access import SearchAddresses, WebAccess
from helloclaw.tools.web.addresses import networks
from helloclaw.tools.web.download import Downloader
from helloclaw.tools.web.guard import Guard
from tests.support.model_server import Call, ModelServer, Turn
from tests.support.world import Heard, World
from tests.tools.web.conftest import INSIDE, OUTSIDE, Names, Site, redirect, reply, serving
from tests.tools.web.test_search import json


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def world(tmp_path: Path, server: ModelServer) -> World:
    return World(tmp_path, server, more={"TAVILY_API_KEY": "k"})


@pytest.fixture
async def service() -> AsyncIterator[Site]:
    async with serving(INSIDE) as service:
        yield service


def web_of(service: Site) -> WebAccess:
    names = Names()
    names.answers["site.test"] = [(OUTSIDE,)]
    guard = Guard(resolve=names, allowed=networks(f"{OUTSIDE}/32"))
    addresses = SearchAddresses(tavily=f"http://{INSIDE}:{service.port}/tavily")
    return WebAccess(downloader=Downloader(guard), addresses=addresses)


def fetch(url: str) -> Turn:
    return Turn(calls=(Call(name="web_fetch", input={"url": url}),))


def outcomes(heard: Heard) -> list[str]:
    """What became of each call: the last line of its output, or why it was refused."""
    return [
        event.output.splitlines()[-1] if isinstance(event, out.ToolEnd) else event.reason.partition(";")[0]
        for event in heard.of(out.ToolEnd, out.ToolDenied)
    ]


async def test_what_the_person_typed_is_free_and_what_the_model_made_up_is_not(
    world: World, server: ModelServer, site: Site, service: Site
) -> None:
    base = f"http://site.test:{site.port}"
    site.routes |= {"/typed": reply("typed page", "text/plain"), "/leak": reply("leaked", "text/plain")}
    server.script(fetch(f"{base}/typed#x"), fetch(f"{base}/leak?secret=1"), Turn(text=f"see {base}/leak?secret=1"))
    server.script(fetch(f"{base}/leak?secret=1"), Turn(text="done"))
    async with world.session(web=web_of(service)) as (session, heard):
        await session.turn(
            Say(text=f"Read {base.upper().replace('HTTP', 'http')}/typed, please", context=(f"{base}/leak",))
        )
        await session.turn(Say(text="again"))
    refused = f"nobody gave it the address {base}/leak?secret=1"
    assert outcomes(heard) == ["typed page", refused, refused]
    assert [asked.path for asked in site.asked] == ["/typed"]


async def test_links_of_a_fetched_page_and_search_results_are_free(
    world: World, server: ModelServer, site: Site, service: Site
) -> None:
    base = f"http://site.test:{site.port}"
    site.routes |= {
        "/a": reply("<p>See <a href='/linked'>this</a>"),
        "/linked": reply("linked page", "text/plain"),
        "/found": reply("found page", "text/plain"),
    }
    service.routes["/tavily"] = json({"results": [{"title": "Found", "url": f"{base}/found", "content": ""}]})
    server.script(
        fetch(f"{base}/a"),
        fetch(f"{base}/linked"),
        Turn(calls=(Call(name="web_search", input={"query": "found"}),)),
        fetch(f"{base}/found"),
        Turn(text="done"),
    )
    async with world.session(web=web_of(service)) as (session, heard):
        await session.turn(Say(text=f"Read {base}/a"))
    assert outcomes(heard) == [f"See [this]({base}/linked)", "linked page", f"   {base}/found", "found page"]
    assert not heard.of(out.ToolDenied)


async def test_a_resumed_session_knows_them_again_but_not_what_the_model_said(
    world: World, server: ModelServer, site: Site, service: Site
) -> None:
    base = f"http://site.test:{site.port}"
    site.routes |= {"/a": reply("<p>See <a href='/linked'>this</a>"), "/leak": reply("leaked")}
    site.routes |= {path: reply(f"page {path}", "text/plain") for path in ("/linked", "/found", "/typed")}
    service.routes["/tavily"] = json({"results": [{"title": "Found", "url": f"{base}/found", "content": ""}]})
    server.script(
        fetch(f"{base}/a"),
        Turn(calls=(Call(name="web_search", input={"query": f"{base}/leak?query"}),)),
        Turn(text=f"{base}/leak?text"),
    )
    async with world.session(web=web_of(service)) as (session, _):
        await session.turn(Say(text=f"Read {base}/a and {base}/typed"))
        first = session.id
    paths = ("/linked", "/found", "/typed", "/leak?query", "/leak?text")
    for fork in (True, False):
        server.script(*(fetch(base + path) for path in paths), Turn(text="done"))
        async with world.session(resume=first, fork=fork, web=web_of(service)) as (session, heard):
            await session.turn(Say(text="go on"))
        assert outcomes(heard)[:3] == ["page /linked", "page /found", "page /typed"]
        assert [type(event) for event in heard.of(out.ToolEnd, out.ToolDenied)][3:] == [out.ToolDenied] * 2


async def test_a_denied_domain_is_not_reached_by_a_redirect(
    world: World, server: ModelServer, site: Site, service: Site
) -> None:
    base = f"http://site.test:{site.port}"
    site.routes["/a"] = redirect(f"http://evil.test:{site.port}/")
    world.home.root.mkdir(parents=True)
    (world.home.root / "config.json").write_text('{"permissions": {"deny": ["WebFetch(domain:evil.test)"]}}')
    server.script(fetch(f"{base}/a"), Turn(text="done"))
    async with world.session(web=web_of(service)) as (session, heard):
        await session.turn(Say(text=f"Read {base}/a"))
    (end,) = heard.of(out.ToolEnd)
    assert end.error is not None
    assert "the rule WebFetch(domain:evil.test) is about that address; fetch it by itself" in end.output
    assert [asked.path for asked in site.asked] == ["/a"]


async def test_a_url_that_can_never_be_fetched_is_not_asked_about(
    world: World, server: ModelServer, service: Site
) -> None:
    server.script(fetch("file:///etc/passwd"), Turn(text="done"))
    async with world.session(web=web_of(service), interactive=True) as (session, heard):
        await session.turn(Say(text="go"))
    assert not heard.of(out.PermissionAsk)
    assert outcomes(heard) == [
        "'file:///etc/passwd': only http and https URLs can be fetched, such as https://example.org/"
    ]
