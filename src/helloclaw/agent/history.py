"""What the model sees of a session, folded from its events. A running session and a resumed one use the same fold."""

from __future__ import annotations

import gc
import logging
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from helloclaw.agent.attachments import Attachments
from helloclaw.agent.living import REWOUND, living_lines
from helloclaw.agent.repair import Order, repair
from helloclaw.agent.tokens import message_tokens
from helloclaw.llm.events import Usage
from helloclaw.llm.messages import AnyCall, Block, Message, TextBlock, ToolResult, calls_of
from helloclaw.protocol.events import (
    AssistantEnd,
    Cleared,
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
LAST_WORDS_HEAD = "The person's last message, word for word:"


class History:
    """Messages with the `seq` of the event each came from. Apply events in order; nothing else changes it.

    `total` counts the session's tokens. `measured` is how many the context held at the last call, None if there was no
    call since the last compaction; `estimated` is our count of all messages, `estimated_then` that at the last call.
    `last_words` is what the person said last, with its `seq`. `title` was given by the person, `first_words` stand in
    for one.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._entries: list[tuple[int, Message]] = []
        self._joined: list[Message] = []
        self._order = Order()
        self.total = Usage()
        self.measured: int | None = None
        self.estimated = 0
        self.estimated_then = 0
        self.last_words: tuple[int, str] = (0, "")
        self.mode: Mode | None = None
        self.title = ""
        self.first_words = ""
        self.client_ids: set[str] = set()
        self._logged: set[str] = set()
        for event in events:
            self.apply(event)

    def apply(self, event: Event) -> None:
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
                result = ToolResult(
                    tool_use_id=event.id, text=event.output, is_error=event.error is not None, images=event.images
                )
                self._add(event, Message(role="user", content=(result,)))
            case ToolDenied():
                result = ToolResult(tool_use_id=event.id, text=event.output, is_error=True)
                self._add(event, Message(role="user", content=(result,)))
            case Compacted():
                self._compact(event)
            case UsageEvent():
                self.total = event.total
                self.measured = event.context_tokens
                self.estimated_then = self.estimated
            case SessionUpdated():
                self.mode = event.mode or self.mode
                self.title = self.title if event.title is None else event.title
            case Cleared():
                self._clear(event)
            case _:
                pass

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
        text = f"{SUMMARY_HEAD}\n\n{event.summary}"
        # Numbered before what is kept: the next compaction may keep just that, and must not keep this summary too.
        place = event.keep_from - 1
        if event.last_words:
            text = f"{text}\n\n{LAST_WORDS_HEAD}\n{event.last_words}"
            self.last_words = (place, event.last_words)
        kept = [entry for entry in self._entries if entry[0] >= event.keep_from]
        self._entries, self._joined, self._order = [], [], Order()
        for seq, message in ((place, Message(role="user", content=(TextBlock(text=text),))), *kept):
            self._join(seq, message)
        self.measured = None
        self.estimated = message_tokens(message for _, message in self._entries)

    def _clear(self, event: Cleared) -> None:
        if event.usage:
            self.total = Usage()
        if event.conversation:
            self._entries, self._joined, self._order = [], [], Order()
            self.measured = None
            self.estimated = self.estimated_then = 0
            self.last_words = (0, "")

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


def _user_content(event: UserMessage) -> tuple[Block, ...]:
    context = [TextBlock(text=part) for part in event.context if part]
    text = [TextBlock(text=event.text)] if event.text else []
    return (*context, *event.images, *text)


class _Kept(msgspec.Struct):
    seq: int = 0
    keep_from: int = 0


class Said(msgspec.Struct):
    """As much of a `user_message` as tells whose words it holds."""

    text: str = ""
    source: str = "user"
    client_id: str | None = None


# Every line begins with its tag, which msgspec encodes first: a type can be told without decoding.
_TAG = b'{"type":"'
_SAID = b"user_message"
_COMPACTED = b"compacted"
_CLEARED = b"cleared"
_UPDATED = b"session_updated"
_USAGE = b"usage"
_FOLDED = frozenset((_SAID, b"assistant_end", b"tool_end", b"tool_denied", _COMPACTED, _CLEARED))

# After these, not every message is folded any more.
_FORGETTING = frozenset((REWOUND, _COMPACTED, _CLEARED))


def load_history(lines: list[bytes], attachments: Attachments | None = None) -> History:
    """Fold a journal's lines, decoding only what a model will see: a long session resumes in a blink.

    Lines that can't be read as an event of this program are skipped (an unknown `type` is another version's).
    Without `attachments` images stay names.
    """
    history = History()
    decoder = msgspec.json.Decoder(Event)
    kinds = [kind_of(line) for line in lines]
    rewinds = [index for index, kind in enumerate(kinds) if kind == REWOUND] if REWOUND in kinds else []
    counts = living_lines(lines, rewinds)
    with collector_paused():
        history.first_words = first_words(lines, kinds, counts)
        if not _FORGETTING.isdisjoint(kinds):
            history.client_ids = _client_ids(lines, kinds)
        for index in _needed(lines, kinds, counts):
            try:
                event = decoder.decode(lines[index])
            except msgspec.MsgspecError:
                continue
            if counts[index]:
                history.apply(attachments.bring_back(event) if attachments else event)
            else:
                _apply_dead(history, event)
    return history


def _apply_dead(history: History, event: Event) -> None:
    """What stays true of an event that a rewind has taken back: it was paid for, and decided."""
    match event:
        case UsageEvent():
            history.total = event.total
        case Cleared(usage=True):
            history.total = Usage()
        case SessionUpdated():
            history.apply(event)
        case _:
            pass


@contextmanager
def collector_paused() -> Generator[None]:
    """Hold the cyclic garbage collector while many objects are made that all stay: it would search them in vain."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _needed(lines: list[bytes], kinds: list[bytes], counts: list[bool]) -> Iterator[int]:
    """The indices of what must be decoded: titles, modes, the last usage, and what is left of the messages."""
    living = kinds if all(counts) else [kind if alive else b"" for kind, alive in zip(kinds, counts, strict=True)]
    start = _first_kept(lines, living)
    last_usage = _last(lines, kinds, _USAGE)
    # The total is that of all calls; what the context holds was measured by a call that still counts.
    usages = {last_usage, _last(lines, living, _USAGE)}
    for index, kind in enumerate(kinds):
        folded = living[index] in _FOLDED and index >= start
        if folded or kind == _UPDATED or index in usages or (kind == _CLEARED and index > last_usage):
            yield index


def _first_kept(lines: list[bytes], kinds: list[bytes]) -> int:
    """Where what the model sees begins: with what the last compaction kept, or after the conversation was cleared."""
    cleared = next((i for i in _from_last(lines, kinds, _CLEARED) if b'"conversation":true' in lines[i]), 0)
    return max(cleared, _kept_from(lines, _last(lines, kinds, _COMPACTED)))


def first_words(lines: Sequence[bytes], kinds: Sequence[bytes], counts: Sequence[bool]) -> str:
    """Of the first message that counts, which a compaction may have taken from what the model sees."""
    for line, kind, alive in zip(lines, kinds, counts, strict=True):
        said = read_said(line) if kind == _SAID and alive else None
        if said is not None and said.source == "user" and said.text:
            return said.text
    return ""


def _client_ids(lines: Sequence[bytes], kinds: Sequence[bytes]) -> set[str]:
    """Of every message ever said, taken back or compacted: none must be taken for new when it comes again."""
    named = (
        read_said(line) for line, kind in zip(lines, kinds, strict=True) if kind == _SAID and b'"client_id":' in line
    )
    return {said.client_id for said in named if said is not None and said.client_id}


def read_said(line: bytes) -> Said | None:
    """What a `user_message` line says; None if it is damaged."""
    try:
        return msgspec.json.decode(line, type=Said)
    except msgspec.MsgspecError:
        return None


def kind_of(line: bytes) -> bytes:
    """The `type` of a journal line, empty if it does not begin with one."""
    return line[len(_TAG) : line.find(b'"', len(_TAG))] if line.startswith(_TAG) else b""


def _last(lines: Sequence[bytes], kinds: Sequence[bytes], wanted: bytes) -> int:
    return next(_from_last(lines, kinds, wanted), -1)


def _from_last(lines: Sequence[bytes], kinds: Sequence[bytes], wanted: bytes) -> Iterator[int]:
    """The indices of the readable lines of a kind, last first."""
    return (i for i in range(len(kinds) - 1, -1, -1) if kinds[i] == wanted and _numbers(lines[i]).seq)


def _kept_from(lines: list[bytes], compacted: int) -> int:
    """The index of the first line that the compaction at this index kept, 0 if there was none."""
    keep_from = _numbers(lines[compacted]).keep_from if compacted >= 0 else 0
    index = max(compacted, 0)
    while index > 0 and ((seq := _numbers(lines[index - 1]).seq) >= keep_from or seq == 0):
        index -= 1
    return index


def _numbers(line: bytes) -> _Kept:
    """All 0 for a damaged line."""
    try:
        return msgspec.json.decode(line, type=_Kept)
    except msgspec.MsgspecError:
        return _Kept()
