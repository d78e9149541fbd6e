"""How many tokens something is likely to be, where no model has counted it yet."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from helloclaw.llm.messages import (
    Block,
    ImageBlock,
    MalformedCall,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResult,
)

# A token is about four letters of English or four fifths of a Chinese character; UTF-8 gives those four and 2.4 bytes.
BYTES_PER_TOKEN = 3.6
IMAGE_TOKENS = 1_500
BLOCK_OVERHEAD = 6


def text_tokens(text: str) -> int:
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return int(size / BYTES_PER_TOKEN)


def message_tokens(messages: Iterable[Message]) -> int:
    return sum(BLOCK_OVERHEAD + _block_tokens(block) for message in messages for block in message.content)


def _block_tokens(block: Block) -> int:
    match block:
        case TextBlock(text=text) | ThinkingBlock(text=text):
            return text_tokens(text)
        case ToolResult():
            return text_tokens(block.text) + IMAGE_TOKENS * len(block.images)
        case ToolCall():
            return text_tokens(block.name) + int(len(msgspec.json.encode(block.input)) / BYTES_PER_TOKEN)
        case MalformedCall(raw=raw):
            return text_tokens(raw)
        case ImageBlock():
            return IMAGE_TOKENS
