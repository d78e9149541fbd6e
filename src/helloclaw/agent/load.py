"""A session's history from its journal, decoding only what a model will see: a long session resumes in a blink."""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from helloclaw.agent.attachments import Attachments
from helloclaw.agent.history import History
from helloclaw.agent.living import REWOUND, living_lines
from helloclaw.llm.events import Usage
from helloclaw.protocol.events import Cleared, Event, SessionUpdated, UsageEvent


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
_FOLDED = frozenset(
    (_SAID, b"assistant_end", b"tool_end", b"tool_denied", _COMPACTED, _CLEARED, b"results_dropped", b"memory_saved")
)

# After these, not every message is folded any more.
_FORGETTING = frozenset((REWOUND, _COMPACTED, _CLEARED))


def load_history(lines: list[bytes], attachments: Attachments | None = None) -> History:
    """Fold a journal's lines.

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
