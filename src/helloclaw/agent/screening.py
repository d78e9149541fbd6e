"""What a person says passes the hooks before it is kept: each may refuse it, or add something for the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import structs

from helloclaw.agent.hooks import SessionHooks
from helloclaw.protocol.commands import Say


class Screened(NamedTuple):
    """What was let pass, with what hooks add to it; and why the rest was refused."""

    passed: list[Say]
    refused: list[str]


async def screen(hooks: SessionHooks, says: Sequence[Say]) -> Screened:
    screened = Screened([], [])
    for say in says:
        verdict = await hooks.before_prompt(say.text)
        if verdict.blocked is not None:
            screened.refused.append(verdict.blocked)
            continue
        note = (f"<system-reminder>\n{verdict.context}\n</system-reminder>",) if verdict.context else ()
        screened.passed.append(structs.replace(say, context=(*say.context, *note)))
    return screened
