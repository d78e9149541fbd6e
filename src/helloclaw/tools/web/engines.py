"""The search services: what each is asked, and its answer as results. One function a service.

Their addresses are given by settings, so they are trusted; what they answer is not.
"""

from __future__ import annotations

import asyncio
import html
import importlib
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import Struct

from helloclaw.llm.text import encodable
from helloclaw.tools.output_text import cleaned

if TYPE_CHECKING:
    import httpx2

TIMEOUT_S = 12.0
MAX_ANSWER_BYTES = 4 * 1024 * 1024
SNIPPET_CHARS = 600
_TAG = re.compile(r"</?(?:strong|b|em|i|mark|span|br)\b[^>]*>", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_HAN = re.compile("[\u4e00-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")


class SearchResult(Struct, frozen=True, kw_only=True):
    title: str
    url: str
    snippet: str = ""


class SearchFailed(Exception):
    """Why a service gave no answer, and what would help: a clause without the service's name."""


async def brave(query: str, count: int, *, url: str, key: str) -> list[SearchResult]:
    """https://api-dashboard.search.brave.com/app/documentation/web-search"""
    parameters = {"q": query, "count": str(count)} | ({"search_lang": "zh-hans"} if is_chinese(query) else {})
    answer = await _ask("GET", url, headers={"x-subscription-token": key}, parameters=parameters)
    return _results(_under(answer, "web", "results"), "description")


async def tavily(query: str, count: int, *, url: str, key: str) -> list[SearchResult]:
    """https://docs.tavily.com/documentation/api-reference/endpoint/search"""
    body = msgspec.json.encode({"query": query, "max_results": count})
    answer = await _ask("POST", url, headers={"authorization": f"Bearer {key}"}, body=body)
    return _results(_under(answer, "results"), "content")


async def searxng(query: str, count: int, *, url: str) -> list[SearchResult]:
    """https://docs.searxng.org/dev/search_api.html; `url` is the instance's, with or without `/search`."""
    place = url.rstrip("/").removesuffix("/search") + "/search"
    answer = await _ask("GET", place, parameters={"q": query, "format": "json"})
    return _results(_under(answer, "results"), "content")[:count]


async def duckduckgo(
    query: str, count: int, *, proxy: str | None = None, certificates: str | None = None
) -> list[SearchResult]:
    """By `ddgs`, which keeps up with a page that was made for browsers. Raises `SearchFailed` for no results too."""
    return await asyncio.to_thread(_duckduckgo, query, count, proxy, certificates)


def is_chinese(query: str) -> bool:
    """Whether a query is in Chinese: services look for English pages if they are not told."""
    return bool(_HAN.search(query)) and not _KANA.search(query)


def _duckduckgo(query: str, count: int, proxy: str | None, certificates: str | None) -> list[SearchResult]:
    ddgs: Any = importlib.import_module("ddgs")
    client = ddgs.DDGS(proxy=proxy, timeout=int(TIMEOUT_S), verify=certificates or True)
    region = "cn-zh" if is_chinese(query) else "wt-wt"
    try:
        found = client.text(query, region=region, max_results=count, backend="duckduckgo")
    except Exception as error:  # whatever a scraper meets: its own errors, those of its client and parser
        if "No results" in str(error):
            raise SearchFailed("it gave no results, which is also what it does after too many searches") from None
        raise SearchFailed(_clause(error)) from error
    return [
        result
        for entry in found
        if (result := _result(entry.get("title"), entry.get("href"), entry.get("body"))) is not None
    ]


async def _ask(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    parameters: Mapping[str, str] | None = None,
    body: bytes | None = None,
) -> Any:
    """The JSON value that the service answers. Raises `SearchFailed`."""
    import httpx2

    from helloclaw.llm.failures import is_loopback_host

    accept = {
        "accept": "application/json",
        "content-type": "application/json",
        "user-agent": "HelloClaw",
    }
    try:
        # No redirects: the key goes only where it belongs. No proxy for a service on this computer.
        local = is_loopback_host(httpx2.URL(url).host)
        async with (
            asyncio.timeout(TIMEOUT_S),
            httpx2.AsyncClient(trust_env=not local, headers=accept) as client,
            client.stream(method, url, params=parameters, headers=headers, content=body) as response,
        ):
            content = await _bounded(response)
            status = response.status_code
    except TimeoutError:
        raise SearchFailed(f"it did not answer within {TIMEOUT_S:.0f} s") from None
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise SearchFailed(_clause(error)) from error
    if status != HTTPStatus.OK:
        raise SearchFailed(f"it answered HTTP {status}{_ADVICE.get(status, '')}")
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise SearchFailed("its answer is not JSON; a SearXNG needs `json` in search.formats of settings.yml") from None


_ADVICE = {
    401: ", the key is not valid",
    402: ", the plan is used up",
    403: ", which is a wrong key, or for SearXNG that `json` is missing in search.formats of its settings.yml",
    422: ", the key or the query is not valid",
    429: ", too many searches for now",
    432: ", the plan is used up",
    433: ", the plan is used up",
}


async def _bounded(response: httpx2.Response) -> bytes:
    content = bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > MAX_ANSWER_BYTES:
            raise SearchFailed(f"its answer is longer than {MAX_ANSWER_BYTES // 1024 // 1024} MB")
    return bytes(content)


def _under(answer: Any, *names: str) -> Any:
    for name in names:
        answer = cast("dict[str, Any]", answer).get(name) if isinstance(answer, dict) else None
    return answer


def _results(entries: Any, snippet: str) -> list[SearchResult]:
    if not isinstance(entries, list):
        return []
    found: list[SearchResult] = []
    for entry in cast("list[Any]", entries):
        if isinstance(entry, dict):
            fields = cast("dict[str, Any]", entry)
            result = _result(fields.get("title"), fields.get("url"), fields.get(snippet))
            if result is not None:
                found.append(result)
    return found


def _result(title: object, url: object, snippet: object) -> SearchResult | None:
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        return None
    plain_url = encodable(url.strip().replace(" ", "%20"))
    return SearchResult(title=_plain(title) or plain_url, url=plain_url, snippet=_plain(snippet)[:SNIPPET_CHARS])


def _plain(text: object) -> str:
    """Some services mark the words that were found with tags."""
    if not isinstance(text, str):
        return ""
    return _SPACE.sub(" ", cleaned(encodable(html.unescape(_TAG.sub("", text))))).strip()


def _clause(error: Exception) -> str:
    return _SPACE.sub(" ", cleaned(str(error)))[:300].strip() or type(error).__name__
