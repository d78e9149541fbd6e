"""What slash commands ask of a front end where only lines can be printed: nothing is folded or in colour there."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import assert_never

from helloclaw.protocol.commands import Rewind
from helloclaw.repl.host import SessionHost
from helloclaw.repl.options import Wish
from helloclaw.slash import base
from helloclaw.wording.plain import one_line

_SHOWN = 20


async def carry_out(effect: base.Effect, host: SessionHost, line: Callable[[str], None]) -> Wish | str | None:
    """The session to talk to next, None to leave, or "stay"."""
    say = host.say
    match effect:
        case base.Leave() | base.NewSession() | base.Resume() | base.Fork():
            return _next_session(effect, host, line)
        case base.PickRewind():
            for point in host.session.rewind_points()[-_SHOWN:]:
                line(f"{point.seq:>6}  {time.strftime('%H:%M', time.localtime(point.ts))}  {one_line(point.text, 100)}")
            line(say("rewind.how"))
        case base.RewindTo(seq=seq, files=files):
            host.session.send(Rewind(to=seq, files=files))
        case base.SwitchLanguage(lang=lang):
            say.switch(lang)
        case base.RunDoctor():
            await _run_doctor(host, line)
        case base.PickModel():
            line(say("model.how"))
        case base.ShowPart() | base.SwitchTheme() | base.SendText():
            pass
        case _:
            assert_never(effect)
    return "stay"


def _next_session(
    effect: base.Leave | base.NewSession | base.Resume | base.Fork, host: SessionHost, line: Callable[[str], None]
) -> Wish | str | None:
    match effect:
        case base.Leave():
            return None
        case base.NewSession():
            return Wish()
        case base.Resume(session_id=str(session_id)):
            return Wish(session_id)
        case base.Resume():
            _list_sessions(host, line)
            return "stay"
        case base.Fork():
            return Wish(host.session.id, fork=True)


def _list_sessions(host: SessionHost, line: Callable[[str], None]) -> None:
    from helloclaw.agent.catalog import list_sessions

    for info in list_sessions(host.home)[:_SHOWN]:
        line(f"{info.id}  {time.strftime('%m-%d %H:%M', time.localtime(info.updated_at))}  {one_line(info.title, 80)}")
    line(host.say("session.how"))


async def _run_doctor(host: SessionHost, line: Callable[[str], None]) -> None:
    from helloclaw.doctor.checks import run_checks
    from helloclaw.doctor.words import check_rows

    async for check in run_checks(host.source, host.home, host.environ, host.session.workdir):
        for row in check_rows(check, host.say, 100):
            line(row)
