"""All checks, side by side, told in one order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from helloclaw.doctor import kept, machine, model, said
from helloclaw.doctor.check import Check, Ground, Name
from helloclaw.i18n import Phrase

if TYPE_CHECKING:
    from helloclaw.settings.source import SettingsSource
    from helloclaw.storage.paths import Home

Look = Callable[[Ground], Sequence[Check]]

_LOOKS: tuple[tuple[Name, Look], ...] = (
    ("version", machine.versions),
    ("settings", said.settings),
    ("home", kept.home),
    ("embedded", model.embedded),
    ("sandbox", machine.sandbox),
    ("locks", kept.locks),
    ("sessions", kept.sessions),
    ("terminal", machine.terminal),
    ("encoding", machine.encoding),
    ("search", machine.search),
    ("git", machine.git),
    ("shell", machine.shell),
    ("trust", said.trust),
)
_MODEL_AFTER = "home"


async def run_checks(
    source: SettingsSource, home: Home, environ: Mapping[str, str], workdir: Path
) -> AsyncGenerator[Check]:
    """Each check as soon as it and those before it are done. Raises nothing: what breaks is a check that failed."""
    ground = Ground(source, home, environ, workdir)
    running: list[asyncio.Task[Sequence[Check]]] = []
    for name, look in _LOOKS:
        running.append(asyncio.create_task(_guarded(name, asyncio.to_thread(look, ground))))
        if name == _MODEL_AFTER:
            running.append(asyncio.create_task(_guarded("model", model.reached(ground))))
    try:
        for task in running:
            for check in await task:
                yield check
    finally:
        for task in running:
            task.cancel()


async def _guarded(name: Name, looking: Awaitable[Sequence[Check]]) -> Sequence[Check]:
    try:
        return await looking
    except Exception as error:  # a doctor must not be what is broken
        return (Check(name=name, state="fail", what=Phrase("doctor.broke", error=f"{type(error).__name__}: {error}")),)
