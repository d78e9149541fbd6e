"""Write a conversation as the Messages API wants it: turns that alternate, begin and end with the user's.

Pure, and the same for a prefix as for the whole: what is written for a message never depends on those after it, apart
from the cache marks, so that the provider's prompt cache keeps hitting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from helloclaw.llm.messages import (
    Block,
    ImageBlock,
    MalformedCall,
    Message,
    ModelRequest,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResult,
)
from helloclaw.llm.wire import Endpoint

OPENING = "(The conversation began earlier.)"
"""Stands before an assistant's turn that nothing precedes."""

GO_ON = "Continue."
"""Stands after an assistant's turn that nothing follows."""

NO_IMAGE = "(An image stood here; this model can't see images.)"

_Json = dict[str, Any]
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


class _Turn(Struct, kw_only=True):
    role: str
    content: list[_Json]


def render_messages(request: ModelRequest, endpoint: Endpoint) -> tuple[list[_Json], bool]:
    """The `messages` field, and whether thinking can't be asked for.

    Anthropic refuses thinking while a tool loop is under way whose assistant turn has no (signed) thinking block: after
    a switch of models in mid-turn, say.
    """
    writer = _Writer(endpoint, thinking=request.thinking_budget > 0)
    turns = _alternate(writer.turn(message) for message in request.messages)
    _mark_for_cache(turns)
    blocked = not endpoint.profile.needs_thinking_with_calls and _loop_without_thought(turns)
    return [{"role": turn.role, "content": turn.content} for turn in turns], blocked


class _Writer:
    """Writes message by message, and gives every call an id that the API takes."""

    def __init__(self, endpoint: Endpoint, *, thinking: bool) -> None:
        self._endpoint = endpoint
        self._profile = endpoint.profile
        self._thinking = thinking
        self._ids: dict[str, str] = {}  # ours to the written one, of the latest call with our id
        self._written: set[str] = set()

    def turn(self, message: Message) -> _Turn:
        if message.role == "assistant":
            return _Turn(role="assistant", content=self._assistant(message))
        results = [self._result(block) for block in message.content if isinstance(block, ToolResult)]
        others = [self._said(block) for block in message.content if not isinstance(block, ToolResult)]
        return _Turn(role="user", content=results + [block for block in others if block is not None])

    def _assistant(self, message: Message) -> list[_Json]:
        replayed = message.origin == self._endpoint.origin
        content: list[_Json] = []
        for block in message.content:
            match block:
                case ThinkingBlock():
                    written = self._thought(block) if replayed else None
                case ToolCall():
                    written = self._call(block.id, block.name, block.input)
                case MalformedCall():
                    written = self._call(block.id, block.name, {})
                case _:
                    written = self._said(block)
            if written is not None:
                content.append(written)
        while content and content[-1]["type"] in _THOUGHTS:  # a turn must not end in a thought
            content.pop()
        if self._thinking and self._profile.needs_thinking_with_calls and _calls_without_thought(content):
            content.insert(0, {"type": "thinking", "thinking": "", "signature": ""})
        return content

    def _thought(self, block: ThinkingBlock) -> _Json | None:
        if block.redacted is not None:
            return {"type": "redacted_thinking", "data": block.redacted}
        if not block.signature and (self._profile.signed_thinking_only or not block.text):
            return None
        return {"type": "thinking", "thinking": block.text, "signature": block.signature or ""}

    def _call(self, id_: str, name: str, input_: _Json) -> _Json:
        stem = re.sub(r"[^a-zA-Z0-9_-]", "_", id_) or "call"
        written, number = stem, 1
        while written in self._written:
            number += 1
            written = f"{stem}_{number}"
        self._written.add(written)
        self._ids[id_] = written
        return {"type": "tool_use", "id": written, "name": name, "input": input_}

    def _result(self, block: ToolResult) -> _Json:
        id_ = self._ids.get(block.tool_use_id, block.tool_use_id)
        written: _Json = {"type": "tool_result", "tool_use_id": id_}
        if block.images:
            text: list[_Json] = [{"type": "text", "text": block.text}] if block.text.strip() else []
            written["content"] = text + [self._image(image) for image in block.images]
        elif block.text:
            written["content"] = block.text
        if block.is_error:
            written["is_error"] = True
        return written

    def _said(self, block: Block) -> _Json | None:
        match block:
            case TextBlock(text=text):
                return {"type": "text", "text": text} if text.strip() else None
            case ImageBlock():
                return self._image(block)
            case _:
                return None

    def _image(self, block: ImageBlock) -> _Json:
        if not self._profile.images:
            return {"type": "text", "text": NO_IMAGE}
        return {"type": "image", "source": {"type": "base64", "media_type": block.media_type, "data": block.data}}


def _alternate(written: Iterator[_Turn]) -> list[_Turn]:
    """Leave out empty turns, join neighbours of one role, and let the user open and close."""
    turns: list[_Turn] = []
    for turn in written:
        if not turn.content:
            continue
        if turns and turns[-1].role == turn.role:
            joined = turns[-1].content + turn.content
            turns[-1].content = sorted(joined, key=lambda block: block["type"] != "tool_result")
        else:
            turns.append(turn)
    if not turns or turns[0].role == "assistant":
        turns.insert(0, _user_says(OPENING))
    if turns[-1].role == "assistant":
        turns.append(_user_says(GO_ON))
    return turns


def _user_says(text: str) -> _Turn:
    return _Turn(role="user", content=[{"type": "text", "text": text}])


def _mark_for_cache(turns: Sequence[_Turn]) -> None:
    """On the last two user turns: the latest is written to the cache, the one before it is read from there."""
    for turn in [turn for turn in turns if turn.role == "user"][-2:]:
        turn.content[-1]["cache_control"] = {"type": "ephemeral"}


def _loop_without_thought(turns: Sequence[_Turn]) -> bool:
    """Whether the last assistant turn called tools, is being answered, and does not begin with a thought."""
    answered = len(turns) > 1 and any(block["type"] == "tool_result" for block in turns[-1].content)
    return answered and _calls_without_thought(turns[-2].content)


def _calls_without_thought(content: Sequence[_Json]) -> bool:
    kinds = [block["type"] for block in content]
    return "tool_use" in kinds and kinds[0] not in _THOUGHTS
