"""What the model sees of a session, folded from its events. A running session and a resumed one use the same fold."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping

import msgspec

from helloclaw.agent.repair import Order, repair
from helloclaw.agent.tokens import message_tokens
from helloclaw.llm.events import Usage
from helloclaw.llm.messages import AnyCall, Block, Message, TextBlock, ToolResult, calls_of
from helloclaw.protocol.events import (
    AssistantEnd,
    Cleared,
    Compacted,
    Event,
    MemorySaved,
    Mode,
    ResultsDropped,
    SessionUpdated,
    ToolDenied,
    ToolEnd,
    UsageEvent,
    UserMessage,
)

log = logging.getLogger(__name__)

SUMMARY_HEAD = "Summary of the conversation so far (its older part was compacted to save space):"
WHERE_THE_REST_IS = (
    "Every word of the older part is in {path}, one message a line: look a detail up there with search_content, or "
    "with memory_search where you have it, rather than guess it or ask for it again."
)
_KEPT_RESULTS = frozenset(("read_file",))
_ON_DISK = re.compile(r"\.task_outputs/tool-results/[\w-]+\.txt")
LAST_WORDS_HEAD = "The person's last message, word for word:"


class History:
    """Messages with the `seq` of the event each came from. Apply events in order; nothing else changes it.

    `total` counts the session's tokens. `measured` is how many the context held at the last call, at `measured_at`
    (seconds since 1970); None if there was no call since the last compaction. `estimated` is our count of all messages,
    `estimated_then` that at the last call. `last_words` is what the person said last, with its `seq`. `title` was given
    by the person, `first_words` stand in for one. `flushed`: since the last compaction notes were made of what is worth
    keeping. `compacted` is the last compaction, whose ledger of files the next one continues.
    `result_tools` names the tool of each result by the call's id.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._entries: list[tuple[int, Message]] = []
        self._joined: list[Message] = []
        self._order = Order()
        self.total = Usage()
        self.measured: int | None = None
        self.measured_at = 0.0
        self.flushed = False
        self.compacted: Compacted | None = None
        self.estimated = 0
        self.estimated_then = 0
        self.last_words: tuple[int, str] = (0, "")
        self.mode: Mode | None = None
        self.title = ""
        self.first_words = ""
        self.client_ids: set[str] = set()
        self.result_tools: dict[str, str] = {}
        self._logged: set[str] = set()
        for event in events:
            self.apply(event)

    def apply(self, event: Event) -> None:
        match event:
            case UserMessage() | AssistantEnd() | ToolEnd() | ToolDenied():
                self._say(event)
            case Compacted():
                self._compact(event)
            case ResultsDropped():
                self._drop_results(event)
            case UsageEvent():
                self.total = event.total
                self.measured = event.context_tokens
                self.measured_at = event.ts
                self.estimated_then = self.estimated
            case SessionUpdated():
                self.mode = event.mode or self.mode
                self.title = self.title if event.title is None else event.title
            case Cleared():
                self._clear(event)
            case MemorySaved(flush=True):
                self.flushed = True
            case _:
                pass

    def _say(self, event: UserMessage | AssistantEnd | ToolEnd | ToolDenied) -> None:
        match event:
            case UserMessage():
                if event.client_id:
                    self.client_ids.add(event.client_id)
                if event.source == "user" and event.text:
                    self.first_words = self.first_words or event.text
                    self.last_words = (event.seq or 0, event.text)
                self._add(event, Message(role="user", content=_user_content(event)))
            case AssistantEnd():
                self._add(event, Message(role="assistant", content=event.content, origin=event.model or None))
            case ToolEnd():
                self.result_tools[event.id] = event.name
                result = ToolResult(
                    tool_use_id=event.id, text=event.output, is_error=event.error is not None, images=event.images
                )
                self._add(event, Message(role="user", content=(result,)))
            case ToolDenied():
                self.result_tools[event.id] = event.name
                result = ToolResult(tool_use_id=event.id, text=event.output, is_error=True)
                self._add(event, Message(role="user", content=(result,)))

    @property
    def needed_repair(self) -> bool:
        """Whether `messages` ever had to mend something."""
        return bool(self._logged)

    @property
    def entries(self) -> list[tuple[int, Message]]:
        """(seq, message) pairs, oldest first, before repair."""
        return self._entries

    def messages(self) -> tuple[Message, ...]:
        """What goes to a model. Each repair it needed is logged once: it tells of a crash, a fork or a bug upstream."""
        if self._order.holds(self._joined):
            return tuple(self._joined)
        repaired = repair(self._joined)
        for fix in repaired.fixes:
            if fix not in self._logged:
                self._logged.add(fix)
                log.warning("[normalize] %s", fix)
        return repaired.messages

    def open_calls(self) -> tuple[AnyCall, ...]:
        """The calls at the very end that have no result: what a crash or a fork in the middle of a step leaves."""
        last = next((i for i in range(len(self._joined) - 1, -1, -1) if self._joined[i].role == "assistant"), -1)
        after = self._joined[last + 1].content if 0 <= last < len(self._joined) - 1 else ()
        answered = {block.tool_use_id for block in after if isinstance(block, ToolResult)}
        if last < 0 or any(not isinstance(block, ToolResult) for block in after):
            return ()
        return tuple(call for call in calls_of(self._joined[last]) if call.id not in answered)

    def _compact(self, event: Compacted) -> None:
        text = _summary_text(event)
        # Numbered before what is kept: the next compaction may keep just that, and must not keep this summary too.
        place = event.keep_from - 1
        if event.last_words:
            text = f"{text}\n\n{LAST_WORDS_HEAD}\n{event.last_words}"
            self.last_words = (place, event.last_words)
        kept = [entry for entry in self._entries if entry[0] >= event.keep_from]
        self.flushed = False
        self.compacted = event
        self.measured = None
        self._replace([(place, Message(role="user", content=(TextBlock(text=text),))), *kept])

    def _drop_results(self, event: ResultsDropped) -> None:
        self._replace(
            [
                (seq, dropped(message, self.result_tools) if seq < event.before else message)
                for seq, message in self._entries
            ]
        )

    def _replace(self, entries: Iterable[tuple[int, Message]]) -> None:
        self._entries, self._joined, self._order = [], [], Order()
        for seq, message in entries:
            self._join(seq, message)
        self.estimated = message_tokens(message for _, message in self._entries)

    def _clear(self, event: Cleared) -> None:
        if event.usage:
            self.total = Usage()
        if event.conversation:
            self._entries, self._joined, self._order = [], [], Order()
            self.measured = None
            self.estimated = self.estimated_then = 0
            self.last_words = (0, "")
            self.flushed = False
            self.compacted = None

    def _add(self, event: Event, message: Message) -> None:
        self._join(event.seq or 0, message)
        self.estimated += message_tokens((message,))

    def _join(self, seq: int, message: Message) -> None:
        """Results, reminders and what the person says in between make one user message, as all APIs want it."""
        self._entries.append((seq, message))
        if message.role == "user" and self._joined and self._joined[-1].role == "user":
            self._joined[-1] = Message(role="user", content=self._joined[-1].content + message.content)
        else:
            self._joined.append(message)


def dropped(message: Message, names: Mapping[str, str]) -> Message:
    """The message with a word in place of each result, but for files that were read: `names` are the calls' tools."""
    content = tuple(
        ToolResult(tool_use_id=block.tool_use_id, text=_placeholder(block, names), is_error=block.is_error)
        if isinstance(block, ToolResult) and names.get(block.tool_use_id) not in _KEPT_RESULTS
        else block
        for block in message.content
    )
    return msgspec.structs.replace(message, content=content)


def _placeholder(result: ToolResult, names: Mapping[str, str]) -> str:
    where = _ON_DISK.search(result.text)
    rest = f" {where.group()}" if where else ""
    return f"[Previous: used {names.get(result.tool_use_id, 'a tool')}]{rest}"


def _summary_text(event: Compacted) -> str:
    text = f"{SUMMARY_HEAD}\n\n{event.summary}"
    if event.files_read:
        text += f"\n\nFiles read: {', '.join(event.files_read)}"
    if event.files_changed:
        text += f"\n\nFiles changed: {', '.join(event.files_changed)}"
    if event.transcript:
        text += f"\n\n{WHERE_THE_REST_IS.format(path=event.transcript)}"
    return text


def _user_content(event: UserMessage) -> tuple[Block, ...]:
    context = [TextBlock(text=part) for part in event.context if part]
    text = [TextBlock(text=event.text)] if event.text else []
    return (*context, *event.images, *text)
