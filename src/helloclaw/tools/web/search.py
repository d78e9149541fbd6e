"""`web_search`: titles, addresses and excerpts of what a search service finds."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from helloclaw.tools.base import Tool, ToolOutput
from helloclaw.tools.context import ToolContext

DEFAULT_RESULTS = 5
MAX_RESULTS = 20


class WebSearch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    query: Annotated[str, Meta(min_length=1)]
    max_results: Annotated[int, Meta(ge=1, le=MAX_RESULTS)] = DEFAULT_RESULTS


async def run(call: WebSearch, context: ToolContext) -> ToolOutput:
    from helloclaw.tools.web.services import search

    return await search(call.query, call.max_results, context.web)


web_search = Tool("web_search", WebSearch, run, read_only=True, parallel_safe=True)
