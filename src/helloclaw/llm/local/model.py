"""The embedded model as a `ChatModel`: the server is started when it is first called, and each answer is steered.

How an answer is steered is in `answer`, what the model reads in `prompt`. A server that died is started again, once.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from pathlib import Path

from msgspec.structs import replace

from helloclaw.llm.events import (
    Failed,
    ModelEvent,
    Retrying,
)
from helloclaw.llm.local.answer import SteeredAnswer
from helloclaw.llm.local.client import LlamaClient
from helloclaw.llm.local.conversation import Turn, turns_of
from helloclaw.llm.local.prefix_cache import PrefixCache
from helloclaw.llm.local.prompt import conversation, examples, offered, system_text
from helloclaw.llm.local.server import CONTEXT_TOKENS, LocalServer, OnStatus, ServerFailed
from helloclaw.llm.local.weights import UnknownWeights, find, models_directory, pulled
from helloclaw.llm.messages import ModelRequest, calls_of
from helloclaw.llm.wire import Endpoint

TEMPERATURE = 0.1
MAX_OUTPUT_TOKENS = 1536
"""Of one answer: two minutes on two slow cores, a fifth of the window."""


class LocalModel:
    """Implements `ChatModel`. `home_models` is the directory of weights, unless `HELLOCLAW_MODELS` names another.

    `on_status` is told what takes long ("Loading …"), and None when it is over.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        home_models: Path,
        *,
        environ: Mapping[str, str] = os.environ,
        on_status: OnStatus = lambda _: None,
    ) -> None:
        self._endpoint = replace(endpoint, context_window=endpoint.context_window or CONTEXT_TOKENS)
        self._directory = models_directory(home_models, environ)
        self._log = home_models.parent / "logs" / "local-model.log"
        self._on_status = on_status
        self._states = home_models.parent / "cache" / "local-model"
        self._server: LocalServer | None = None
        self._unread: PrefixCache | None = None  # until the server has read its instructions
        self._starting = asyncio.Lock()

    @property
    def endpoint(self) -> Endpoint:
        return self._endpoint

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        for attempt in (1, 2):
            try:
                server = await self._running()
            except ServerFailed as failed:
                phrase = failed.phrase
                yield Failed(
                    kind="unavailable",
                    message=failed.message,
                    hint=failed.hint,
                    code=phrase.key,
                    values=phrase.values,
                )
                return
            except OSError as error:
                yield Failed(kind="unavailable", message=f"the embedded model can't start: {error}", detail=str(error))
                return
            client = LlamaClient(server, self._endpoint)
            async with aclosing(self._answer(client, request)) as events:
                async for event in events:
                    if attempt == 1 and isinstance(event, Failed) and event.retryable and await server.died():
                        yield Retrying(attempt=1, limit=1, wait_s=0.0, failure=event)
                        break
                    yield event
                else:
                    return

    async def aclose(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            await server.stop()

    async def _running(self) -> LocalServer:
        async with self._starting:
            if self._server is None or not self._server.alive:
                await self.aclose()
                window = self._endpoint.context_window or CONTEXT_TOKENS
                gguf = weights_file(self._endpoint.model, self._directory)
                self._server = await LocalServer.start(
                    gguf,
                    log=self._log,
                    state_directory=self._states,
                    context_tokens=window,
                    on_status=self._on_status,
                )
                self._unread = PrefixCache(self._states, gguf, window)
            return self._server

    async def _answer(self, client: LlamaClient, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        limited = replace(
            request,
            tools=(),
            max_output_tokens=min(request.max_output_tokens, MAX_OUTPUT_TOKENS),
            temperature=TEMPERATURE if request.temperature is None else request.temperature,
        )
        tools = offered(request.tools)
        if not tools and not any(calls_of(message) for message in request.messages):
            async with aclosing(client.stream(limited)) as events:
                async for event in events:
                    yield event
            return
        turns = turns_of(request.messages) or (Turn(request=""),)
        shown = examples(tools)
        asked = replace(limited, system=system_text(request.system, tools), messages=(*shown, *conversation(turns)))
        if (cache := self._unread) is not None:
            self._unread = None
            await cache.warm(client, asked, len(shown), self._on_status)
        callable_now = () if request.tool_choice == "none" else tools
        async with aclosing(SteeredAnswer(client, asked, turns, callable_now).events()) as steered:
            async for event in steered:
                yield event


def weights_file(name: str, directory: Path) -> Path:
    """The GGUF that `local/NAME` means: a file (as named, or in `directory`), or pulled weights.

    Raises `ServerFailed`.
    """
    if name.endswith(".gguf"):
        named = Path(name).expanduser()
        return named if named.exists() or named.is_absolute() else directory / name
    try:
        weights = find(name)
    except UnknownWeights as error:
        raise ServerFailed("local.unknown", what=error.phrase) from error
    if path := pulled(weights, directory):
        return path
    raise ServerFailed("local.not_pulled", title=weights.title, size=f"{weights.bytes / 1e9:.1f}")
