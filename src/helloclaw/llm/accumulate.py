"""Fold a stream of events into the assistant message it amounts to."""

from __future__ import annotations

from helloclaw.llm.events import (
    Failed,
    Fallback,
    Finish,
    ModelEvent,
    Retrying,
    StopReason,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallEnd,
    Usage,
)
from helloclaw.llm.messages import Block, Message, TextBlock, ThinkingBlock


class Accumulator:
    """Collects one model call. A `Retrying` or `Fallback` event empties it: what came before is void."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._pieces: list[str] = []
        self._in_text = False
        self.usage = Usage()
        self.stop_reason: StopReason | None = None
        self.failure: Failed | None = None

    def add(self, event: ModelEvent) -> None:
        match event:
            case TextStart() | ThinkingStart():
                self._pieces.clear()
                self._in_text = isinstance(event, TextStart)
            case TextDelta(text) | ThinkingDelta(text):
                self._pieces.append(text)
            case TextEnd(was_thinking=True):
                self._close(ThinkingBlock(text="".join(self._pieces)))
            case TextEnd():
                self._close(TextBlock(text="".join(self._pieces)))
            case ThinkingEnd():
                self._close(
                    ThinkingBlock(
                        text="".join(self._pieces),
                        signature=event.signature,
                        redacted=event.redacted,
                        details=event.details,
                    )
                )
            case ToolCallEnd(call):
                self._blocks.append(call)
            case Usage():
                self.usage = event
            case Finish(reason):
                self.stop_reason = reason
            case Failed():
                self.failure = event
            case Retrying() | Fallback():
                self._blocks.clear()
                self._pieces.clear()
            case _:
                pass

    def message(self, origin: str | None = None) -> Message:
        """What has been closed so far; an empty text block is no content."""
        return Message(role="assistant", content=tuple(self._blocks), origin=origin)

    def partial_text(self) -> str:
        """Text (not thinking) that was streamed but not closed, for a turn that was interrupted."""
        return "".join(self._pieces) if self._in_text else ""

    def _close(self, block: TextBlock | ThinkingBlock) -> None:
        self._pieces.clear()
        if not isinstance(block, TextBlock) or block.text:
            self._blocks.append(block)
