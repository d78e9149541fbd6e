"""Which lines of a journal still count: all but those that a rewind has taken back. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from helloclaw.protocol.events import Event, Rewound

REWOUND = b"rewound"


class _Numbered(msgspec.Struct):
    seq: int = 0
    to: int = 0


def living_lines(lines: Sequence[bytes], rewinds: Sequence[int]) -> list[bool]:
    """Whether each line counts. `rewinds` are the indices of the `rewound` lines, in order."""
    decoder = msgspec.json.Decoder(_Numbered)
    counts = [True] * len(lines)
    start_of: dict[int, int] = {}  # of what was taken back, by its end: no line is looked at for each later rewind
    for index in rewinds:
        rewound = _numbered(decoder, lines[index])
        if rewound is None:
            continue
        at = index
        while at > 0 and _is_after(decoder, lines[at - 1], rewound.to):
            counts[at - 1] = False
            at = start_of.get(at - 1, at - 1)
        start_of[index] = at
    return counts


def _is_after(decoder: msgspec.json.Decoder[_Numbered], line: bytes, to: int) -> bool:
    """Whether a line is of event `to` or a later one. A damaged line goes with its neighbours."""
    found = _numbered(decoder, line)
    return found is None or found.seq >= to


def _numbered(decoder: msgspec.json.Decoder[_Numbered], line: bytes) -> _Numbered | None:
    try:
        return decoder.decode(line)
    except msgspec.MsgspecError:
        return None


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
