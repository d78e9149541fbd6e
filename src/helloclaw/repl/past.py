"""The end of a past conversation, to be shown again when it is resumed. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from helloclaw.protocol.events import Cleared, Event, Rewound, UserMessage


def living(past: Sequence[Event]) -> list[Event]:
    """The events that no rewind has taken back."""
    kept: list[Event] = []
    for event in past:
        if isinstance(event, Rewound):
            kept = [each for each in kept if (each.seq or 0) < event.to]
        kept.append(event)
    return kept


def recent(past: Sequence[Event], limit: int) -> list[Event]:
    """Of what still counts the last `limit` events, from a message of the person's on; nothing before a clearing."""
    alive = [event for event in living(past) if not isinstance(event, Rewound)]
    cleared = max(
        (index for index, event in enumerate(alive) if isinstance(event, Cleared) and event.conversation), default=-1
    )
    alive = alive[cleared + 1 :]
    if len(alive) <= limit:
        return alive
    start = next(
        (index for index in range(len(alive) - limit, len(alive)) if isinstance(alive[index], UserMessage)),
        len(alive) - limit,
    )
    return alive[start:]
