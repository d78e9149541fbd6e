"""OpenAI Chat Completions, as many gateways speak it: one request out, a stream of events in."""

from __future__ import annotations

from typing import Any, Literal

from helloclaw.llm.events import StreamEvent
from helloclaw.llm.messages import ModelRequest
from helloclaw.llm.openai_request import chat_body
from helloclaw.llm.openai_stream import OpenAIDecoder, decode_whole
from helloclaw.llm.wire import Decoder, Endpoint, HttpRequest, auth_headers


class OpenAIWire:
    """Implements `Wire`."""

    name: Literal["openai"] = "openai"

    def request(self, request: ModelRequest, endpoint: Endpoint) -> HttpRequest:
        return HttpRequest(
            url=f"{endpoint.base_url}/chat/completions",
            headers=auth_headers(endpoint),
            body=chat_body(request, endpoint),
        )

    def decoder(self, request: ModelRequest, endpoint: Endpoint) -> Decoder:
        return OpenAIDecoder(request, endpoint)

    def decode_whole(self, body: dict[str, Any], request: ModelRequest, endpoint: Endpoint) -> list[StreamEvent]:
        return decode_whole(body, request, endpoint)
