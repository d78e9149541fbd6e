"""What a conversation is made of: messages of content blocks, and the tools a model may call.

One shape for every provider. A wire turns it into its own request; nothing here knows how.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

type_field = "type"

Role = Literal["user", "assistant"]


class TextBlock(Struct, frozen=True, kw_only=True, tag_field=type_field, tag="text"):
    """Plain text, Markdown if it is the model's."""

    text: str


class ThinkingBlock(Struct, frozen=True, kw_only=True, tag_field=type_field, tag="thinking", omit_defaults=True):
    """A model's reasoning, kept so that it can be replayed to the model that made it.

    `signature` is Anthropic's proof of origin, `redacted` its encrypted form, `details` whatever opaque structure a
    gateway wants back as it was (OpenRouter's `reasoning_details`).
    """

    text: str = ""
    signature: str | None = None
    redacted: str | None = None
    details: list[Any] | None = None


class ToolCall(Struct, frozen=True, kw_only=True, tag_field=type_field, tag="tool_use", omit_defaults=True):
    """A call whose arguments are a JSON object. `signature` is Gemini's `thought_signature`, replayed untouched."""

    id: str
    name: str
    input: dict[str, Any]
    signature: str | None = None


class MalformedCall(Struct, frozen=True, kw_only=True, tag_field=type_field, tag="malformed_tool_use"):
    """A call that can't be run: its arguments are no JSON object. It is answered with `error`, never guessed at."""

    id: str
    name: str
    raw: str
    error: str


class ImageBlock(Struct, frozen=True, kw_only=True, tag_field=type_field, tag="image"):
    """An image. `data` is base64; `media_type` is a MIME type such as `image/png`."""

    media_type: str
    data: str


class ToolResult(Struct, frozen=True, kw_only=True, tag_field=type_field, tag="tool_result", omit_defaults=True):
    """The answer to the call with id `tool_use_id`."""

    tool_use_id: str
    text: str
    is_error: bool = False
    images: tuple[ImageBlock, ...] = ()


AnyCall = ToolCall | MalformedCall
Block = TextBlock | ThinkingBlock | ToolCall | MalformedCall | ToolResult | ImageBlock


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message. `origin` names the model that wrote it (`provider/model`): only that one gets its thinking back."""

    role: Role
    content: tuple[Block, ...]
    origin: str | None = None


class ToolSpec(Struct, frozen=True, kw_only=True):
    """A tool as a model sees it. `input_schema` is a JSON Schema object."""

    name: str
    description: str
    input_schema: dict[str, Any]


class ModelRequest(Struct, frozen=True, kw_only=True):
    """One call of a model.

    `system`, `tools` and the prefix of `messages` are byte-stable from call to call, so that providers can cache them.
    `response_schema` constrains the answer where the profile can (llama.cpp); elsewhere it is left out.
    `thinking_budget` is in tokens, 0 for no thinking. Penalties are sent where the profile allows them.
    `tool_choice` none asks for an answer in text; the tools stay in the request where the wire allows, for the cache.
    """

    messages: tuple[Message, ...]
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    max_output_tokens: int = 8000
    thinking_budget: int = 0
    tool_choice: Literal["auto", "none"] = "auto"
    temperature: float | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    response_schema: dict[str, Any] | None = None


def user_text(text: str) -> Message:
    return Message(role="user", content=(TextBlock(text=text),))


def calls_of(message: Message) -> tuple[AnyCall, ...]:
    return tuple(block for block in message.content if isinstance(block, ToolCall | MalformedCall))


def text_of(message: Message) -> str:
    return "".join(block.text for block in message.content if isinstance(block, TextBlock))
