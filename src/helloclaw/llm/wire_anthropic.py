"""The Anthropic Messages wire: write the request. Answers are read in `anthropic_stream`.

Pure. How gateways that imitate it depart from Anthropic's own is in their profile.
"""

from __future__ import annotations

import re
from typing import Any

from helloclaw.llm.anthropic_messages import render_messages
from helloclaw.llm.anthropic_stream import AnthropicDecoder, decode_whole
from helloclaw.llm.events import StreamEvent
from helloclaw.llm.messages import ModelRequest, ToolSpec
from helloclaw.llm.wire import Decoder, Endpoint, HttpRequest, WireName, auth_headers

VERSION = "2023-06-01"
MIN_BUDGET = 1024
"""Tokens of thinking below which Anthropic answers 400."""

CACHED = {"type": "ephemeral"}


class AnthropicWire:
    name: WireName = "anthropic"

    def request(self, request: ModelRequest, endpoint: Endpoint) -> HttpRequest:
        """`POST …/v1/messages`. Cache marks are on the tools, the system prompt and the last two user turns."""
        body: dict[str, Any] = {"model": endpoint.model, "max_tokens": request.max_output_tokens}
        if request.system.strip():
            body["system"] = [{"type": "text", "text": request.system, "cache_control": CACHED}]
        if request.tools:
            body["tools"] = _tools(request.tools)
            if request.tool_choice == "none":
                body["tool_choice"] = {"type": "none"}
        messages, thought_is_missing = render_messages(request, endpoint)
        body["messages"] = messages
        budget = 0 if thought_is_missing else request.thinking_budget
        body |= _thinking(budget, request.max_output_tokens, endpoint)
        if request.temperature is not None and budget == 0 and _takes_temperature(endpoint):
            body["temperature"] = request.temperature
        body["stream"] = endpoint.stream
        return HttpRequest(
            url=f"{messages_root(endpoint.base_url)}/messages",
            headers={"anthropic-version": VERSION, **auth_headers(endpoint)},
            body=body,
        )

    def decoder(self, request: ModelRequest, endpoint: Endpoint) -> Decoder:
        return AnthropicDecoder(request, endpoint)

    def decode_whole(self, body: dict[str, Any], request: ModelRequest, endpoint: Endpoint) -> list[StreamEvent]:
        return decode_whole(body, request, endpoint)


def messages_root(base_url: str) -> str:
    """Vendors document their base URL without `/v1`; one that ends in it is taken as it is."""
    base_url = base_url.rstrip("/")
    return base_url if base_url.endswith("/v1") else f"{base_url}/v1"


def _tools(tools: tuple[ToolSpec, ...]) -> list[dict[str, Any]]:
    written: list[dict[str, Any]] = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema} for tool in tools
    ]
    written[-1]["cache_control"] = CACHED
    return written


def _thinking(budget: int, max_output_tokens: int, endpoint: Endpoint) -> dict[str, Any]:
    """Thinking counts towards `max_tokens`, so that is raised by the budget; it must be greater than the budget."""
    if budget <= 0:
        return {"thinking": {"type": "disabled"}} if endpoint.profile.thinks_by_default else {}
    budget = max(budget, MIN_BUDGET)
    if _thinks_within_budget(endpoint):
        thinking: dict[str, Any] = {"type": "enabled", "budget_tokens": budget}
    else:
        thinking = {"type": "adaptive", "display": "summarized"}
    return {"max_tokens": max_output_tokens + budget, "thinking": thinking}


def _thinks_within_budget(endpoint: Endpoint) -> bool:
    models = endpoint.profile.thinking_budget_models
    return not models or re.search(models, endpoint.model) is not None


def _takes_temperature(endpoint: Endpoint) -> bool:
    """The models that only take adaptive thinking take no temperature either."""
    return endpoint.profile.sampling and _thinks_within_budget(endpoint)
