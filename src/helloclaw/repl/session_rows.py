"""Past sessions as rows of a menu. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING

from helloclaw.i18n import Texts
from helloclaw.repl.menu import Choice
from helloclaw.wording.plain import one_line

if TYPE_CHECKING:
    from helloclaw.agent.catalog import SessionInfo

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def session_rows(sessions: Iterable[SessionInfo], now: float, say: Texts) -> list[Choice]:
    return [
        Choice(
            value=info.id,
            label=one_line(info.title, 200) or say("session.untitled"),
            about=f"{ago(now - info.updated_at, say)} · {say('session.turns', count=info.turns)} · "
            f"{one_line(PurePath(info.workdir).name)} · {info.id}",
        )
        for info in sessions
    ]


def ago(seconds: float, say: Texts) -> str:
    """How long ago, in one unit."""
    if seconds < _MINUTE:
        return say("ago.now")
    if seconds < _HOUR:
        return say("ago.minutes", count=int(seconds // _MINUTE))
    if seconds < _DAY:
        return say("ago.hours", count=int(seconds // _HOUR))
    return say("ago.days", count=int(seconds // _DAY))
