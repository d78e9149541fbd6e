"""The REPL: one screen, and one session after the other in it, until the person leaves."""

from __future__ import annotations

import asyncio
import gc
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helloclaw.i18n import Texts
from helloclaw.repl.desk import Desk
from helloclaw.repl.host import SessionHost
from helloclaw.repl.one_after_another import hold_sessions
from helloclaw.repl.options import ReplOptions, Wish
from helloclaw.settings.files import short
from helloclaw.wording.plain import one_line

if TYPE_CHECKING:
    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from helloclaw.agent.session import Session
    from helloclaw.protocol.events import Mode
    from helloclaw.repl.compose.composer import Composed
    from helloclaw.repl.conversation import Conversation
    from helloclaw.slash.base import Host

REPLAYED_EVENTS = 400
"""How much of a resumed session is shown again."""


class Talk:
    """Also what the screen asks for rows, and tells its keys to."""

    def __init__(self, options: ReplOptions, *, source: Input | None = None, output: Output | None = None) -> None:
        from helloclaw.repl.set_up import set_up

        self._options = options
        self._desk = Desk(options)
        self._conversation: Conversation | None = None
        self._early: list[Composed] = []
        self._left = False
        set_up(self._desk, self, self._submit, source=source, output=output)

    async def run(self) -> None:
        """Raises what opening the first session raises."""
        ready = asyncio.Event()
        self._greet()
        showing = asyncio.create_task(self._desk.screen.run(ready.set), name="screen")
        holding = asyncio.create_task(self._sessions(ready), name="sessions")
        try:
            await asyncio.wait({showing, holding}, return_when=asyncio.FIRST_COMPLETED)
            if showing.done() and not holding.done():
                self.end()
                ready.set()  # also if nothing could ever be shown
                await asyncio.wait({holding})
        finally:
            holding.cancel()
            await asyncio.wait({holding})
            await self._desk.close()
            self._desk.screen.leave()
            await asyncio.wait({showing})
        if not isinstance(_error(showing), EOFError | None):
            showing.result()
        holding.result()

    def signalled(self, what: signal.Signals) -> None:
        if what is signal.SIGINT:
            self.interrupt()
        else:
            self.end()

    async def _sessions(self, ready: asyncio.Event) -> None:
        await ready.wait()
        await asyncio.to_thread(_load)
        gc.freeze()
        gc.enable()
        if not self._left:
            await hold_sessions(self._options, self._options.first, self._hold, self._desk.fail)

    async def _hold(self, session: Session, wish: Wish) -> Wish | None:
        from helloclaw.repl.conversation import Conversation

        self._desk.begin_session()
        self._show_past(session, wish)
        self._conversation = conversation = Conversation(self._desk, session)
        for composed in self._early:
            conversation.submit(composed)
        self._early.clear()
        if self._left:
            conversation.wish(None)
        try:
            following = await conversation.hold()
        finally:
            self._conversation = None
            self._early = conversation.leftover()
        self._farewell(session, leaving=following is None)
        return None if self._left else following

    def _show_past(self, session: Session, wish: Wish) -> None:
        if wish.resume is None:
            return
        from helloclaw.agent.catalog import journal_path, read_events
        from helloclaw.repl.past import recent

        desk = self._desk
        path = journal_path(self._options.home, session.id)
        past = recent(read_events(path), REPLAYED_EVENTS) if path.exists() else []
        desk.print(desk.feed.replay(past))
        desk.note(desk.say("repl.resumed", id=session.id, title=session.title))

    def _greet(self) -> None:
        options = self._options
        greeting = options.say(
            "repl.greeting", version=options.version, directory=one_line(short(options.workdir, options.environ))
        )
        self._desk.screen.print_above(f"{greeting}\n")

    def _farewell(self, session: Session, *, leaving: bool) -> None:
        if leaving and session.title:
            self._desk.print(self._desk.say("repl.farewell", id=session.id) + "\n")

    def _submit(self, composed: Composed) -> None:
        if self._conversation is None:
            self._early.append(composed)
        else:
            self._conversation.submit(composed)

    @property
    def host(self) -> Host | None:
        return None if self._conversation is None else SessionHost(self._conversation.session, self._options)

    @property
    def say(self) -> Texts:
        return self._desk.say

    @property
    def mode(self) -> Mode:
        return self._desk.first_mode if self._conversation is None else self._conversation.mode

    def cwd(self) -> Path:
        return self._options.workdir if self._conversation is None else self._conversation.session.cwd

    # Rows.

    def live(self, rows: int) -> str:
        if self._conversation is None:
            return ""
        self._desk.painter.resize(self._desk.screen.columns)
        return self._desk.feed.live(rows)

    def status(self, width: int) -> StyleAndTextTuples:
        from helloclaw.repl.status import queue_rows, status_row

        conversation, desk = self._conversation, self._desk
        rows: StyleAndTextTuples = []
        if conversation is not None and conversation.busy:
            phase, seconds = conversation.phase
            rows = status_row(phase, seconds, desk.feed.detail, width, desk.say, ascii_only=desk.ascii)
        if conversation is not None and conversation.queued:
            rows = [*rows, *([("", "\n")] if rows else []), *queue_rows(conversation.queued, width, desk.say)]
        return rows

    def hud(self, width: int) -> StyleAndTextTuples:
        from helloclaw.repl.output.hud import hud
        from helloclaw.repl.output.rows import fitted

        desk = self._desk
        if desk.screen.cramped:
            return [("class:hint", fitted(desk.say("ask.cramped"), width))]
        if hint := desk.say("ask.in_a_moment") if desk.screen.guarded else desk.hint_now:
            return [("class:hint", fitted(hint, width))]
        usage = None if self._conversation is None else desk.feed.usage
        return hud(usage, desk.model, self.mode, width, desk.say, ascii_only=desk.ascii)

    # Keys.

    def interrupt(self) -> None:
        if self._conversation is not None:
            self._conversation.interrupt()
        elif self._desk.composer.text:
            self._desk.composer.clear()
        elif self._desk.twice():
            self.end()

    def escape(self) -> None:
        if self._conversation is not None:
            self._conversation.escape()

    def end(self) -> None:
        self._left = True
        if self._conversation is not None:
            self._conversation.wish(None)

    def expand(self) -> None:
        if self._conversation is not None:
            self._conversation.expand()

    def next_mode(self) -> None:
        if self._conversation is not None:
            self._conversation.next_mode()

    def anything_waits(self) -> bool:
        return self._conversation is not None and bool(self._conversation.queued)

    def recall(self) -> None:
        if self._conversation is not None:
            self._conversation.recall()


def _load() -> None:
    """What is needed from the first message on: a person can type already while it is loaded."""
    from helloclaw.repl import conversation
    from helloclaw.repl.output import answer_stream, cards

    del conversation, answer_stream, cards


def _error(task: asyncio.Task[Any]) -> BaseException | None:
    return None if task.cancelled() else task.exception()
