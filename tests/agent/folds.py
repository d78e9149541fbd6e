"""What a history must be, said the slow and plain way: every line decoded, and what was taken back left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from helloclaw.agent.history import History
from helloclaw.agent.living import living_events
from helloclaw.llm.events import Usage
from helloclaw.protocol.events import Cleared, Event, SessionUpdated, UsageEvent, UserMessage


def state_of(history: History) -> dict[str, Any]:
    measured = history.measured
    return {
        "entries": history.entries,
        "messages": history.messages(),
        "open calls": history.open_calls(),
        "total": history.total,
        "measured": measured,
        "estimated": history.estimated,
        "estimated since": None if measured is None else history.estimated - history.estimated_then,
        "last words": history.last_words,
        "title": history.title,
        "first words": history.first_words,
        "mode": history.mode,
        "flushed": history.flushed,
        "files": history.compacted and (history.compacted.files_read, history.compacted.files_changed),
        "client ids": history.client_ids,
    }


def plain_fold(lines: Sequence[bytes]) -> dict[str, Any]:
    past: list[Event] = [msgspec.json.decode(line, type=Event) for line in lines]
    history = History(living_events(past))
    history.total, history.title, history.mode, history.client_ids = Usage(), "", None, set()
    for event in past:
        match event:
            case UsageEvent(total=total):
                history.total = total
            case Cleared(usage=True):
                history.total = Usage()
            case SessionUpdated():
                history.title = history.title if event.title is None else event.title
                history.mode = event.mode or history.mode
            case UserMessage(client_id=str(client_id)):
                history.client_ids.add(client_id)
            case _:
                pass
    return state_of(history)
