"""What the Messages API would refuse in a request. Rules from Anthropic's reference and its error messages."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Any

from helloclaw.llm.json_value import array_or_empty, is_array, is_object, object_or_empty

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_FIELDS: frozenset[str] = frozenset(
    {
        *("model", "max_tokens", "messages", "system", "tools", "tool_choice", "thinking", "temperature", "top_p"),
        *("top_k", "stop_sequences", "stream", "metadata", "service_tier", "output_config", "context_management"),
    }
)
_BLOCKS = {
    "user": {"text", "image", "tool_result"},
    "assistant": {"text", "thinking", "redacted_thinking", "tool_use"},
}
_BLOCK_FIELDS = {
    "text": {"type", "text", "cache_control"},
    "image": {"type", "source", "cache_control"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control"},
    "tool_use": {"type", "id", "name", "input", "cache_control"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
}
_THOUGHTS = ("thinking", "redacted_thinking")
_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
MOST_CACHE_MARKS = 4
SMALLEST_BUDGET = 1024


def anthropic_problems(body: dict[str, Any]) -> list[str]:
    """Every reason why Anthropic would answer 400 to `body`, in reading order; empty if there is none."""
    try:
        encoded = json.dumps(body, ensure_ascii=False, allow_nan=False)
        encoded.encode()
    except (ValueError, TypeError) as error:
        return [f"the body is not JSON in UTF-8: {error}"]
    problems = [*_fields(body), *_thinking(body), *_tools(body), *_system(body)]
    problems += _Messages(array_or_empty(body.get("messages")), body).problems()
    marks = len(re.findall(r'"cache_control": \{', encoded))
    if marks > MOST_CACHE_MARKS:
        problems.append(f"cache_control: {marks} marks, at most {MOST_CACHE_MARKS} are allowed")
    return problems


def _fields(body: dict[str, Any]) -> Iterator[str]:
    for field in body.keys() - _FIELDS:
        yield f"{field}: unknown field"
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model: missing"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: must be a positive integer"
    temperature = body.get("temperature", 1)
    if not 0 <= temperature <= 1:
        yield "temperature: out of range"


def _thinking(body: dict[str, Any]) -> Iterator[str]:
    thinking = body.get("thinking")
    if thinking is None:
        return
    match object_or_empty(thinking).get("type"):
        case "disabled":
            return
        case "enabled":
            budget = thinking.get("budget_tokens")
            if not isinstance(budget, int) or not SMALLEST_BUDGET <= budget < body.get("max_tokens", 0):
                yield "thinking.budget_tokens: must be at least 1024 and less than max_tokens"
        case "adaptive":
            if "budget_tokens" in thinking:
                yield "thinking.budget_tokens: not with adaptive thinking"
        case other:
            yield f"thinking.type: {other!r} is unknown"
    if body.get("temperature", 1) != 1 or "top_k" in body:
        yield "temperature: must be 1 while thinking is on"
    if object_or_empty(body.get("tool_choice")).get("type", "auto") not in ("auto", "none"):
        yield "tool_choice: can't be forced while thinking is on"


def _tools(body: dict[str, Any]) -> Iterator[str]:
    names: set[str] = set()
    for i, entry in enumerate(array_or_empty(body.get("tools"))):
        tool = object_or_empty(entry)
        name = str(tool.get("name"))
        if not _NAME.fullmatch(name) or name in names:
            yield f"tools[{i}].name: {name!r} is taken or not accepted"
        names.add(name)
        if object_or_empty(tool.get("input_schema")).get("type") != "object":
            yield f"tools[{i}].input_schema.type: must be object"
        for field in tool.keys() - {"name", "description", "input_schema", "cache_control", "type"}:
            yield f"tools[{i}].{field}: unknown field"
    if "tool_choice" in body and not body.get("tools"):
        yield "tool_choice: not without tools"


def _system(body: dict[str, Any]) -> Iterator[str]:
    system = body.get("system", "x")
    blocks = system if is_array(system) else [{"type": "text", "text": system}]
    for i, block in enumerate(blocks):
        if object_or_empty(block).get("type") != "text" or not str(object_or_empty(block).get("text", "")).strip():
            yield f"system[{i}]: text blocks must not be empty"


class _Messages:
    """Checks the messages in order; the calls of the turn before are remembered."""

    def __init__(self, messages: list[Any], body: dict[str, Any]) -> None:
        self._messages = [object_or_empty(message) for message in messages]
        self._ids: set[str] = set()
        self._called: list[str] = []
        thinking = object_or_empty(body.get("thinking")).get("type")
        self._thinking = thinking in ("enabled", "adaptive")

    def problems(self) -> Iterator[str]:
        roles = [message.get("role") for message in self._messages]
        if not roles or roles[0] != "user":
            yield "messages: the first one must be the user's"
        if roles and roles[-1] != "user":
            yield "messages: the last one must be the user's"
        for i, (message, role) in enumerate(zip(self._messages, roles, strict=True)):
            if role not in _BLOCKS:
                yield f"messages[{i}]: the role {role!r} is unknown"
                continue
            if i > 0 and roles[i - 1] == role:
                yield f"messages[{i}]: roles must alternate"
            for problem in self._message(message, str(role)):
                yield f"messages[{i}]: {problem}"
        yield from self._loop(roles)

    def _message(self, message: dict[str, Any], role: str) -> Iterator[str]:
        if message.keys() - {"role", "content"}:
            yield f"unknown fields {sorted(message.keys() - {'role', 'content'})}"
        content = message.get("content")
        blocks = content if is_array(content) else [{"type": "text", "text": content}]
        if not blocks:
            yield "content must not be empty"
        for j, entry in enumerate(blocks):
            block = object_or_empty(entry)
            kind = str(block.get("type"))
            if kind not in _BLOCKS[role]:
                yield f"content[{j}]: {kind} is not allowed here"
                continue
            for field in block.keys() - _BLOCK_FIELDS[kind]:
                yield f"content[{j}].{field}: unknown field"
            for problem in _block(block, kind):
                yield f"content[{j}]: {problem}"
        if role == "user":
            yield from self._results(blocks)
        else:
            yield from self._calls(blocks)

    def _calls(self, blocks: list[Any]) -> Iterator[str]:
        self._called = [str(block.get("id")) for block in blocks if object_or_empty(block).get("type") == "tool_use"]
        for id_ in self._called:
            if id_ in self._ids:
                yield f"the id {id_} is taken"
            self._ids.add(id_)
        if blocks and object_or_empty(blocks[-1]).get("type") in _THOUGHTS:
            yield "the last block must not be a thought"

    def _results(self, blocks: list[Any]) -> Iterator[str]:
        kinds = [object_or_empty(block).get("type") for block in blocks]
        given = [
            str(block.get("tool_use_id")) for block in blocks if object_or_empty(block).get("type") == "tool_result"
        ]
        if "tool_result" in kinds[len(given) :]:
            yield "tool results must come first"
        if missing := [id_ for id_ in self._called if id_ not in given]:
            yield f"no tool_result for {missing}"
        for id_ in given:
            if id_ not in self._called:
                yield f"no tool_use in the message before for the result {id_!r}"
        if len(set(given)) != len(given):
            yield "two results for one call"
        self._called = []

    def _loop(self, roles: list[Any]) -> Iterator[str]:
        """While thinking is on, the assistant turn that the last results answer must begin with a thought."""
        turns = [i for i, role in enumerate(roles) if role == "assistant"]
        if not self._thinking or not turns or turns[-1] != len(roles) - 2:
            return
        content = self._messages[turns[-1]].get("content")
        kinds = [object_or_empty(block).get("type") for block in array_or_empty(content)]
        if "tool_use" in kinds and kinds[0] not in _THOUGHTS:
            yield f"messages[{turns[-1]}]: must begin with a thought while thinking is on"


def _block(block: dict[str, Any], kind: str) -> Iterator[str]:
    match kind:
        case "text":
            if not str(block.get("text") or "").strip():
                yield "text must not be empty"
        case "image":
            yield from _image(object_or_empty(block.get("source")))
        case "tool_use":
            if not _ID.fullmatch(str(block.get("id", ""))) or not _NAME.fullmatch(str(block.get("name", ""))):
                yield "the id or the name is not accepted"
            if not is_object(block.get("input")):
                yield "input must be an object"
        case "tool_result":
            yield from _result(block)
        case "thinking":
            if not isinstance(block.get("thinking"), str) or not isinstance(block.get("signature"), str):
                yield "thinking and signature must be strings"
        case _:
            if not block.get("data"):
                yield "data must not be empty"


def _result(block: dict[str, Any]) -> Iterator[str]:
    if not _ID.fullmatch(str(block.get("tool_use_id", ""))):
        yield "the id is not accepted"
    for inner in array_or_empty(block.get("content")):
        part = object_or_empty(inner)
        if part.get("type") in ("text", "image"):
            yield from _block(part, str(part["type"]))
        else:
            yield f"{part.get('type')} is not allowed in a result"


def _image(source: dict[str, Any]) -> Iterator[str]:
    if source.get("type") != "base64" or source.get("media_type") not in _IMAGES:
        yield f"an image of {source.get('media_type')} is not accepted"
    try:
        decoded = base64.b64decode(str(source.get("data", "")), validate=True)
    except binascii.Error:
        decoded = b""
    if not decoded:
        yield "the image is not base64"
