"""Checks as rows of text for any width, and as JSON. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from helloclaw.doctor.check import Check
from helloclaw.i18n import Texts
from helloclaw.wording.plain import clean, one_line
from helloclaw.wording.width import columns, wrapped

MARKS = {"ok": "✓", "warn": "!", "fail": "✗", "off": "–"}
PLAIN_MARKS = {"ok": "+", "warn": "!", "fail": "x", "off": "-"}
_NAME_COLUMNS = {"en": 9, "zh": 8}
_BESIDE = 60
"""With fewer columns a check's name has a row of its own."""


def check_rows(check: Check, say: Texts, width: int, *, plain: bool = False) -> list[str]:
    """A check in rows of at most `width` columns: mark, name, what was found; below it what to do."""
    mark = (PLAIN_MARKS if plain else MARKS)[check.state]
    name = say(f"doctor.name.{check.name}")
    name += " " * (_NAME_COLUMNS[say.lang] - columns(name))
    beside = width >= _BESIDE
    lead = f"{mark} {name}  " if beside else f"{mark} {name}".rstrip()
    indent = columns(lead) if beside else 2
    room = max(4, width - indent)
    rows = [] if beside else [lead]
    for line in say.say(check.what).split("\n"):
        rows += [f"{' ' * indent}{piece}" for piece in wrapped(_safe(line), room)]
    if beside:
        rows[0] = lead + rows[0].removeprefix(" " * indent)
    if check.fix is not None:
        arrow = "> " if plain else "→ "
        pieces = wrapped(_safe(say.say(check.fix)), room - 2)
        rows += [f"{' ' * indent}{arrow if first else '  '}{piece}" for first, piece in _marked(pieces)]
    return rows


def check_value(check: Check, say: Texts) -> dict[str, str | None]:
    """A check for JSON: `{"name", "state", "what", "fix"}`."""
    return {
        "name": check.name,
        "state": check.state,
        "what": clean(say.say(check.what)),
        "fix": clean(say.say(check.fix)) if check.fix is not None else None,
    }


def _safe(text: str) -> str:
    return clean(one_line(text))


def _marked(pieces: list[str]) -> Iterator[tuple[bool, str]]:
    for number, piece in enumerate(pieces):
        yield number == 0, piece
