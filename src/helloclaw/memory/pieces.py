"""What is found as one: a note, a paragraph of a page, what somebody said in a conversation. Pure."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import date
from typing import Any

from msgspec import Struct

from helloclaw.memory.lines import notes_in
from helloclaw.memory.pages import LONGTERM

OTHER_PAGES = ("USER.md",)
_TEXT_CHARS = 4_000


class Piece(Struct, frozen=True, kw_only=True):
    """What is found as one: a note or a paragraph with its lines, or what somebody said, with its `seq` as line.

    `ts` is in seconds since 1970, 0 for what is no conversation; `day` None for what has no date.
    """

    path: str
    first: int
    last: int
    text: str
    day: date | None
    who: str = ""
    ts: float = 0.0
    superseded: bool = False


def pieces_of_page(path: str, text: str) -> Iterator[Piece]:
    """The notes of a page, and between them its paragraphs."""
    name = os.path.basename(path)
    day = None if name in (LONGTERM, *OTHER_PAGES) else date.fromisoformat(name[:10])
    notes = {placed.line: placed.note for placed in notes_in(text, name)}
    rows = [row.strip() for row in text.encode("utf-8", "replace").decode().splitlines()]
    start = 0
    for number, row in enumerate([*rows, ""], 1):
        is_prose = bool(row) and number not in notes and not row.startswith(("#", "```"))
        if start and not is_prose:
            joined = "\n".join(rows[start - 1 : number - 1])
            yield Piece(path=path, first=start, last=number - 1, text=joined[:_TEXT_CHARS], day=day)
            start = 0
        elif is_prose and not start:
            start = number
        if note := notes.get(number):
            said = note.text.encode("utf-8", "replace").decode()
            superseded = bool(note.superseded)
            yield Piece(path=path, first=number, last=number, text=said, day=day, superseded=superseded)


def pieces_of_journal(path: str, data: bytes) -> Iterator[Piece]:
    """What was said, of the whole lines of a journal in `data`."""
    for line in data.splitlines():
        # Most lines are of no interest, and long ones take time to decode.
        is_said = b'"user_message"' in line[:200] or b'"assistant_end"' in line[:200]
        if is_said and (piece := _piece_of(path, line)) is not None:
            yield piece


def _piece_of(path: str, line: bytes) -> Piece | None:
    try:
        event: Any = json.loads(line)
        text, ts, kind = str(event.get("text", "")), float(event.get("ts", 0.0)), event.get("type")
        seq = int(event.get("seq", 0))
    except (ValueError, TypeError, AttributeError):
        return None
    if not text.strip() or event.get("source", "user") != "user":
        return None
    who = {"user_message": "user", "assistant_end": "assistant"}.get(kind)
    if who is None:
        return None
    day = date.fromtimestamp(ts) if 0 < ts < 4e9 else None
    return Piece(path=path, first=seq, last=seq, text=text[:_TEXT_CHARS], day=day or date(1970, 1, 1), who=who, ts=ts)
