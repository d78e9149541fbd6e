"""Which lines of a journal still count: all but those that a rewind has taken back. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from helloclaw.protocol.events import Event, Rewound

REWOUND = b"rewound"


class _Numbered(msgspec.Struct):
    seq: int = 0
    to: int = 0


def living_lines(lines: list[bytes], rewinds: Sequence[int]) -> list[bool]:
    """Whether each line counts. `rewinds` are the indices of the `rewound` lines, in order."""
    counts = [True] * len(lines)
    for index in rewinds:
        to = msgspec.json.decode(lines[index], type=_Numbered).to
        at = index
        while at > 0 and msgspec.json.decode(lines[at - 1], type=_Numbered).seq >= to:
            at -= 1
            counts[at] = False
    return counts


def living_events(past: Sequence[Event]) -> list[Event]:
    """The events that count, without the rewinds themselves."""
    kept: list[Event] = []
    for event in past:
        if isinstance(event, Rewound):
            while kept and (kept[-1].seq or 0) >= event.to:
                kept.pop()
        else:
            kept.append(event)
    return kept
