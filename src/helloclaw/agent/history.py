"""What the model sees of a session, folded from its events. A running session and a resumed one use the same fold."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

import msgspec

from helloclaw.agent.repair import repair
from helloclaw.llm.events import Usage
from helloclaw.llm.messages import Block, Message, TextBlock, ToolResult
from helloclaw.protocol.events import (
    AssistantEnd,
    Compacted,
    Event,
    Mode,
    SessionUpdated,
    ToolDenied,
    ToolEnd,
    UsageEvent,
    UserMessage,
)

log = logging.getLogger(__name__)

SUMMARY_HEAD = "Summary of the conversation so far (its older part was compacted to save space):"


class History:
    """Messages with the `seq` of the event each came from. Apply events in order; nothing else changes it.

    `total` counts the session's tokens. `context_tokens` is what the last call measured, None if no call was made since
    the last compaction; it covers the first `measured_at` entries.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._entries: list[tuple[int, Message]] = []
        self.total = Usage()
        self.context_tokens: int | None = None
        self.measured_at = 0
        self.mode: Mode | None = None
        self.client_ids: set[str] = set()
        self._logged: set[str] = set()
        for event in events:
            self.apply(event)

    def apply(self, event: Event) -> None:
        match event:
            case UserMessage():
                if event.client_id:
                    self.client_ids.add(event.client_id)
                self._add(event, Message(role="user", content=_user_content(event)))
            case AssistantEnd():
                self._add(event, Message(role="assistant", content=event.content, origin=event.model or None))
            case ToolEnd():
                result = ToolResult(
                    tool_use_id=event.id, text=event.output, is_error=event.error is not None, images=event.images
                )
                self._add(event, Message(role="user", content=(result,)))
            case ToolDenied():
                result = ToolResult(tool_use_id=event.id, text=event.output, is_error=True)
                self._add(event, Message(role="user", content=(result,)))
            case Compacted():
                summary = Message(role="user", content=(TextBlock(text=f"{SUMMARY_HEAD}\n\n{event.summary}"),))
                kept = [entry for entry in self._entries if entry[0] >= event.keep_from]
                self._entries = [(event.keep_from, summary), *kept]
                self.context_tokens = None
            case UsageEvent():
                self.total = event.total
                self.context_tokens = event.context_tokens
                self.measured_at = len(self._entries)
            case SessionUpdated():
                self.mode = event.mode or self.mode
            case _:
                pass

    @property
    def entries(self) -> list[tuple[int, Message]]:
        """(seq, message) pairs, oldest first, before repair."""
        return self._entries

    def messages(self) -> tuple[Message, ...]:
        """What goes to a model. Each repair it needed is logged once: it tells of a crash, a fork or a bug upstream."""
        repaired = repair([message for _, message in self._entries])
        for fix in repaired.fixes:
            if fix not in self._logged:
                self._logged.add(fix)
                log.warning("[normalize] %s", fix)
        return repaired.messages

    def _add(self, event: Event, message: Message) -> None:
        self._entries.append((event.seq or 0, message))


def _user_content(event: UserMessage) -> tuple[Block, ...]:
    context = [TextBlock(text=part) for part in event.context if part]
    text = [TextBlock(text=event.text)] if event.text else []
    return (*context, *event.images, *text)


class _Kind(msgspec.Struct):
    seq: int = 0
    keep_from: int = 0


def _line_start(kind: str) -> bytes:
    """How a journal line of this type begins: the tag is always encoded first."""
    return b'{"type":"' + kind.encode() + b'"'


_MESSAGES = tuple(map(_line_start, ("user_message", "assistant_end", "tool_end", "tool_denied", "session_updated")))
_COMPACTED = _line_start("compacted")
_USAGE = _line_start("usage")


def load_history(lines: list[bytes]) -> History:
    """Fold a journal's lines, decoding only what a model will see: a long session resumes in a blink.

    Lines that can't be read as an event of this program are skipped (an unknown `type` is another version's).
    """
    history = History()
    decoder = msgspec.json.Decoder(Event)
    for line in _needed(lines):
        try:
            history.apply(decoder.decode(line))
        except msgspec.MsgspecError:
            continue
    return history


def _needed(lines: list[bytes]) -> Iterator[bytes]:
    """The last usage of all, then what the last compaction kept, the compaction itself last of the old part."""
    last_usage = next((index for index in range(len(lines) - 1, -1, -1) if lines[index].startswith(_USAGE)), -1)
    start = _kept_from(lines)
    if 0 <= last_usage < start:
        yield lines[last_usage]
    for index in range(start, len(lines)):
        if lines[index].startswith(_MESSAGES) or lines[index].startswith(_COMPACTED) or index == last_usage:
            yield lines[index]


def _kept_from(lines: list[bytes]) -> int:
    """The index of the first line that the last compaction kept, 0 if there was none."""
    for index in range(len(lines) - 1, -1, -1):
        if lines[index].startswith(_COMPACTED):
            keep_from = msgspec.json.decode(lines[index], type=_Kind).keep_from
            while index > 0 and msgspec.json.decode(lines[index - 1], type=_Kind).seq >= keep_from:
                index -= 1
            return index
    return 0
