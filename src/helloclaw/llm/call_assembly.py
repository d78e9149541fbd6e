"""Put tool calls together from the deltas of Chat Completions, whatever a gateway makes of `index`, `id` and `name`.

A delta belongs to the call with its index, unless it must be another: vLLM, SGLang and Gemini give every parallel call
index 0, GLM gives them one id, and later deltas may repeat, empty or leave out anything.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from helloclaw.llm.arguments import parse_arguments
from helloclaw.llm.call_ids import CallIds
from helloclaw.llm.events import StreamEvent, ToolCallDelta, ToolCallEnd, ToolCallStart
from helloclaw.llm.json_value import is_object, object_or_empty
from helloclaw.llm.leaked_calls import LeakedCall
from helloclaw.llm.messages import MalformedCall, ToolCall
from helloclaw.llm.text import encodable


class _Call:
    """A call that is being streamed."""

    def __init__(self, index: int | None) -> None:
        self.index = index
        self.wire_id = ""
        self.name = ""
        self.pieces: list[str] = []
        self.length = 0
        self.signature: str | None = None
        self.id = ""
        """Ours; set when the call is announced."""

    @property
    def raw(self) -> str:
        raw = "".join(self.pieces)
        rest = raw[2:] if raw.startswith("{}") else ""
        return rest if rest and _is_whole(rest) else raw  # some proxies stream `{}` before the real arguments

    def add(self, piece: str) -> None:
        self.pieces.append(piece)
        self.length += len(piece)

    @property
    def whole(self) -> bool:
        last = next((piece for piece in reversed(self.pieces) if piece.strip()), "")
        return last.rstrip().endswith("}") and _is_whole("".join(self.pieces))  # no joining at every delta


class _Delta:
    """One entry of `tool_calls`, read leniently."""

    def __init__(self, entry: dict[str, Any]) -> None:
        function = entry.get("function")
        fields = function if is_object(function) else entry
        index, wire_id, name = entry.get("index"), entry.get("id"), fields.get("name")
        self.index = index if isinstance(index, int) else None
        self.wire_id = wire_id if isinstance(wire_id, str) else ("" if wire_id is None else str(wire_id))
        self.name = encodable(name.strip()) if isinstance(name, str) else ""
        arguments: Any = fields.get("arguments")
        if arguments is not None and not isinstance(arguments, str):  # Ollama, llama.cpp: an object
            arguments = json.dumps(arguments, ensure_ascii=False)
        self.arguments: str = arguments or ""
        self.signature = _signature(entry) or _signature(fields)


class CallAssembler:
    """The calls of one answer. `known` are the names of the tools that were offered."""

    def __init__(self, ids: CallIds, known: Collection[str]) -> None:
        self._ids = ids
        self._known = known
        self._calls: list[_Call] = []

    def __bool__(self) -> bool:
        return any(call.name or call.pieces for call in self._calls)

    @property
    def whole(self) -> bool:
        """Whether every call has all its arguments, as far as can be seen."""
        return all(call.name and (not call.pieces or call.whole) for call in self._calls)

    def feed(self, entries: list[Any]) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        named: list[_Call] = []
        for entry in entries:
            if not is_object(entry):
                continue
            delta = _Delta(entry)
            delta.name = self._plain_name(delta.name)
            call = self._owner(delta, named)
            if call is None:
                call = _Call(delta.index)
                self._calls.append(call)
            if delta.name:
                named.append(call)
            events += self._extend(call, delta)
        return events

    def _owner(self, delta: _Delta, named: list[_Call]) -> _Call | None:
        """The call that `delta` goes on with; None: it begins one. `named` were named by the same chunk already."""
        current = self._current(delta)
        if current is None or not delta.name:
            return current
        if not current.name:
            return current
        if current.name != delta.name:
            return current if self._continues_name(current, delta.name) else None
        if current in named:
            return None
        if current.wire_id and delta.wire_id and current.wire_id != delta.wire_id:
            return current if current.pieces and not current.whole else None
        return None if delta.arguments and current.whole else current

    def _current(self, delta: _Delta) -> _Call | None:
        """The last call at this index with this id, or at this index, or with this id; else the last one of all."""
        here = [call for call in self._calls if delta.index is not None and call.index == delta.index]
        same_id = [call for call in here or self._calls if delta.wire_id and call.wire_id == delta.wire_id]
        if delta.index is not None and not here and delta.name:
            return None
        if delta.index is None and delta.wire_id and delta.name and not same_id:
            return None
        return (same_id or here or self._calls or [None])[-1]

    def _continues_name(self, call: _Call, more: str) -> bool:
        """Whether `more` is the next piece of a name and not the name of another call."""
        longer = call.name + more
        return not call.pieces and any(name.startswith(longer) for name in self._known)

    def _extend(self, call: _Call, delta: _Delta) -> list[StreamEvent]:
        call.wire_id = call.wire_id or delta.wire_id
        call.signature = call.signature or delta.signature
        if delta.name and delta.name != call.name:
            call.name += delta.name
        if not delta.arguments or (not delta.name and self._is_repeat(call, delta.arguments)):
            return self._announce(call) if call.name in self._known else []
        events = self._announce(call)
        call.add(delta.arguments)
        return [*events, ToolCallDelta(call.id, encodable(delta.arguments))] if call.id else events

    def _is_repeat(self, call: _Call, arguments: str) -> bool:
        """Some gateways close a call by sending all of its arguments once more."""
        if len(arguments) <= 2 or len(arguments) != call.length:
            return False
        return arguments == "".join(call.pieces) and _is_whole(arguments)

    def _announce(self, call: _Call) -> list[StreamEvent]:
        if call.id or not call.name:
            return []
        call.id = self._ids.claim(call.wire_id, call.name)
        start: list[StreamEvent] = [ToolCallStart(call.id, call.name)]
        return [*start, *(ToolCallDelta(call.id, encodable(piece)) for piece in call.pieces)]

    def _plain_name(self, name: str) -> str:
        """Kimi's own prefix, where it is not part of a tool's name."""
        plain = name.removeprefix("functions.").removeprefix("function.")
        return plain if plain in self._known and name not in self._known else name

    def finish(self, *, cut_off: bool) -> list[StreamEvent]:
        """End every call. `cut_off`: the answer hit its limit, so a last call without any arguments is not one."""
        events: list[StreamEvent] = []
        calls = [call for call in self._calls if call.name or call.pieces]
        for call in calls:
            events += self._announce(call)
            raw = call.raw
            if not call.name:
                call.id = self._ids.claim(call.wire_id, "")
                events.append(ToolCallStart(call.id, ""))
                ended = MalformedCall(id=call.id, name="", raw=encodable(raw), error="The call names no tool.")
            elif cut_off and call is calls[-1] and not raw.strip():
                ended = MalformedCall(id=call.id, name=call.name, raw="", error="The call was cut off.")
            else:
                ended = parse_arguments(call.id, call.name, raw, call.signature)
            events.append(ToolCallEnd(ended))
        return events

    def from_leaks(self, leaks: Collection[LeakedCall]) -> list[StreamEvent]:
        """The events of calls that were found in the text."""
        events: list[StreamEvent] = []
        for leak in leaks:
            name = self._plain_name(leak.name)
            id_ = self._ids.claim("", name)
            call: ToolCall | MalformedCall = parse_arguments(id_, name, leak.raw)
            if leak.error:
                call = MalformedCall(
                    id=id_, name=name, raw=leak.raw, error=f"The arguments can't be read: {leak.error}"
                )
            events += [ToolCallStart(id_, name), ToolCallDelta(id_, encodable(leak.raw)), ToolCallEnd(call)]
        return events


def _is_whole(text: str) -> bool:
    if not text.lstrip().startswith("{"):
        return False
    try:
        return isinstance(json.loads(text, strict=False), dict)
    except (ValueError, RecursionError):
        return False


def _signature(fields: dict[str, Any]) -> str | None:
    """Gemini's `thought_signature`, where Google (`google`, `vertex`) or a proxy (LiteLLM) puts it."""
    for key in ("extra_content", "provider_specific_fields"):
        holder = object_or_empty(fields.get(key))
        for place in (holder, holder.get("google"), holder.get("vertex")):
            found = object_or_empty(place).get("thought_signature")
            if isinstance(found, str) and found:
                return found
    return None
