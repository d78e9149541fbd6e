"""What the next call of the model would be made of, looked at without making it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from helloclaw.agent.config import TurnConfig
from helloclaw.agent.history import SUMMARY_HEAD, History
from helloclaw.agent.measure import SCHEMA_TOKENS, context_tokens
from helloclaw.agent.tokens import message_tokens, text_tokens
from helloclaw.llm.messages import Message, TextBlock, ToolResult, ToolSpec
from helloclaw.permissions.rules import RuleSet
from helloclaw.protocol.events import Mode

Part = Literal["system", "tools", "user", "assistant", "results", "notes"]

# How texts begin that the program put into the conversation, or a command of the person's.
_NOTES = (
    *(
        f"<{tag}>"
        for tag in ("environment", "memory", "todo", "system-reminder", "background-results", "user-command", "stdin")
    ),
    SUMMARY_HEAD,
)


class Section(Struct, frozen=True, kw_only=True):
    """A part of the system prompt; `cut` characters of what it is made of are left out of it."""

    name: str
    text: str
    tokens: int
    cut: int = 0


class Inspection(Struct, frozen=True, kw_only=True):
    """`tokens` estimates each part; `context_tokens` is what the model measured at its last call, and an estimate of
    what came since. Compaction starts at `compact_at`. `window` is the model's, None where nobody knows it,
    as `cost_usd` is of the session so far.
    """

    system: str
    sections: tuple[Section, ...]
    tools: tuple[ToolSpec, ...]
    messages: tuple[Message, ...]
    tokens: dict[Part, int]
    context_tokens: int
    compact_at: int
    window: int | None
    model: str
    mode: Mode
    rules: RuleSet
    cost_usd: float | None


def inspect(config: TurnConfig, history: History, mode: Mode, rules: RuleSet) -> Inspection:
    messages = history.messages()
    base = config.base
    tokens: dict[Part, int] = {
        "system": text_tokens(base.system),
        "tools": sum(text_tokens(tool.description) + SCHEMA_TOKENS for tool in base.tools),
    }
    return Inspection(
        system=base.system,
        sections=tuple(
            Section(name=part.title, text=part.text, tokens=text_tokens(part.text), cut=part.cut)
            for part in config.prompt
        ),
        tools=base.tools,
        messages=messages,
        tokens=tokens | _message_parts(messages),
        context_tokens=context_tokens(history, base),
        compact_at=config.compact_at,
        window=config.model.endpoint.context_window,
        model=config.model.endpoint.origin,
        mode=mode,
        rules=rules,
        cost_usd=config.price(history.total),
    )


def _message_parts(messages: Sequence[Message]) -> dict[Part, int]:
    parts: dict[Part, int] = {"user": 0, "assistant": 0, "results": 0, "notes": 0}
    for message in messages:
        for block in message.content:
            size = message_tokens((Message(role=message.role, content=(block,)),))
            parts[_part_of(message, block)] += size
    return parts


def _part_of(message: Message, block: object) -> Part:
    if message.role == "assistant":
        return "assistant"
    if isinstance(block, ToolResult):
        return "results"
    return "notes" if isinstance(block, TextBlock) and block.text.startswith(_NOTES) else "user"
