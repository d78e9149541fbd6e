"""Micro compaction: old tool results leave the context where that pays for the cache it breaks.

Pure. A provider reads a prompt that it knows at a tenth of the price and writes a new one at five quarters. Whoever
changes something in the middle has everything after it written anew (Anthropic, "Prompt caching", table of prices).
"""

from __future__ import annotations

from msgspec import Struct

from helloclaw.agent.history import History, dropped
from helloclaw.agent.tokens import message_tokens
from helloclaw.llm.messages import Message, ToolResult

KEPT_RESULTS = 3
WORTH_TOKENS = 2_000
CACHE_LIFE_S = 300.0
"""How long a provider keeps a prompt that nobody asks for again."""
CALLS_TO_COME = 20
READ, WRITE = 0.1, 1.25
ROOM = 0.7
"""A context that is about to be compacted must shrink to this share of the threshold, or it soon would be anyway."""


class Saving(Struct, frozen=True, kw_only=True):
    """Drop the results before `before` (a `seq`): that frees `freed` tokens, and `after` are to be written anew."""

    before: int
    freed: int
    after: int


def saving(history: History) -> Saving | None:
    """What would be freed if all results but the last three went; None if that is not worth a word."""
    entries = history.entries
    results = [index for index, (_, message) in enumerate(entries) if _has_result(message)]
    if len(results) <= KEPT_RESULTS:
        return None
    end = results[-KEPT_RESULTS]
    first, freed = None, 0
    for index in results[:-KEPT_RESULTS]:
        less = _size(entries[index][1]) - _size(dropped(entries[index][1], history.result_tools))
        if less > 0:
            first = index if first is None else first
            freed += less
    if first is None or freed < WORTH_TOKENS:
        return None
    after = message_tokens([message for _, message in entries[first:]]) - freed
    return Saving(before=entries[end][0], freed=freed, after=after)


def pays(saving: Saving, *, used: int, compact_at: int, idle_s: float) -> bool:
    """Whether to drop them now: `used` tokens fill the context, the last call was `idle_s` seconds ago."""
    if used >= compact_at:
        return used - saving.freed <= compact_at * ROOM  # A summary costs more, and loses more.
    if idle_s > CACHE_LIFE_S:
        return True  # There is no cache to break any more.
    return saving.freed * READ * CALLS_TO_COME > saving.after * (WRITE - READ)


def _has_result(message: Message) -> bool:
    return any(isinstance(block, ToolResult) for block in message.content)


def _size(message: Message) -> int:
    return message_tokens((message,))
