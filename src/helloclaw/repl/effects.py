"""What slash commands ask of the terminal: another session, a menu to go back in, another language, a part in full."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, assert_never

from helloclaw.protocol.commands import Rewind
from helloclaw.repl.compose.shapes import Composed
from helloclaw.repl.host import SessionHost
from helloclaw.repl.menu import Choice
from helloclaw.repl.options import Wish
from helloclaw.slash import base
from helloclaw.wording.plain import one_line

if TYPE_CHECKING:
    from helloclaw.agent.session import Session
    from helloclaw.protocol.events import Rewound
    from helloclaw.repl.desk import Desk

_SESSIONS = 200


class Effects:
    """`wish` asks for another session, `say` sends a message to this one."""

    def __init__(
        self, desk: Desk, session: Session, wish: Callable[[Wish | None], None], say: Callable[[Composed], None]
    ) -> None:
        self._desk = desk
        self._session = session
        self._wish = wish
        self._say = say
        self._taken_back = ""

    async def carry_out(self, effect: base.Effect) -> None:
        match effect:
            case base.Leave() | base.NewSession() | base.Resume() | base.Fork():
                await self._change_session(effect)
            case base.PickRewind():
                await self._pick_rewind()
            case base.RewindTo(seq=seq, files=files):
                await self._rewind(seq, files=files)
            case base.SwitchLanguage(lang=lang):
                self._desk.say.switch(lang)
            case base.SwitchTheme(theme=theme):
                self._desk.switch_theme(theme)
            case base.SendText(text=text):
                self._say(Composed(text=text, typed=""))
            case base.ShowPart(number=number):
                self.show_part(number)
            case base.RunDoctor():
                await self._run_doctor()
            case base.PickModel():
                await self._pick_model()
            case _:
                assert_never(effect)

    async def _change_session(self, effect: base.Leave | base.NewSession | base.Resume | base.Fork) -> None:
        match effect:
            case base.Leave():
                self._wish(None)
            case base.NewSession():
                self._wish(Wish())
            case base.Resume(session_id=str(session_id)):
                self._wish(Wish(session_id))
            case base.Resume():
                await self._pick_session()
            case base.Fork():
                self._wish(Wish(self._session.id, fork=True))

    def start_rewind(self) -> None:
        self._desk.start(self._pick_rewind())

    def show_part(self, number: int | None) -> None:
        """What was shown folded, whole; the last one without a number."""
        desk = self._desk
        folded = desk.feed.folded
        index = len(folded) if number is None else number
        if not 1 <= index <= len(folded):
            desk.note(desk.say("repl.no_such_part" if folded else "repl.no_parts"), "warning")
            return
        desk.tell("reply", desk.painter.plain(folded[index - 1], "output"))

    def rewound(self, event: Rewound) -> None:
        """Say what a rewind has done, and offer the words that were taken back for another try."""
        desk = self._desk
        lines = [desk.say("rewind.done")]
        if event.restored:
            lines.append(desk.say("rewind.restored", paths=", ".join(map(one_line, event.restored))))
        if event.left:
            lines.append(desk.say("rewind.left", paths=", ".join(map(one_line, event.left))))
        for line in lines:
            desk.note(line)
        if self._taken_back and not desk.composer.text:
            desk.composer.set_text(self._taken_back)
        self._taken_back = ""

    async def _rewind(self, seq: int, *, files: bool) -> None:
        points = {point.seq: point for point in await asyncio.to_thread(self._session.rewind_points)}
        self._taken_back = points[seq].text if seq in points else ""
        self._session.send(Rewind(to=seq, files=files))

    async def _pick_rewind(self) -> None:
        desk = self._desk
        points = await asyncio.to_thread(self._session.rewind_points)
        if not points:
            desk.note(desk.say("rewind.nothing"), "warning")
            return
        rows = [
            Choice(
                value=point,
                label=one_line(point.text, 200),
                about=desk.say("rewind.files", count=len(point.files)) if point.files else _clock(point.ts),
            )
            for point in reversed(points)
        ]
        point = await desk.pick(rows, desk.say("rewind.which"), search=True)
        if point is None:
            return
        files = False
        if point.files:
            for path in point.files:
                desk.note(f"  {one_line(path)}")
            files = await desk.pick(
                [
                    Choice(value="talk", label=desk.say("rewind.talk_only"), key="t"),
                    Choice(value="files", label=desk.say("rewind.with_files", count=len(point.files)), key="f"),
                ],
                desk.say("rewind.files_too"),
            )
            if files is None:
                return
        await self._rewind(point.seq, files=files == "files")

    async def _pick_session(self) -> None:
        from helloclaw.agent.catalog import list_sessions
        from helloclaw.repl.session_rows import session_rows

        desk = self._desk
        found = [info for info in list_sessions(desk.options.home) if info.id != self._session.id][:_SESSIONS]
        if not found:
            desk.note(desk.say("session.none_other"), "warning")
            return
        session_id = await desk.pick(
            session_rows(found, time.time(), desk.say), desk.say("session.which_one"), search=True
        )
        if session_id is not None:
            self._wish(Wish(session_id))

    async def _run_doctor(self) -> None:
        from helloclaw.doctor.checks import run_checks
        from helloclaw.doctor.words import check_rows

        desk = self._desk
        async for check in run_checks(desk.options.source, desk.options.home, desk.environ, self._session.workdir):
            for row in check_rows(check, desk.say, desk.screen.columns):
                desk.tell("reply", desk.painter.plain(row))

    async def _pick_model(self) -> None:
        from helloclaw.repl.model_rows import model_rows
        from helloclaw.slash.registry import run_line

        desk = self._desk
        rows = await model_rows(desk.options.source, desk.say)
        name = await desk.pick(rows, desk.say("model.which"), search=True)
        if name is None:
            return
        reply = await run_line(f"/model {name}", SessionHost(self._session, desk.options))
        if reply is not None:
            good = reply.level == "info"
            desk.tell("reply", desk.painter.markdown(reply.markdown) if good else desk.cards.error(reply.markdown))


def _clock(ts: float) -> str:
    return time.strftime("%m-%d %H:%M", time.localtime(ts))
