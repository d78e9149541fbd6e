"""A session's access to the web: the URLs it knows of, how pages are got, and which search answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from helloclaw.tools.web.known import KnownUrls

if TYPE_CHECKING:
    from helloclaw.tools.web.download import Downloader


class SearchChoice(Struct, frozen=True, kw_only=True):
    """Who is asked: `provider` is auto, brave, tavily, duckduckgo, or a SearXNG's URL, with or without `searxng:`."""

    provider: str = "auto"
    brave_api_key: str = ""
    tavily_api_key: str = ""


class SearchAddresses(Struct, frozen=True, kw_only=True):
    """Where the services are. For DuckDuckGo: a proxy to reach it by, and a file of certificates to trust."""

    brave: str = "https://api.search.brave.com/res/v1/web/search"
    tavily: str = "https://api.tavily.com/search"
    duckduckgo_proxy: str | None = None
    duckduckgo_certificates: str | None = None


class WebAccess:
    """One per session. `choice` and `refuses` are set anew for each turn.

    `refuses` gives the reason why a redirect to a URL may not be followed: the person's rules bind it like any URL.
    """

    def __init__(self, *, downloader: Downloader | None = None, addresses: SearchAddresses | None = None) -> None:
        self.known = KnownUrls()
        self._given = downloader
        self.addresses = addresses or SearchAddresses()
        self.choice = SearchChoice()
        self.refuses: Callable[[str], str | None] = lambda _: None

    @cached_property
    def downloader(self) -> Downloader:
        from helloclaw.tools.web.download import Downloader
        from helloclaw.tools.web.guard import Guard

        return self._given or Downloader(Guard())
