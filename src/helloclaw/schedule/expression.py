"""Five-field cron expressions, as Debian's cron understands them (`cronsim`), in a time zone. Pure.

A time that a change to summer time leaves out fires when the gap ends; one that a change back repeats fires once,
unless minute or hour begin with a star: these go by what passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Literal

from cronsim import CronSim, CronSimError

from helloclaw.i18n import Phrase, SpokenError

FieldName = Literal["minute", "hour", "day", "month", "weekday"]

FIELDS: tuple[FieldName, ...] = ("minute", "hour", "day", "month", "weekday")
LIMIT_CHARS = 200
_ALLOWED = re.compile(r"[0-9A-Za-z*/,#-]+", re.ASCII)
_SOME_DAY = datetime(2024, 1, 1)  # any day in any zone: only the fields are looked at


class BadExpression(SpokenError):
    """`field` is the one that is wrong, None where it is not one field's fault."""

    def __init__(self, key: str, *, wrong: FieldName | None = None, **fields: object) -> None:
        self.field = wrong
        super().__init__(key, **fields)


class Expression:
    """An expression that has been checked. `text` is as given, with single blanks between the fields.

    Raises `BadExpression`.
    """

    def __init__(self, text: str) -> None:
        if len(text) > LIMIT_CHARS:
            raise BadExpression("cron.too_long", limit=LIMIT_CHARS)
        words = text.split()
        if len(words) != len(FIELDS):
            raise BadExpression("cron.not_five", value=_shown(text), count=len(words))
        for field, word in zip(FIELDS, words, strict=True):
            _check(field, word)
        self.text = " ".join(words)
        try:
            found = next(CronSim(self.text, _SOME_DAY), None)
        except CronSimError:
            found = None
        if found is None:
            raise BadExpression("cron.never", value=_shown(self.text))

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    def after(self, instant: datetime, zone: tzinfo) -> Iterator[datetime]:
        """The occurrences after `instant`, which knows its zone, in order, each once, in `zone`. It need not end."""
        last = instant
        for found in CronSim(self.text, instant.astimezone(zone)):
            # Where clocks are set back a local time begins a search before the instant it is; where they are set
            # forward several occurrences meet at the end of the gap.
            if found.astimezone(UTC) > last.astimezone(UTC):
                last = found
                yield found

    @property
    def is_on_the_hour(self) -> bool:
        """Whether its minute is one that everybody chooses: exactly 0 or 30."""
        return self.text.split()[0] in ("0", "00", "30")


@lru_cache(maxsize=512)
def parsed(text: str) -> Expression:
    """`Expression(text)`, kept. Raises `BadExpression`."""
    return Expression(text)


def _shown(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text[:40])


def _check(field: FieldName, word: str) -> None:
    words = ["*"] * len(FIELDS)
    words[FIELDS.index(field)] = word
    try:
        if not _ALLOWED.fullmatch(word):
            raise CronSimError
        CronSim(" ".join(words), _SOME_DAY)
    except (CronSimError, AssertionError) as error:  # An assertion of cronsim's, for steps of what is one day.
        raise BadExpression(
            "cron.bad_field", wrong=field, field=Phrase(f"cron.field.{field}"), value=_shown(word)
        ) from error
