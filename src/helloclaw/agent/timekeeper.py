"""Bring what is due to a session: as a message that wakes it, or to an agent of its own, and tell of both."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime

from helloclaw.agent.engine import Engine
from helloclaw.agent.turn import warning
from helloclaw.i18n import Phrase, SpokenError
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Say
from helloclaw.schedule.job import Firing
from helloclaw.schedule.schedules import Schedules
from helloclaw.storage.journal import JournalError
from helloclaw.storage.locks import Busy

log = logging.getLogger(__name__)

LOOKED_EVERY_S = 5.0
"""A clock may be set, a laptop wake, another process add a schedule or die: so it is looked at, not waited for."""
MOST_AT_ONCE = 3
_MARK = "cron:"

RunAlone = Callable[[str], Awaitable[str]]
"""Run a prompt in a session of its own where nobody can be asked; the answer. Raises `RanBadly`."""


class RanBadly(Exception):
    """The turn failed; the text says why."""


class Timekeeper:
    """One per session. `say` puts a message into its inbox."""

    def __init__(
        self,
        schedules: Schedules,
        engine: Engine,
        say: Callable[[Say], None],
        run_alone: RunAlone | None = None,
        *,
        every_s: float = LOOKED_EVERY_S,
    ) -> None:
        self._schedules = schedules
        self._engine = engine
        self._say = say
        self._run_alone = run_alone
        self._every_s = every_s
        self._brought: dict[str, Firing] = {}
        self._heard: list[Firing] = []
        self._running: set[asyncio.Task[None]] = set()
        self._at_once = asyncio.Semaphore(MOST_AT_ONCE)
        self._failures: dict[str, int] = {}

    async def serve(self) -> None:
        """Look at the clock until cancelled."""
        try:
            while True:
                await self._tick()
                await asyncio.sleep(self._every_s)
        finally:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
            self._schedules.close()

    def hear(self, event: out.Event) -> None:
        """Follow the session's events: what was brought is delivered once a model is called with it."""
        match event:
            case out.UserMessage(client_id=str(mark)) if mark in self._brought:
                self._heard.append(self._brought.pop(mark))
            case out.LlmStart() if self._heard:
                heard, self._heard = self._heard, []
                for each in heard:
                    self._start(self._deliver(each))
            case _:
                pass

    async def _tick(self) -> None:
        try:
            ticked = await asyncio.to_thread(self._schedules.tick)
        except (SpokenError, Busy, OSError) as error:
            log.warning("schedules could not be looked at: %s", error)
            return
        for phrase in ticked.notices:
            self._tell(phrase)
        for each in ticked.firings:
            self._bring(each)

    def _bring(self, each: Firing) -> None:
        self._emit(out.CronFire(id=each.job.id, prompt=each.job.prompt))
        if each.job.auto_run and self._run_alone is not None:
            self._start(self._run(each, self._run_alone))
            return
        mark = f"{_MARK}{each.job.id}:{each.at:.0f}"
        self._brought[mark] = each
        self._say(Say(text=scheduled(each), source="schedule", client_id=mark))

    async def _run(self, each: Firing, run_alone: RunAlone) -> None:
        job = each.job
        async with self._at_once:
            self._emit(out.CronAutoRunStart(id=job.id, prompt=job.prompt))
            await self._deliver(each)
            try:
                text = await run_alone(scheduled(each))
            except RanBadly as error:
                self._emit(out.CronAutoRunError(id=job.id, message=str(error)))
                self._count_failure(each)
            else:
                self._failures.pop(job.id, None)
                self._emit(out.CronAutoRunDone(id=job.id, text=text))

    def _count_failure(self, each: Firing) -> None:
        """Two in a row are told, ten end the schedule."""
        count = self._failures[each.job.id] = self._failures.get(each.job.id, 0) + 1
        if count == 2:
            self._tell(Phrase("cron.fails", id=each.job.id, count=count))
        elif count >= 10:
            self._tell(Phrase("cron.gives_up", id=each.job.id, count=count))
            self._start(self._remove(each.job.id))

    async def _remove(self, job: str) -> None:
        await asyncio.to_thread(self._schedules.remove, job)

    async def _deliver(self, each: Firing) -> None:
        try:
            await asyncio.to_thread(self._schedules.delivered, each)
        except (SpokenError, Busy, OSError) as error:
            log.warning("the delivery of schedule %s could not be noted: %s", each.job.id, error)

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def _tell(self, phrase: Phrase) -> None:
        self._emit(warning(phrase))

    def _emit(self, event: out.Base) -> None:
        try:
            self._engine.emit(event)
        except JournalError:
            self._engine.publish(event)


def scheduled(each: Firing) -> str:
    """The message for the model."""
    moment = datetime.fromtimestamp(each.at).astimezone().strftime("%Y-%m-%d %H:%M")
    job = each.job
    if each.kind == "missed":
        times = "once" if each.missed <= 1 else f"{each.missed} times"
        head = f"[Missed scheduled task {job.id} ({job.cron}): {times}, last at {moment}. Does it still matter?]"
    else:
        missed = f", after {each.missed} that were missed" if each.missed else ""
        head = f"[Scheduled task {job.id} ({job.cron}), due {moment}{missed}]"
    return f"<scheduled-tasks>\n{head}\n{job.prompt}\n</scheduled-tasks>"
