"""Write the body of a Chat Completions request. Pure; what a provider takes is in its profile.

No tool is ever forced, for DeepSeek, GLM and others refuse that: `tool_choice` is left at its default, `auto`. `none`
means to leave the tools out, for GLM knows only `auto`, and some servers let the call through as text.
"""

from __future__ import annotations

import re
from typing import Any

from helloclaw.llm.json_value import is_array, is_object, object_or_empty
from helloclaw.llm.messages import ModelRequest, ToolSpec
from helloclaw.llm.openai_messages import chat_messages, wire_name
from helloclaw.llm.profile import Profile
from helloclaw.llm.wire import Endpoint

_NOT_PLAIN = frozenset({"$schema", "$defs", "$id", "definitions", "additionalProperties", "default", "examples"})

_THINKERS = r"reason|think|-r\d"
"""Models that are there to think."""


def chat_body(request: ModelRequest, endpoint: Endpoint) -> dict[str, Any]:
    profile = endpoint.profile
    body: dict[str, Any] = {
        "model": endpoint.model,
        "messages": chat_messages(request.system, request.messages, endpoint),
    }
    is_claude = _named(profile.cache_control_models, endpoint)
    if is_claude:
        _mark_for_cache(body["messages"])
    if request.tools and (request.tool_choice == "auto" or is_claude):
        body["tools"] = [_tool(tool, profile) for tool in request.tools]
        if request.tool_choice == "none":  # Claude refuses calls in the history without tools
            body["tool_choice"] = "none"
    budget = request.thinking_budget if profile.thinking_param != "none" else 0  # thinking counts towards the limit
    body[profile.max_tokens_field] = request.max_output_tokens + budget
    body |= _sampling(request, endpoint) | _thinking(request, endpoint) | _schema(request, profile)
    if profile.num_ctx:
        body["options"] = {"num_ctx": endpoint.context_window or profile.num_ctx}
    body |= profile.extra_body
    body["stream"] = endpoint.stream
    if endpoint.stream and profile.stream_usage:
        body["stream_options"] = {"include_usage": True}
    return body


def _named(pattern: str, endpoint: Endpoint) -> bool:
    """Whether a profile's pattern of models is about this one."""
    return bool(pattern) and re.search(pattern, endpoint.model, re.IGNORECASE) is not None


def _tool(tool: ToolSpec, profile: Profile) -> dict[str, Any]:
    parameters: dict[str, Any] = {"type": "object", "properties": {}, **tool.input_schema}
    if profile.plain_schemas:
        parameters = plain_schema(parameters)
    function: dict[str, Any] = {"name": wire_name(tool.name), "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def plain_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with its references put in place and without what Gemini's OpenAPI subset does not know."""
    definitions = object_or_empty(schema.get("$defs") or schema.get("definitions"))
    return object_or_empty(_plain(schema, definitions, ()))


def _plain(value: Any, definitions: dict[str, Any], inside: tuple[str, ...]) -> Any:
    if is_array(value):
        return [_plain(entry, definitions, inside) for entry in value]
    if not is_object(value):
        return value
    name = str(value.get("$ref", "")).rpartition("/")[2]
    if name:
        known = name in definitions and name not in inside
        return _plain(definitions[name], definitions, (*inside, name)) if known else {"type": "object"}
    properties = value.get("properties")
    plain = {
        key: _plain(entry, definitions, inside)
        for key, entry in value.items()
        if key not in _NOT_PLAIN and key != "properties"
    }
    if is_object(properties):  # a property may be named like a keyword
        plain["properties"] = {key: _plain(entry, definitions, inside) for key, entry in properties.items()}
    return plain


def _sampling(request: ModelRequest, endpoint: Endpoint) -> dict[str, Any]:
    profile = endpoint.profile
    if not profile.sampling or _named(profile.fixed_sampling_models, endpoint):
        return {}
    fields: dict[str, Any] = {}
    if request.temperature is not None:
        fields["temperature"] = request.temperature
    if profile.penalties and request.frequency_penalty is not None:
        fields["frequency_penalty"] = request.frequency_penalty
    if profile.penalties and request.presence_penalty is not None:
        fields["presence_penalty"] = request.presence_penalty
    return fields


def _thinking(request: ModelRequest, endpoint: Endpoint) -> dict[str, Any]:
    """Ask for thinking. Without a budget only those are told not to think that surely let themselves be told."""
    budget, profile = request.thinking_budget, endpoint.profile
    if not endpoint.stream and _named(profile.must_not_think_whole, endpoint):
        return {"enable_thinking": False}
    if not budget:
        off = profile.thinks_by_default and profile.thinking_param == "type" and not _named(_THINKERS, endpoint)
        return {"thinking": {"type": "disabled"}} if off else {}
    match profile.thinking_param:
        case "type":
            return {"thinking": {"type": "enabled"}}
        case "adaptive":
            return {"thinking": {"type": "adaptive"}}
        case "enable":
            return {"enable_thinking": True, "thinking_budget": budget}
        case "effort":
            return {"reasoning_effort": _effort(budget)}
        case "openrouter":
            return {"reasoning": {"max_tokens": budget}}
        case "gemini":
            config = {"thinking_budget": budget, "include_thoughts": True}
            return {"extra_body": {"google": {"thinking_config": config}}}
        case "none":
            return {}


def _effort(budget: int) -> str:
    return "low" if budget < 2048 else "medium" if budget <= 8192 else "high"


def _schema(request: ModelRequest, profile: Profile) -> dict[str, Any]:
    if request.response_schema is None:
        return {}
    match profile.json_schema:
        case "response_format":
            wrapped = {"name": "answer", "schema": request.response_schema}
            return {"response_format": {"type": "json_schema", "json_schema": wrapped}}
        case "llama.cpp":
            return {"json_schema": request.response_schema}
        case "none":
            return {}


def _mark_for_cache(messages: list[dict[str, Any]]) -> None:
    """Claude caches what comes before a mark: the system prompt, and the last two messages that are not its own."""
    inputs = [message for message in messages if message["role"] in ("user", "tool")]
    system = [message for message in messages if message["role"] == "system"]
    for message in [*system, *inputs[-2:]]:
        content = message["content"]
        parts: list[dict[str, Any]] = content if is_array(content) else [{"type": "text", "text": content}]
        texts = [part for part in parts if part["type"] == "text"]
        if texts:
            texts[-1]["cache_control"] = {"type": "ephemeral"}
            message["content"] = parts
