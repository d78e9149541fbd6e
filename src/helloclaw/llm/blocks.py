"""Turn a run of text and thought pieces into properly nested block events, for wires whose chunks have no blocks.

Space before the first word is held back, so that a lone newline before a tool call does not become a text block.
"""

from __future__ import annotations

from typing import Any, Literal

from helloclaw.llm.events import (
    StreamEvent,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
)
from helloclaw.llm.text import HalfJoiner


class BlockWriter:
    """At most one block is open. `details` gathers what the thinking block that closes next carries along."""

    def __init__(self) -> None:
        self._open: Literal["text", "thinking"] | None = None
        self._space = ""
        self._halves = HalfJoiner()
        self.details: list[Any] = []
        self.wrote_text = False
        self.wrote_thinking = False

    def say(self, text: str) -> list[StreamEvent]:
        if self._open != "text":
            text = self._space + text
            if not text.strip():
                self._space = text
                return []
            self._space = ""
        return self._write("text", text)

    def think(self, text: str) -> list[StreamEvent]:
        return self._write("thinking", text) if text else []

    def _write(self, kind: Literal["text", "thinking"], text: str) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        if self._open != kind:
            events += self.close()
            self._open = kind
            events.append(TextStart() if kind == "text" else ThinkingStart())
        self.wrote_text |= kind == "text"
        self.wrote_thinking |= kind == "thinking"
        if text := self._halves.feed(text):
            events.append(TextDelta(text) if kind == "text" else ThinkingDelta(text))
        return events

    def close(self, *, was_thinking: bool = False) -> list[StreamEvent]:
        """End the open block. `was_thinking`: the text in it has turned out to be a thought."""
        kind, self._open = self._open, None
        self._space = ""
        rest = self._halves.close()
        match kind:
            case "text":
                delta: list[StreamEvent] = [TextDelta(rest)] if rest else []
                return [*delta, TextEnd(was_thinking=was_thinking)]
            case "thinking":
                delta = [ThinkingDelta(rest)] if rest else []
                return [*delta, self._thinking_end()]
            case None:
                return []

    def finish(self) -> list[StreamEvent]:
        """End the open block; details that no thinking block has carried yet get one without text."""
        events = self.close()
        if self.details:
            events += [ThinkingStart(), self._thinking_end()]
        return events

    def _thinking_end(self) -> ThinkingEnd:
        details, self.details = self.details, []
        return ThinkingEnd(details=details or None)
