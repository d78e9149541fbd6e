"""Write a history as the messages of Chat Completions. Pure; the profile says what a provider takes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, assert_never, cast

from helloclaw.llm.messages import (
    AnyCall,
    ImageBlock,
    MalformedCall,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResult,
    calls_of,
    text_of,
)
from helloclaw.llm.openai_fields import merge_details
from helloclaw.llm.profile import Profile
from helloclaw.llm.text import encodable
from helloclaw.llm.wire import Endpoint

NO_IMAGE = "(An image was here; this model can't see images.)"
EMPTY = "(empty)"
GO_ON = "Go on."
BRIDGE = "(see the next message)"
"""Stands between a tool's result, which is text only, and images, where a user message may not follow a tool's."""
_BAD_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_ALNUM9 = re.compile(r"[a-zA-Z0-9]{9}")
OPENAI_ID_LENGTH = 40


def chat_messages(system: str, messages: Sequence[Message], endpoint: Endpoint) -> list[dict[str, Any]]:
    """The system message first and only first, results right after their calls, and a user message somewhere and last.

    Neighbouring user messages become one, for chat templates that want turns to alternate.
    """
    profile = endpoint.profile
    written: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "assistant":
            if turn := _assistant(message, endpoint):
                written.append(turn)
        else:
            written += _results(message, profile)
            _add_user(written, message, profile)
    _complete(written)
    if system:
        written.insert(0, {"role": "system", "content": encodable(system)})
    return written


def _complete(written: list[dict[str, Any]]) -> None:
    """GLM and many chat templates want a user message; none wants to go on from an assistant's."""
    if not written or written[0]["role"] == "assistant":
        written.insert(0, {"role": "user", "content": GO_ON})
    if written[-1]["role"] == "assistant":
        written.append({"role": "user", "content": GO_ON})


def _assistant(message: Message, endpoint: Endpoint) -> dict[str, Any] | None:
    profile = endpoint.profile
    own = message.origin is not None and message.origin == endpoint.origin
    calls = calls_of(message)
    text = encodable(text_of(message))
    thoughts = [block for block in message.content if isinstance(block, ThinkingBlock)] if own else []
    thinking = encodable("".join(block.text for block in thoughts))
    if profile.thinking_replay == "think_tags" and thinking:
        text = f"<think>\n{thinking}\n</think>\n\n{text}"
    if not text and not calls:
        return None
    turn: dict[str, Any] = {"role": "assistant", "content": text}
    if profile.thinking_replay in ("reasoning_content", "reasoning") and (
        thinking or (profile.thinking_required and calls)
    ):
        turn[profile.thinking_replay] = thinking
    details: list[Any] = []
    for block in thoughts:
        merge_details(details, block.details)
    if details and profile.thinking_replay != "none":
        turn["reasoning_details"] = details
    if calls:
        turn["tool_calls"] = _calls(calls, profile, own=own)
    return turn


def _calls(calls: Iterable[AnyCall], profile: Profile, *, own: bool) -> list[dict[str, Any]]:
    written = [_call(call, profile, own=own) for call in calls]
    if profile.signature_filler and not own and written:
        written[0]["extra_content"] = {"google": {"thought_signature": profile.signature_filler}}
    return written


def _call(call: AnyCall, profile: Profile, *, own: bool) -> dict[str, Any]:
    """A malformed call's arguments become `{}`: servers parse them, and its result says what was wrong."""
    arguments = (
        json.dumps(call.input, ensure_ascii=False, separators=(",", ":")) if isinstance(call, ToolCall) else "{}"
    )
    written: dict[str, Any] = {
        "id": wire_id(call.id, profile),
        "type": "function",
        "function": {"name": wire_name(call.name), "arguments": encodable(arguments)},
    }
    if own and isinstance(call, ToolCall) and call.signature:
        written["extra_content"] = {"google": {"thought_signature": call.signature}}
    return written


def _results(message: Message, profile: Profile) -> list[dict[str, Any]]:
    return [
        {
            "role": "tool",
            "tool_call_id": wire_id(block.tool_use_id, profile),
            "content": encodable(block.text) or EMPTY,
        }
        for block in message.content
        if isinstance(block, ToolResult)
    ]


def _add_user(written: list[dict[str, Any]], message: Message, profile: Profile) -> None:
    parts = _user_parts(message, profile)
    if not parts:
        return
    before = written[-1] if written else {}
    if before.get("role") == "user":
        before["content"] = _content(_as_parts(before["content"]) + parts)
        return
    if before.get("role") == "tool" and not profile.user_after_tool:
        if not _images(parts):
            before["content"] += "\n\n" + cast("str", _content(parts))
            return
        written.append({"role": "assistant", "content": BRIDGE})
    written.append({"role": "user", "content": _content(parts)})


def _user_parts(message: Message, profile: Profile) -> list[dict[str, Any]]:
    """Text and images; those of tool results follow, for a `tool` message holds text only."""
    parts: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []
    for block in message.content:
        match block:
            case TextBlock(text=text):
                if text.strip():
                    parts.append({"type": "text", "text": encodable(text)})
            case ImageBlock():
                parts.append(_image(block, profile))
            case ToolResult(images=images):
                shown += [_image(image, profile) for image in images]
            case ThinkingBlock() | ToolCall() | MalformedCall():
                pass  # an assistant's
            case _:
                assert_never(block)
    if _images(shown):
        shown.insert(0, {"type": "text", "text": "Images from the tool results above:"})
    return shown + parts


def _image(image: ImageBlock, profile: Profile) -> dict[str, Any]:
    if not profile.images:
        return {"type": "text", "text": NO_IMAGE}
    return {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{image.data}"}}


def _images(parts: list[dict[str, Any]]) -> bool:
    return any(part["type"] == "image_url" for part in parts)


def _content(parts: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """A string where it can be: not every server takes parts."""
    return parts if _images(parts) else "\n\n".join(part["text"] for part in parts)


def _as_parts(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def wire_id(id_: str, profile: Profile) -> str:
    """A call's id as the provider takes it; the same id always becomes the same one."""
    match profile.call_ids:
        case "alnum9":
            return id_ if _ALNUM9.fullmatch(id_) else _alnum(id_, 9)
        case "short":
            return id_ if 0 < len(id_) <= OPENAI_ID_LENGTH else f"call_{_alnum(id_, 24)}"
        case "any":
            return encodable(id_)


def _alnum(text: str, length: int) -> str:
    number = int.from_bytes(blake2b(text.encode(errors="replace"), digest_size=24).digest())
    digits: list[str] = []
    for _ in range(length):
        number, digit = divmod(number, len(_ALNUM))
        digits.append(_ALNUM[digit])
    return "".join(digits)


def wire_name(name: str) -> str:
    """A tool's name as every provider takes it; a hallucinated one may be anything."""
    return _BAD_NAME.sub("_", name)[:64] or "unknown"
