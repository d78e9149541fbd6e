"""The end of a past conversation, to be shown again when it is resumed. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from helloclaw.agent.living import living_events
from helloclaw.protocol.events import Cleared, Event, UserMessage


def recent(past: Sequence[Event], limit: int) -> list[Event]:
    """Of what still counts the last `limit` events, from a message of the person's on; nothing before a clearing."""
    alive = living_events(past)
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
