"""`web_fetch`: what is at a URL, as text to read. Whether a URL may be fetched unasked is the permissions' business."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from helloclaw.tools.base import Facts, Tool, ToolOutput
from helloclaw.tools.context import ToolContext
from helloclaw.tools.web.urls import parse_url

DEFAULT_CHARS = 20_000
MAX_CHARS = 1_000_000


class WebFetch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    url: str
    max_chars: Annotated[int, Meta(ge=1, le=MAX_CHARS)] = DEFAULT_CHARS


async def run(call: WebFetch, context: ToolContext) -> ToolOutput:
    from helloclaw.tools.web.page import fetch_page

    return await fetch_page(call.url, call.max_chars, context.web)


def _facts(call: WebFetch) -> Facts:
    """The URL in the spelling under which it is known. Raises `ToolError` for one that is never fetched."""
    return Facts(urls=(parse_url(call.url).url,))


web_fetch = Tool("web_fetch", WebFetch, run, read_only=True, parallel_safe=True, facts=_facts)
