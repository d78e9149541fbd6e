"""What a Chat Completions server would refuse in a request, by the provider's profile.

Rules from the vendors' references and error messages; a rule that one provider has and no other minds is for all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from helloclaw.llm.json_value import array_or_empty, is_array, is_object, object_or_empty
from helloclaw.llm.profile import Profile

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_FIELDS: frozenset[str] = frozenset(
    {
        *("model", "messages", "tools", "tool_choice", "max_tokens", "max_completion_tokens", "temperature", "stream"),
        *("frequency_penalty", "presence_penalty", "stream_options", "response_format", "reasoning_effort"),
    }
)
_THINKING_FIELDS: dict[str, frozenset[str]] = {
    "type": frozenset({"thinking"}),
    "adaptive": frozenset({"thinking"}),
    "enable": frozenset({"enable_thinking", "thinking_budget"}),
    "openrouter": frozenset({"reasoning"}),
    "gemini": frozenset({"extra_body"}),
}
_MESSAGE_FIELDS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls", "reasoning_content", "reasoning", "reasoning_details"},
    "tool": {"role", "content", "tool_call_id"},
}
_NOT_PLAIN = re.compile(r'"(\$ref|\$defs|\$schema|additionalProperties)":')


def openai_problems(body: dict[str, Any], profile: Profile) -> list[str]:
    """Every reason why the provider would answer 400 to `body`, in reading order; empty if there is none."""
    problems = list(_encoding(body))
    if not problems:
        problems += [*_fields(body, profile), *_tools(body, profile), *_sampling(body, profile)]
        problems += _Messages(array_or_empty(body.get("messages")), str(body.get("model", "")), profile).problems()
    return problems


def _encoding(body: dict[str, Any]) -> Iterator[str]:
    try:
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError) as error:
        yield f"the body is not JSON in UTF-8: {error}"


def _fields(body: dict[str, Any], profile: Profile) -> Iterator[str]:
    known = _FIELDS | _THINKING_FIELDS.get(profile.thinking_param, frozenset[str]()) | profile.extra_body.keys()
    extra = {
        "options": profile.num_ctx > 0,
        "json_schema": profile.json_schema == "llama.cpp",
        "enable_thinking": bool(profile.must_not_think_whole),
    }
    for field in body.keys() - known:
        if not extra.get(field):
            yield f"{field}: unknown field"
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model: missing"
    limit = body.get(profile.max_tokens_field)
    if not isinstance(limit, int) or limit < 1:
        yield f"{profile.max_tokens_field}: must be a positive integer"
    if "max_tokens" in body and "max_completion_tokens" in body:
        yield "max_tokens and max_completion_tokens: only one"
    if "stream_options" in body and not (body.get("stream") and profile.stream_usage):
        yield "stream_options: not accepted"
    choice = body.get("tool_choice", "auto")
    if choice not in ("auto", "none") or ("tool_choice" in body and not body.get("tools")):
        yield f"tool_choice: {choice!r} is not accepted"


def _tools(body: dict[str, Any], profile: Profile) -> Iterator[str]:
    if "tools" in body and not body["tools"]:
        yield "tools: must not be empty"
    names: set[str] = set()
    for i, tool in enumerate(array_or_empty(body.get("tools"))):
        function = object_or_empty(object_or_empty(tool).get("function"))
        name, parameters = str(function.get("name")), object_or_empty(function.get("parameters"))
        if object_or_empty(tool).get("type") != "function" or not _NAME.fullmatch(name):
            yield f"tools[{i}]: not a function with a name"
        if name in names:
            yield f"tools[{i}]: the name {name} is taken"
        names.add(name)
        if parameters.get("type") != "object" or not is_object(parameters.get("properties")):
            yield f"tools[{i}]: the parameters are no object schema"
        if profile.plain_schemas and _NOT_PLAIN.search(json.dumps(parameters)):
            yield f"tools[{i}]: the schema is not plain"


def _sampling(body: dict[str, Any], profile: Profile) -> Iterator[str]:
    fixed = profile.fixed_sampling_models
    refused = not profile.sampling or (bool(fixed) and bool(re.search(fixed, str(body.get("model")), re.IGNORECASE)))
    for field, lowest in (("temperature", 0.0), ("frequency_penalty", -2.0), ("presence_penalty", -2.0)):
        if field not in body:
            continue
        if refused or (field != "temperature" and not profile.penalties):
            yield f"{field}: not accepted"
        elif not lowest <= body[field] <= 2:
            yield f"{field}: out of range"


class _Messages:
    """Checks the messages in order; calls that wait for their results are remembered."""

    def __init__(self, messages: list[Any], model: str, profile: Profile) -> None:
        self._messages = messages
        self._model = model
        self._profile = profile
        self._ids: set[str] = set()
        self._waiting: set[str] = set()

    def problems(self) -> Iterator[str]:
        roles = [object_or_empty(message).get("role") for message in self._messages]
        if not roles or "user" not in roles:
            yield "messages: a user message is needed"
        if roles and roles[-1] not in ("user", "tool"):
            yield "messages: the last one must be the user's or a tool's"
        for i, message in enumerate(self._messages):
            for problem in self._message(i, object_or_empty(message), roles):
                yield f"messages[{i}]: {problem}"
        if self._waiting:
            yield f"messages: no results for {sorted(self._waiting)}"

    def _message(self, i: int, message: dict[str, Any], roles: list[Any]) -> Iterator[str]:
        role = roles[i]
        if role not in _MESSAGE_FIELDS:
            yield f"the role {role!r} is unknown"
            return
        for field in message.keys() - _MESSAGE_FIELDS[role]:
            yield f"{field}: unknown field"
        if role == "system" and i > 0:
            yield "the system message must be the first and only one"
        if role != "tool" and self._waiting:
            yield f"no results for {sorted(self._waiting)}"
            self._waiting.clear()
        if role == "user" and i > 0 and roles[i - 1] == "tool" and not self._profile.user_after_tool:
            yield "a user message can't follow a tool's"
        if role == "user" and i > 0 and roles[i - 1] == "user":
            yield "two user messages in a row"
        yield from self._content(message, role)
        if role == "assistant":
            yield from self._assistant(message)
        if role == "tool":
            yield from self._result(message)

    def _content(self, message: dict[str, Any], role: str) -> Iterator[str]:
        content = message.get("content")
        if is_array(content):
            marks = bool(self._profile.cache_control_models)
            images = [part for part in content if object_or_empty(part).get("type") == "image_url"]
            if not marks and (role != "user" or not self._profile.images or not images):
                yield "content must be a string"
            if not content or not all(_is_part(part, marks=marks) for part in content):
                yield "content has a part that is empty or unknown"
        elif not isinstance(content, str):
            yield "content must be a string"
        elif not content.strip() and not (role == "assistant" and message.get("tool_calls")):
            yield "content must not be empty"

    def _assistant(self, message: dict[str, Any]) -> Iterator[str]:
        calls = array_or_empty(message.get("tool_calls"))
        if "tool_calls" in message and not calls:
            yield "tool_calls must not be empty"
        for call in calls:
            yield from self._call(object_or_empty(call))
        field = self._profile.thinking_replay
        if calls and self._profile.thinking_required and not isinstance(message.get(field), str):
            yield f"{field} must be passed back"
        for other in {"reasoning_content", "reasoning"} - {field}:
            if other in message:
                yield f"{other}: not accepted"

    def _call(self, call: dict[str, Any]) -> Iterator[str]:
        id_, function = call.get("id"), object_or_empty(call.get("function"))
        if not isinstance(id_, str) or not self._is_id(id_):
            yield f"the call's id {id_!r} is not accepted"
            return
        if id_ in self._ids:
            yield f"the call's id {id_} is taken"
        self._ids.add(id_)
        self._waiting.add(id_)
        if call.get("type") != "function" or not _NAME.fullmatch(str(function.get("name"))):
            yield f"the call {id_} is no function with a name"
        if not _is_json_object(function.get("arguments")):
            yield f"the arguments of {id_} are no JSON object in a string"

    def _is_id(self, id_: str) -> bool:
        match self._profile.call_ids:
            case "alnum9":
                return re.fullmatch(r"[a-zA-Z0-9]{9}", id_) is not None
            case "short":
                return 0 < len(id_) <= 40
            case "any":
                return bool(id_)

    def _result(self, message: dict[str, Any]) -> Iterator[str]:
        id_ = str(message.get("tool_call_id"))
        if id_ not in self._waiting:
            yield f"no call waits for the result {id_!r}"
        self._waiting.discard(id_)


def _is_part(part: Any, *, marks: bool) -> bool:
    fields = object_or_empty(part)
    known = {"type", "text", "image_url", *(("cache_control",) if marks else ())}
    match fields.get("type"):
        case "text":
            return bool(str(fields.get("text", "")).strip()) and fields.keys() <= known
        case "image_url":
            url = str(object_or_empty(fields.get("image_url")).get("url"))
            return url.startswith(("data:image/", "https://")) and fields.keys() <= known
        case _:
            return False


def _is_json_object(arguments: Any) -> bool:
    try:
        return isinstance(arguments, str) and isinstance(msgspec.json.decode(arguments), dict)
    except (msgspec.DecodeError, UnicodeError):
        return False
