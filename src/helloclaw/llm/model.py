"""The door of the model library: open a model, stream its answers. The heavy parts are imported when one is opened."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from helloclaw.llm.events import ModelEvent
from helloclaw.llm.messages import ModelRequest
from helloclaw.llm.wire import Endpoint, Wire


class ChatModel(Protocol):
    """A model that can be called.

    `stream` makes one call and ends with exactly one `Finish` or `Failed`; it raises nothing but cancellation. Cancel
    the task, or close the generator, and the connection closes at once. `endpoint` is the main one; whenever a call
    goes to another, a `Fallback` says so before its answer begins, and its `after` is the answer's origin.
    """

    @property
    def endpoint(self) -> Endpoint: ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]: ...

    async def aclose(self) -> None: ...


def open_model(endpoint: Endpoint, fallback: Endpoint | None = None) -> ChatModel:
    """A model with retries, and `fallback` for the rest of a turn in which `endpoint` fails three times in a call."""
    from helloclaw.llm.resilient import ResilientModel

    return ResilientModel(endpoint, fallback)


def wire_for(endpoint: Endpoint) -> Wire:
    match endpoint.wire:
        case "anthropic":
            from helloclaw.llm.wire_anthropic import AnthropicWire

            return AnthropicWire()
        case "openai":
            from helloclaw.llm.wire_openai import OpenAIWire

            return OpenAIWire()
