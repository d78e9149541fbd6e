"""The heartbeat: every half hour, while a person may be awake, look at what HEARTBEAT.md says; speak up only if needed.

Of all processes one looks in each interval. As long as the file has only headings and comments, no model is called.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from helloclaw.agent.engine import Engine
from helloclaw.agent.timekeeper import RanBadly, RunAlone
from helloclaw.i18n import Phrase, SpokenError, texts
from helloclaw.protocol import events as out
from helloclaw.schedule.claims import Claims, Line
from helloclaw.storage.journal import JournalError
from helloclaw.storage.locks import Busy

log = logging.getLogger(__name__)

NOTHING_TO_SAY = "HEARTBEAT_OK"
_NAME = "heartbeat"
_ASK = """\
<heartbeat>
{}
</heartbeat>
Look at each of these once, now. If nothing needs the person's attention, answer exactly HEARTBEAT_OK. Otherwise say \
in a line or two what does."""


class Heartbeat:
    """One per process. `said` gives the text of HEARTBEAT.md; hours are local, `until` is not included."""

    def __init__(
        self,
        engine: Engine,
        folder: Path,
        said: Callable[[], str],
        run_alone: RunAlone,
        *,
        every_min: int,
        hours: tuple[int, int],
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
        looked_every_s: float = 30.0,
    ) -> None:
        self._engine = engine
        self._claims = Claims(folder)
        self._said = said
        self._run_alone = run_alone
        self._every_s = every_min * 60
        self._hours = hours
        self._now = now
        self._looked_every_s = looked_every_s
        self._seen = self._interval(now())

    async def serve(self) -> None:
        """Beat until cancelled; the first time in the next interval, not at once."""
        while True:
            await asyncio.sleep(self._looked_every_s)
            now = self._now()
            interval = self._interval(now)
            if interval == self._seen:
                continue
            self._seen = interval
            if is_within(now.hour, self._hours):
                await self._beat(interval)

    async def _beat(self, interval: int) -> None:
        try:
            text = await asyncio.to_thread(self._said)
            if not has_content(text) or not await asyncio.to_thread(self._claims.claim, Line(_NAME, float(interval))):
                return
            answer = await self._run_alone(_ASK.format(text.strip()))
        except (RanBadly, SpokenError, Busy, OSError) as error:
            log.warning("the heartbeat failed: %s", error)
            return
        if answer.strip() and NOTHING_TO_SAY not in answer:
            self._tell(Phrase("notice.heartbeat", text=answer.strip()))

    def _tell(self, phrase: Phrase) -> None:
        notice = out.Notice(text=texts("en").say(phrase), code=phrase.key, values=phrase.values)
        try:
            self._engine.emit(notice)
        except JournalError:
            self._engine.publish(notice)

    def _interval(self, now: datetime) -> int:
        return int(now.timestamp() // self._every_s)


def has_content(text: str) -> bool:
    """Whether HEARTBEAT.md, without its comments, has more than headings and empty boxes. Pure."""
    rows = (row.strip() for row in text.splitlines())
    return any(row and not row.startswith("#") and row not in ("-", "*", "- [ ]") for row in rows)


def is_within(hour: int, hours: tuple[int, int]) -> bool:
    """Whether an hour lies in a span of a day, which may go over midnight. Pure."""
    start, end = hours
    return start <= hour < end if start <= end else hour >= start or hour < end
