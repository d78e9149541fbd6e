"""The list of models that a server has: how to ask for it and how to read it."""

from __future__ import annotations

from typing import Any, cast

from helloclaw.llm.lenient_json import decode_lenient
from helloclaw.llm.wire import Endpoint, auth_headers
from helloclaw.llm.wire_anthropic import VERSION, messages_root


def models_request(endpoint: Endpoint) -> tuple[str, dict[str, str]]:
    """URL and headers of the GET."""
    headers = auth_headers(endpoint)
    if endpoint.wire == "anthropic":
        return f"{messages_root(endpoint.base_url)}/models?limit=1000", {"anthropic-version": VERSION, **headers}
    return f"{endpoint.base_url}/models", headers


def names_in(body: bytes) -> list[str]:
    """From `{"data": [{"id"}]}` (OpenAI, Anthropic) or `{"models": [{"name"}]}` (Ollama, Gemini); else nothing."""
    try:
        value: Any = decode_lenient(body.decode(errors="replace"))
    except ValueError:
        return []
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {"data": value}
    listed = fields.get("data") or fields.get("models")
    entries = cast("list[Any]", listed) if isinstance(listed, list) else []
    return [name for name in map(_name_of, entries) if name]


def _name_of(entry: Any) -> str:
    fields = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {"id": entry}
    name = fields.get("id") or fields.get("name")
    return name if isinstance(name, str) else ""
