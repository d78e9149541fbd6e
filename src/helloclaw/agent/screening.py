"""What a person says passes the hooks before it is kept: each may refuse it, or add something for the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import structs

from helloclaw.agent.engine import Engine
from helloclaw.agent.hooks import SessionHooks
from helloclaw.protocol.commands import Say
from helloclaw.protocol.events import MessageRecalled


class Barred(NamedTuple):
    say: Say
    reason: str


class Screened(NamedTuple):
    """What was let pass, with what hooks add to it; and what was refused, with why."""

    passed: list[Say]
    refused: list[Barred]


async def screen(hooks: SessionHooks, says: Sequence[Say]) -> Screened:
    screened = Screened([], [])
    for say in says:
        verdict = await hooks.before_prompt(say.text)
        if verdict.blocked is not None:
            screened.refused.append(Barred(say, verdict.blocked))
            continue
        note = (f"<system-reminder>\n{verdict.context}\n</system-reminder>",) if verdict.context else ()
        screened.passed.append(structs.replace(say, context=(*say.context, *note)))
    return screened


def take_back(engine: Engine, says: Iterable[Say]) -> None:
    """Tell front ends, which may have been told that these messages wait, that they will never be heard."""
    for say in says:
        if say.client_id is not None:
            engine.emit(MessageRecalled(text=say.text, client_id=say.client_id))
