"""Weights from a site that serves the file whole, over HTTP with ranges: a broken download goes on where it broke."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from helloclaw.llm.local.partial import Partial, WrongBytes
from helloclaw.llm.local.progress import Meter
from helloclaw.llm.local.source import SourceFailed

if TYPE_CHECKING:
    import httpx2

_INACTIVITY_S = 30.0
_FRUITLESS_ATTEMPTS = 3
_CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")


class Mirror:
    """One URL. A connection that dies after it brought something is made again; three that bring nothing end it."""

    def __init__(self, name: str, url: str) -> None:
        self.name = name
        self._url = url

    async def fill(self, partial: Partial, meter: Meter) -> None:
        import httpx2

        fruitless = 0
        async with httpx2.AsyncClient(follow_redirects=True, timeout=_INACTIVITY_S) as client:
            while not partial.complete:
                before = partial.size
                try:
                    await self._go_on(client, partial, meter)
                    trouble = "the connection ended early"
                except httpx2.HTTPError as error:
                    trouble = f"{type(error).__name__}: {error}".removesuffix(": ")
                except WrongBytes as error:
                    raise SourceFailed(f"{self._url} is not the expected file: {error}") from error
                if partial.complete:
                    return
                fruitless = 0 if partial.size > before else fruitless + 1
                if fruitless == _FRUITLESS_ATTEMPTS:
                    raise SourceFailed(trouble)

    async def _go_on(self, client: httpx2.AsyncClient, partial: Partial, meter: Meter) -> None:
        headers = {"accept-encoding": "identity", "range": f"bytes={partial.size}-"}
        async with client.stream("GET", self._url, headers=headers) as response:
            skip = partial.size - _checked_start(response, partial)
            async for chunk in response.aiter_bytes():
                piece = chunk[skip:]
                skip -= len(chunk) - len(piece)
                if piece:
                    _append(partial, piece)
                    meter.at(partial.size)


def _append(partial: Partial, piece: bytes) -> None:
    segment = partial.segment_index
    partial.append(piece)
    if partial.segment_index != segment:
        partial.sync()


def _checked_start(response: httpx2.Response, partial: Partial) -> int:
    """Where in the file the body starts. Raises `SourceFailed` unless it is (the rest of) the right length."""
    total, start = response.headers.get("content-length", ""), 0
    if response.status_code == 206:
        found = _CONTENT_RANGE.fullmatch(response.headers.get("content-range", ""))
        if found is None or int(found[1]) != partial.size:
            raise SourceFailed("it answered with a part that was not asked for")
        start, total = partial.size, found[2]
    elif response.status_code != 200:
        raise SourceFailed(f"HTTP {response.status_code} for {response.url}")
    if total != str(partial.weights.bytes):
        raise SourceFailed(
            f"{response.url} has {total or 'an unknown number of'} bytes, expected {partial.weights.bytes}"
        )
    return start
