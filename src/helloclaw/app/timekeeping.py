"""Schedules of a session: where they are kept, what may change them, and what runs one alone."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from msgspec import structs

from helloclaw.agent.config import CannotRun
from helloclaw.agent.engine import LocalEngine
from helloclaw.agent.heartbeat import Heartbeat
from helloclaw.agent.timekeeper import RanBadly, Timekeeper
from helloclaw.app.options import SessionOptions
from helloclaw.i18n import SpokenError
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Say
from helloclaw.schedule.schedules import Schedules
from helloclaw.schedule.store import FOLDER, NAME
from helloclaw.settings.trust import is_trusted, renew
from helloclaw.storage.locks import Busy
from helloclaw.workspace.files import Workspace
from helloclaw.workspace.parts import without_comments

log = logging.getLogger(__name__)


def schedules_of(options: SessionOptions) -> Schedules:
    """Those of the working directory. What this program changes there stays trusted."""

    def changed(before: bytes | None, after: bytes) -> None:
        try:
            renew(options.home, options.workdir, f"{FOLDER}/{NAME}", before=_digest(before), after=_digest(after))
        except (SpokenError, Busy, OSError) as error:
            log.warning("the changed schedules wait for trust: %s", error)

    return Schedules(options.workdir, trusted=lambda: is_trusted(options.home, options.workdir), changed=changed)


@asynccontextmanager
async def timekeeping(
    options: SessionOptions, schedules: Schedules | None, engine: LocalEngine, say: Callable[[Say], None]
) -> AsyncGenerator[None]:
    """Bring what is due to a session while it is open."""
    if schedules is None or not options.keeps_time:
        yield
        return
    own = structs.replace(options, parent=engine.session_id)
    keeper = Timekeeper(schedules, engine, say, lambda prompt: run_alone(own, prompt))
    unsubscribe = engine.subscribe(keeper.hear)
    serving = [asyncio.create_task(keeper.serve(), name="schedules")]
    if (heartbeat := _heartbeat(own, engine)) is not None:
        serving.append(asyncio.create_task(heartbeat.serve(), name="heartbeat"))
    try:
        yield
    finally:
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        unsubscribe()


def _heartbeat(options: SessionOptions, engine: LocalEngine) -> Heartbeat | None:
    """None where it is switched off."""
    settings = options.source.current()
    wanted = settings.heartbeat
    if wanted.every_min == 0:
        return None
    workspace = options.workspace_of(settings)
    return Heartbeat(
        engine,
        workspace / FOLDER,
        lambda: without_comments(Workspace(workspace).look().texts.get("HEARTBEAT.md", "")),
        lambda prompt: run_alone(structs.replace(options, workdir=workspace), prompt),
        every_min=wanted.every_min,
        hours=(wanted.start_hour, wanted.end_hour),
    )


async def run_alone(options: SessionOptions, prompt: str) -> str:
    """Run a prompt in a new session where nobody can be asked; what it says at the end. Raises `RanBadly`."""
    from helloclaw.app.opening import open_session

    alone = structs.replace(
        options, interactive=False, introduces=False, by_schedule=True, keeps_time=False, keep_workdir=False
    )
    said: list[str] = []
    errors: list[str] = []

    def hear(event: out.Event) -> None:
        if isinstance(event, out.AssistantEnd) and event.text:
            said.append(event.text)
        elif isinstance(event, out.ErrorEvent):
            errors.append(event.message)

    try:
        async with open_session(alone) as session:
            session.subscribe(hear)
            end = await session.turn(Say(text=prompt, source="schedule"))
    except (SpokenError, CannotRun, Busy, OSError) as error:
        raise RanBadly(str(error)) from error
    if end.reason != "done":
        raise RanBadly(errors[-1] if errors else end.reason)
    return said[-1] if said else ""


def _digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()
