"""Find servers of models on this computer: Ollama, LM Studio, vLLM, llama.cpp, each at its usual port.

Nothing beyond loopback is asked, and no key is sent: whoever listens there need not be what the port suggests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import Struct

from helloclaw.llm.events import Failed
from helloclaw.llm.failures import is_loopback_host
from helloclaw.llm.providers import UnknownModel, profile_named, resolve

if TYPE_CHECKING:
    from helloclaw.llm.transport import Transport

WAIT_S = 0.6
OLLAMA_PORT = 11434
_LLAMA_CPP = "http://127.0.0.1:8080/v1"


class LocalServer(Struct, frozen=True, kw_only=True):
    """A server that answers. `provider` is what stands before the slash of its models' names, "" for a bare name.

    `base_url` is "" where it is the provider's own, so that it need not be set. Of `models`, those that only make
    embeddings come last.
    """

    name: str
    provider: str
    base_url: str
    models: tuple[str, ...]


class Place(Struct, frozen=True, kw_only=True):
    """Where a server may be."""

    name: str
    provider: str
    base_url: str


async def find_local_servers(
    environ: Mapping[str, str], places: Sequence[Place] | None = None, *, wait_s: float = WAIT_S
) -> list[LocalServer]:
    """The servers that answer within `wait_s` seconds, all asked at once, in the order of the places."""
    from helloclaw.llm.transport import Transport

    # Its import must not eat up the time that a server has to answer.
    await asyncio.to_thread(import_module, "httpx2")
    transport = Transport()
    try:
        asked = [_ask(transport, place, wait_s) for place in (usual_places(environ) if places is None else places)]
        return [server for server in await asyncio.gather(*asked) if server is not None]
    finally:
        await transport.aclose()


def usual_places(environ: Mapping[str, str]) -> list[Place]:
    """Where to look. `OLLAMA_HOST` moves Ollama's, unless it leads away from this computer."""
    places = [
        Place(name="Ollama", provider="ollama", base_url=ollama_address(environ.get("OLLAMA_HOST", ""))),
        Place(name="LM Studio", provider="lmstudio", base_url=_own_address("lmstudio")),
        Place(name="vLLM", provider="vllm", base_url=_own_address("vllm")),
        Place(name="llama.cpp", provider="", base_url=_LLAMA_CPP),
    ]
    return [place for place in places if place.base_url]


def ollama_address(said: str) -> str:
    """The base URL that `OLLAMA_HOST` means, as Ollama reads it; "" if that is not on this computer.

    It may be `host`, `host:port`, `:port` or a URL, and `0.0.0.0` for a server that listens everywhere.
    """
    said = said.strip().strip("\"'").rstrip("/")
    if not said:
        return _own_address("ollama")
    try:
        parts = urlsplit(said if "://" in said else f"http://{said}")
        host, port = parts.hostname or "127.0.0.1", parts.port
    except ValueError:
        return ""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - it is what to connect to instead
    if parts.scheme not in {"http", "https"} or not is_loopback_host(host):
        return ""
    port = port or (OLLAMA_PORT if "://" not in said else 443 if parts.scheme == "https" else 80)
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}:{port}{parts.path or '/v1'}"


async def _ask(transport: Transport, place: Place, wait_s: float) -> LocalServer | None:
    named = f"{place.provider}/any" if place.provider else "any"
    try:
        endpoint = resolve(named, base_url=place.base_url, wire="openai", environ={}, timeout_s=wait_s)
        async with asyncio.timeout(wait_s):
            answer = await transport.list_models(endpoint)
    except (TimeoutError, UnknownModel):
        return None
    if isinstance(answer, Failed):
        return None
    own = bool(place.provider) and place.base_url == _own_address(place.provider)
    models = tuple(sorted(answer, key=lambda name: "embed" in name.lower()))
    base_url = "" if own else place.base_url
    return LocalServer(name=place.name, provider=place.provider, base_url=base_url, models=models)


def _own_address(provider: str) -> str:
    profile = profile_named(provider)
    return profile.base_urls["openai"] if profile else ""
