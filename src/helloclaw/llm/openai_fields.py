"""The fields of a Chat Completions answer that every gateway spells in its own way."""

from __future__ import annotations

from typing import Any, Literal

from helloclaw.llm.events import StopReason, Usage
from helloclaw.llm.json_value import array_or_empty, is_object, object_or_empty

_FINISH: dict[str, StopReason | Literal["interrupted"]] = {
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",  # GLM
    "content_filter": "refusal",
    "sensitive": "refusal",  # GLM
    "safety": "refusal",  # Gemini behind proxies, as the next two
    "recitation": "refusal",
    "prohibited_content": "refusal",
    "refusal": "refusal",
    "error": "interrupted",  # OpenRouter
    "network_error": "interrupted",  # GLM
    "abort": "interrupted",  # SGLang, vLLM
    "insufficient_system_resource": "interrupted",  # DeepSeek
    "malformed_function_call": "interrupted",  # Gemini
}


def finish_of(reason: str) -> StopReason | Literal["interrupted"]:
    """What a finish reason means; `interrupted` for those by which a server says that it failed.

    An unknown one ends the turn; whether there are tool calls is seen from the calls, for Ollama says `stop` then.
    """
    return _FINISH.get(reason.lower(), "end_turn")


def thinking_of(delta: dict[str, Any]) -> str:
    """The visible thinking in a delta. Gateways that send it under two names send it twice, so the first counts."""
    for key in ("reasoning_content", "reasoning", "reasoning_text", "thinking"):
        value = delta.get(key)
        if isinstance(value, str) and value:
            return value
    details = array_or_empty(delta.get("reasoning_details"))
    return "".join(str(entry.get("text") or entry.get("summary") or "") for entry in details if is_object(entry))


def parts_of(content: Any) -> list[tuple[Literal["text", "thinking"], str]]:
    """A delta's content: a string, or a list of parts (Mistral's `thinking` parts hold a list themselves)."""
    if isinstance(content, str):
        return [("text", content)] if content else []
    parts: list[tuple[Literal["text", "thinking"], str]] = []
    for part in array_or_empty(content):
        if isinstance(part, str):
            parts.append(("text", part))
        if not is_object(part):
            continue
        thinking = part.get("thinking", part.get("reasoning"))
        if part.get("type") in ("thinking", "reasoning"):
            text = thinking if isinstance(thinking, str) else "".join(text for _, text in parts_of(thinking))
            parts.append(("thinking", text or str(part.get("text") or "")))
        elif isinstance(part.get("text"), str):
            parts.append(("text", part["text"]))
    return parts


def merge_details(details: list[Any], more: Any) -> None:
    """Add a delta's `reasoning_details` to those that came before: pieces of one entry share type and index."""
    for piece in array_or_empty(more):
        if not is_object(piece):
            continue
        last: dict[str, Any] = details[-1] if details else {}
        same = last and all(last.get(key) == piece.get(key) for key in ("type", "index"))
        if not same or piece.get("type") == "reasoning.encrypted":
            details.append(dict(piece))
            continue
        for key, value in piece.items():
            if key in ("text", "summary") and isinstance(value, str) and isinstance(last.get(key), str):
                last[key] += value
            elif value is not None:
                last[key] = value


def usage_of(holder: dict[str, Any]) -> Usage | None:
    """Tokens, from a chunk or (Kimi) from its choice. `input` leaves out what was read from or written to a cache."""
    fields = holder.get("usage")
    if not is_object(fields):
        return None
    details = object_or_empty(fields.get("prompt_tokens_details") or fields.get("input_tokens_details"))
    reasoning = object_or_empty(fields.get("completion_tokens_details") or fields.get("output_tokens_details"))
    prompt = _count(fields, "prompt_tokens", "input_tokens")
    output = _count(fields, "completion_tokens", "output_tokens")
    read = (
        _count(details, "cached_tokens")
        or _count(fields, "prompt_cache_hit_tokens")  # DeepSeek
        or _count(fields, "cached_tokens")  # Kimi
        or _count(fields, "cache_read_input_tokens")
    )
    written = _count(details, "cache_write_tokens") or _count(fields, "cache_creation_input_tokens")
    thought = _count(reasoning, "reasoning_tokens") or _count(fields, "reasoning_tokens")
    beside = _count(fields, "total_tokens") - prompt - output
    if thought and beside >= thought:  # Gemini and xAI leave thinking out of the completion
        output += thought
    if not (prompt or output):
        return None
    return Usage(
        input=max(prompt - read - written, 0), output=output, cache_read=read, cache_write=written, reasoning=thought
    )


def _count(fields: dict[str, Any], *names: str) -> int:
    for name in names:
        value = fields.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e12:
            return int(value)
    return 0
