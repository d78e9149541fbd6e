"""The seam between a provider's HTTP API and the rest: a wire writes requests and reads answers. Pure, no I/O.

Two wires exist: Anthropic Messages (`wire_anthropic`) and OpenAI Chat Completions (`wire_openai`).
"""

from __future__ import annotations

from typing import Any, Literal, Protocol

from msgspec import Struct

from helloclaw.llm.events import StreamEvent
from helloclaw.llm.messages import ModelRequest
from helloclaw.llm.profile import Profile

WireName = Literal["anthropic", "openai"]


class Endpoint(Struct, frozen=True, kw_only=True):
    """Where a model is and how to speak to it.

    `base_url` has no trailing slash and is what the vendor's documentation calls the base URL.
    `auth` is how the key travels: `x-api-key`, `Authorization: Bearer`, or not at all.
    `context_window` is in tokens; None when nobody knows. `timeout_s` is inactivity on the stream.
    """

    profile: Profile
    wire: WireName
    base_url: str
    model: str
    api_key: str = ""
    auth: Literal["x-api-key", "bearer", "none"] = "bearer"
    context_window: int | None = None
    timeout_s: float = 60.0
    stream: bool = True

    @property
    def origin(self) -> str:
        """Who speaks, for `Message.origin`: `provider/model`."""
        return f"{self.profile.name}/{self.model}"


class HttpRequest(Struct, frozen=True, kw_only=True):
    """A POST. `body` is JSON-encodable."""

    url: str
    headers: dict[str, str]
    body: dict[str, Any]


class SseEvent(Struct, frozen=True):
    """One server-sent event: its name (`message` when none was given) and its data lines joined by newlines."""

    name: str
    data: str


class Decoder(Protocol):
    """Reads one answer. Fed every SSE event in order, then closed once, also when the connection died.

    `close(clean)` returns what ends the stream: exactly one `Finish` or `Failed`, unless `feed` has already returned
    it. Anything fed after that is ignored. Neither raises, whatever arrives.
    """

    def feed(self, event: SseEvent) -> list[StreamEvent]: ...

    def close(self, *, clean: bool) -> list[StreamEvent]: ...


class Wire(Protocol):
    @property
    def name(self) -> WireName: ...

    def request(self, request: ModelRequest, endpoint: Endpoint) -> HttpRequest:
        """Write the request; `endpoint.stream` says which kind."""
        ...

    def decoder(self, request: ModelRequest, endpoint: Endpoint) -> Decoder:
        """Read a streamed answer to `request`."""
        ...

    def decode_whole(self, body: dict[str, Any], request: ModelRequest, endpoint: Endpoint) -> list[StreamEvent]:
        """Read an answer that was not streamed, as the events that streaming it would have given."""
        ...


def auth_headers(endpoint: Endpoint) -> dict[str, str]:
    """How the key travels. Nothing without a key."""
    match endpoint.auth:
        case "x-api-key" if endpoint.api_key:
            return {"x-api-key": endpoint.api_key}
        case "bearer" if endpoint.api_key:
            return {"authorization": f"Bearer {endpoint.api_key}"}
        case _:
            return {}
