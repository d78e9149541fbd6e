"""Give every tool call an id that is unique in its whole conversation, and the same one whenever the answer is read.

Servers leave ids empty, repeat one for parallel calls, or count from zero in every answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from helloclaw.llm.messages import Message, calls_of

_COUNTED = re.compile(r"^(.*):(\d+)$")


class CallIds:
    """The ids of one answer to `messages`."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._taken: set[str] | None = None
        self._made = 0

    def claim(self, wire_id: str, name: str) -> str:
        """`wire_id` if it is free, else one like it; a made one if it is empty.

        Kimi's models read the shape `name:number` in their history and write it again, so it is kept.
        """
        if self._taken is None:
            self._taken = {call.id for message in self._messages for call in calls_of(message)}
        chosen = wire_id
        if not wire_id:
            chosen = f"call_{self._digest(name)}"
        elif wire_id in self._taken:
            chosen = self._like(wire_id, self._taken)
        self._taken.add(chosen)
        return chosen

    def _like(self, wire_id: str, taken: set[str]) -> str:
        if counted := _COUNTED.match(wire_id):
            number = len(taken)
            while f"{counted[1]}:{number}" in taken:
                number += 1
            return f"{counted[1]}:{number}"
        return f"{wire_id}_{self._digest(wire_id)[:8]}"

    def _digest(self, name: str) -> str:
        """Of the conversation's end, so that ids stay unique even when compaction has shortened its beginning."""
        self._made += 1
        last = msgspec.json.encode(self._messages[-1]) if self._messages else b""
        salt = f"{len(self._messages)} {self._made} {name} ".encode(errors="replace")
        return blake2b(salt + last, digest_size=8).hexdigest()
