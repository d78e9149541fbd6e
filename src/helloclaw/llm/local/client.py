"""What is asked of llama.cpp's server: a constrained stream, and the odds of the first token. HTTP on loopback."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from helloclaw.llm.events import Failed, StreamEvent, Usage
from helloclaw.llm.failures import failure_from_exception, failure_from_response
from helloclaw.llm.local.server import LocalServer
from helloclaw.llm.messages import ModelRequest
from helloclaw.llm.transport import Transport
from helloclaw.llm.wire import Endpoint
from helloclaw.llm.wire_openai import OpenAIWire

INACTIVITY_S = 600.0
"""Reading a full window takes two minutes on two slow cores, and nothing is sent meanwhile."""

ODDS_OF = 30
"""First tokens looked at; together they have more than 0.95 of the odds."""


class FirstToken(Struct, frozen=True, kw_only=True):
    """The likeliest first tokens of an answer with their odds, and what reading the request cost."""

    odds: dict[str, float]
    usage: Usage


class LlamaClient:
    """One call's worth of requests to `server`. `endpoint` is the model as the rest of the product knows it."""

    def __init__(self, server: LocalServer, endpoint: Endpoint) -> None:
        self._server = server
        profile = replace(endpoint.profile, text_calls=False, leaked_calls=False)
        self._endpoint = replace(
            endpoint,
            profile=profile,
            base_url=f"{server.base_url}/v1",
            api_key=server.api_key,
            auth="bearer",
            timeout_s=INACTIVITY_S,
            stream=True,
        )

    async def stream(self, request: ModelRequest, grammar: str = "") -> AsyncGenerator[StreamEvent]:
        """The answer to `request`, within `grammar`. Ends with one `Finish` or `Failed`."""
        endpoint = self._with_fields({"cache_prompt": True} | ({"grammar": grammar} if grammar else {}))
        transport = Transport()
        try:
            async with aclosing(transport.call(request, endpoint, OpenAIWire())) as events:
                async for event in events:
                    yield event
        finally:
            await transport.aclose()

    async def first_token(self, request: ModelRequest) -> FirstToken | Failed:
        """How the unconstrained answer would begin. Raises nothing but cancellation."""
        import httpx2

        fields = {"cache_prompt": True, "max_tokens": 1, "temperature": 0, "logprobs": True, "top_logprobs": ODDS_OF}
        endpoint = replace(self._with_fields(fields), stream=False)
        written = OpenAIWire().request(request, endpoint)
        try:
            async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=INACTIVITY_S) as client:
                response = await client.post(written.url, headers=written.headers, json=written.body)
            if not response.is_success:
                return failure_from_response(response.status_code, response.headers, response.content, endpoint)
            return _first_token(msgspec.json.decode(response.content, type=_Completion))
        except Exception as error:  # whatever the network does, it is an event
            return failure_from_exception(error, endpoint)

    async def restore_state(self, name: str) -> bool:
        """Whether the server now has the state that the file `name` of its state directory holds."""
        return await self._slot("restore", name)

    async def save_state(self, name: str) -> bool:
        return await self._slot("save", name)

    async def _slot(self, action: str, name: str) -> bool:
        import httpx2

        url = f"{self._server.base_url}/slots/0?action={action}"
        headers = {"authorization": f"Bearer {self._server.api_key}"}
        try:
            async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=INACTIVITY_S) as client:
                return (await client.post(url, headers=headers, json={"filename": name})).is_success
        except httpx2.HTTPError:
            return False

    def _with_fields(self, fields: Mapping[str, Any]) -> Endpoint:
        profile = replace(self._endpoint.profile, extra_body={**self._endpoint.profile.extra_body, **fields})
        return replace(self._endpoint, profile=profile)


class _Odds(Struct, frozen=True):
    token: str
    logprob: float


class _Position(Struct, frozen=True):
    top_logprobs: Sequence[_Odds]


class _Logprobs(Struct, frozen=True):
    content: Sequence[_Position]


class _Choice(Struct, frozen=True):
    logprobs: _Logprobs


class _Timings(Struct, frozen=True):
    prompt_n: int = 0
    cache_n: int = 0


class _Completion(Struct, frozen=True):
    choices: Sequence[_Choice]
    timings: _Timings = _Timings()


def _first_token(completion: _Completion) -> FirstToken:
    import math

    likeliest = completion.choices[0].logprobs.content[0].top_logprobs
    return FirstToken(
        odds={odds.token: math.exp(odds.logprob) for odds in likeliest},
        usage=Usage(input=completion.timings.prompt_n, cache_read=completion.timings.cache_n),
    )
