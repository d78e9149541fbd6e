"""Small local models write a tool call as plain text; take it for a call when it can be nothing else.

Only for profiles that ask for it, only when the whole message is the call, and only for tools that were offered: a
bare or fenced JSON object with a name and arguments, or `<tool_call>` elements (Hermes, Qwen and GLM dialects).
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from helloclaw.llm.json_value import is_array
from helloclaw.llm.leaked_calls import CALL_KEYS, LeakedCall, Schemas, by_schema, call_of_object

_FENCE = re.compile(r"^```(?:json|tool_call|tool|xml)?[ \t]*\n(.*?)(?:\n?```)?\s*$", re.DOTALL)
_FENCE_INFO = ("json", "tool_call", "tool", "xml", "")
_ELEMENT = re.compile(r"\s*<tool_call>\s*(.*?)\s*(?:</tool_call>|$)", re.DOTALL)
_FUNCTION = re.compile(r"^<function=([^>]+)>(.*?)(?:</function>)?$", re.DOTALL)
_PARAMETER = re.compile(r"\s*<parameter=([^>]+)>\n?(.*?)\n?</parameter>\s*", re.DOTALL)
_GLM = re.compile(r"^([\w.-]+)\s*((?:<arg_key>.*</arg_value>)?)$", re.DOTALL)
_GLM_ARGUMENT = re.compile(r"\s*<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>\s*", re.DOTALL)
_OPENING = "<tool_call>"
DECIDED_BY = 200
"""Characters after which a message that may still be a call is not looked at again before its end."""


class HeldCall:
    """Holds a message's text back while it may still turn out to be a call, and lets it go as soon as it can't."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._held: list[str] = []
        self._head = ""
        self._open = bool(schemas)

    def feed(self, text: str) -> str:
        """What can be shown now."""
        if not self._open:
            return text
        self._held.append(text)
        if len(self._head) >= DECIDED_BY:
            return ""
        self._head += text
        return "" if may_become_call(self._head) else self.release()

    def release(self) -> str:
        """Everything held, as text; nothing is held from now on."""
        held, self._held, self._head, self._open = "".join(self._held), [], "", False
        return held

    def restart(self) -> str:
        """Like `release`, but the message begins only now: what came before was a thought."""
        held = self.release()
        self._open = bool(self._schemas)
        return held

    def calls(self) -> tuple[LeakedCall, ...]:
        """The calls that the whole message is; then nothing is held any more. Empty: it is text."""
        calls = calls_in_text("".join(self._held), self._schemas) if self._held else ()
        if calls:
            self.release()
        return calls


def may_become_call(text: str) -> bool:
    """Whether a message that begins like this may be nothing but a call."""
    start = text.lstrip()
    if start.startswith("```"):
        info, newline, start = start[3:].partition("\n")
        if not newline:
            return any(known.startswith(info.strip()) for known in _FENCE_INFO)
        if info.strip() not in _FENCE_INFO:
            return False
        start = start.lstrip()
    if not start or "```".startswith(start) or _OPENING.startswith(start[: len(_OPENING)]):
        return True
    return _may_become_json_call(start)


def _may_become_json_call(text: str) -> bool:
    start = text.removeprefix("[").lstrip()
    if not start:
        return True
    if not start.startswith("{"):
        return False
    key = start[1:].lstrip()
    if not key:
        return True
    name, quote, _ = key[1:].partition('"')
    return key[0] == '"' and (name in CALL_KEYS if quote else any(known.startswith(name) for known in CALL_KEYS))


def calls_in_text(text: str, schemas: Schemas) -> tuple[LeakedCall, ...]:
    """The calls that `text` consists of, or none if it holds anything else or a tool that was not offered."""
    body = text.strip()
    if fenced := _FENCE.match(body):
        body = fenced[1].strip()
    calls = _elements(body, schemas) if body.startswith(_OPENING) else _json_calls(body)
    return calls if all(call.name in schemas for call in calls) else ()


def _json_calls(text: str) -> tuple[LeakedCall, ...]:
    try:
        value: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return ()
    entries = value if is_array(value) else [value]
    calls = [call_of_object(entry) for entry in entries]
    return tuple(call for call in calls if call is not None) if all(calls) else ()


def _elements(text: str, schemas: Schemas) -> tuple[LeakedCall, ...]:
    calls: list[LeakedCall] = []
    position = 0
    while position < len(text):
        element = _ELEMENT.match(text, position)
        found = _element(element[1], schemas) if element else ()
        if element is None or not found:
            return ()
        calls += found
        position = element.end()
    return tuple(calls)


def _element(text: str, schemas: Schemas) -> tuple[LeakedCall, ...]:
    """What is in one `<tool_call>`: JSON (Hermes), `<function=f>` (Qwen3-Coder), or a name and `<arg_key>` (GLM)."""
    if text.startswith(("{", "[")):
        return _json_calls(text)
    if function := _FUNCTION.match(text):
        name, pattern, inner = function[1].strip(), _PARAMETER, function[2].strip()
    elif glm := _GLM.match(text):
        name, pattern, inner = glm[1], _GLM_ARGUMENT, glm[2].strip()
    else:
        return ()
    values: dict[str, Any] = {}
    position = 0
    while position < len(inner):
        argument = pattern.match(inner, position)
        if argument is None or argument[1].strip() in values:
            return ()
        key = argument[1].strip()
        values[key] = by_schema(argument[2], schemas.get(name, {}), key)
        position = argument.end()
    return (LeakedCall(name=name, raw=msgspec.json.encode(values).decode()),)
