"""One session in front of a person: what they type goes in as commands, what happens comes out through the feed."""

from __future__ import annotations

import asyncio
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from helloclaw.protocol import events
from helloclaw.protocol.commands import Cancel, Note, Recall, Say, SetMode
from helloclaw.repl.asking import Decision, answer_for, choices, is_long, question
from helloclaw.repl.desk import TWICE_WITHIN_S, Desk
from helloclaw.repl.effects import Effects
from helloclaw.repl.feed import IDLE
from helloclaw.repl.host import SessionHost
from helloclaw.repl.options import Wish
from helloclaw.settings.files import short
from helloclaw.slash.registry import run_line

if TYPE_CHECKING:
    from helloclaw.agent.session import Session
    from helloclaw.protocol.events import Event, Mode, PermissionAsk, Phase
    from helloclaw.repl.compose.composer import Composed
    from helloclaw.repl.screen import View

TICK_S = 0.1
INTERRUPTED = 130
"""What a shell says of a command that Ctrl-C ended."""
_MODES: tuple[Mode, ...] = ("default", "plan", "auto")


class Conversation:
    """`hold` until the person leaves (None) or wants another session."""

    def __init__(self, desk: Desk, session: Session) -> None:
        self._desk = desk
        self._session = session
        self._wish: asyncio.Future[Wish | None] = asyncio.get_running_loop().create_future()
        self._lines: asyncio.Queue[Composed] = asyncio.Queue()
        self._asks: list[PermissionAsk] = []
        self._queued: dict[str, str] = {}
        self._doing: asyncio.Task[None] | None = None
        self._doing_since = 0.0
        self._ask_view: View | None = None
        self._interrupted_at = 0.0
        self._ticking: asyncio.Task[None] | None = None
        self._effects = Effects(desk, session, self.wish, self.say)

    async def hold(self) -> Wish | None:
        unsubscribe = self._session.subscribe(self.hear)
        working = asyncio.create_task(self._work(), name="typed lines")
        try:
            await asyncio.wait({self._wish, working}, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                working.result()
            return self._wish.result()
        finally:
            unsubscribe()
            tasks = [task for task in (self._doing, working, self._ticking) if task is not None]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._desk.views.clear()
            self._desk.print(self._desk.feed.stop())

    def wish(self, wish: Wish | None) -> None:
        if not self._wish.done():
            self._wish.set_result(wish)

    def submit(self, composed: Composed) -> None:
        """What the person has typed; done in order, each once the one before is on its way."""
        self._lines.put_nowait(composed)

    def leftover(self) -> list[Composed]:
        """What was typed and is not begun: for the session that follows."""
        lines: list[Composed] = []
        while not self._lines.empty():
            lines.append(self._lines.get_nowait())
        return lines

    @property
    def session(self) -> Session:
        return self._session

    @property
    def mode(self) -> Mode:
        return self._session.mode

    @property
    def queued(self) -> list[str]:
        """Messages that wait for the running turn's next step, oldest first."""
        return list(self._queued.values())

    @property
    def busy(self) -> bool:
        return self._session.busy or (self._doing is not None and not self._desk.views)

    @property
    def phase(self) -> tuple[Phase, float]:
        """What is going on, and for how many seconds it has."""
        feed = self._desk.feed
        if self._session.busy:
            return feed.phase, feed.seconds
        return IDLE, time.monotonic() - self._doing_since

    def hear(self, event: Event) -> None:
        match event:
            case events.MessageQueued(client_id=str(key)):
                self._queued[key] = event.text
            case events.MessageRecalled(client_id=str(key)) | events.UserMessage(client_id=str(key)):
                self._queued.pop(key, None)
            case events.PermissionResolved():
                self._resolved(event)
            case _:
                pass
        self._desk.print(self._desk.feed.hear(event), soon=isinstance(event, events.AssistantDelta))
        match event:
            case events.PermissionAsk():
                self._ask(event)
            case events.LlmStart():
                self._desk.model = event.model
            case events.Rewound():
                self._effects.rewound(event)
            case _:
                pass
        self._keep_ticking()
        if not isinstance(event, events.AssistantDelta | events.ThinkingDelta | events.ToolProgress):
            self._desk.screen.repaint()

    # What keys mean.

    def interrupt(self) -> None:
        """Ctrl-C stops what runs, else empties the input line; twice with nothing to stop leaves."""
        desk = self._desk
        if self._stop_doing() or self._stop_turn():
            return
        if desk.composer.text:
            desk.composer.clear()
            return
        if desk.twice():
            self.wish(None)

    def escape(self) -> None:
        """Escape stops what runs; twice with nothing to stop and nothing typed, it offers to go back."""
        if self._stop_doing() or self._stop_turn():
            return
        if self._desk.composer.buffer.complete_state is not None:
            self._desk.composer.buffer.cancel_completion()
            return
        now = time.monotonic()
        if not self._desk.composer.text and now - self._desk.escaped_at < TWICE_WITHIN_S:
            self._desk.escaped_at = 0.0
            self._effects.start_rewind()
            return
        self._desk.escaped_at = now
        if not self._desk.composer.text:
            self._desk.hint(self._desk.say("repl.escape_again"), TWICE_WITHIN_S)

    def expand(self) -> None:
        self._effects.show_part(None)

    def next_mode(self) -> None:
        following = _MODES[(_MODES.index(self._session.mode) + 1) % len(_MODES)]
        self._session.send(SetMode(mode=following))

    def recall(self) -> None:
        """Bring the messages that wait back into the input line, before what is being typed."""
        texts: list[str] = []
        for key in tuple(self._queued):
            text = self._queued[key]
            self._session.send(Recall(client_id=key))
            if key not in self._queued:
                texts.append(text)
        draft = self._desk.composer.text
        if texts:
            self._desk.composer.set_text("\n".join([*texts, draft] if draft else texts))

    def say(self, composed: Composed) -> None:
        say = Say(
            text=composed.text,
            typed=composed.typed,
            context=composed.context,
            images=composed.images,
            client_id=uuid.uuid4().hex,
        )
        self._session.send(say)
        self._keep_ticking()

    # What was typed.

    async def _work(self) -> None:
        """Do what was typed, in order. What goes wrong with one line is said, and is no reason to end."""
        while True:
            composed = await self._lines.get()
            self._doing_since = time.monotonic()
            self._doing = doing = asyncio.create_task(self._do(composed), name="typed line")
            self._keep_ticking()
            try:
                await asyncio.wait({doing})
            finally:
                self._doing = None
            if doing.cancelled():
                self._desk.note(self._desk.say("repl.interrupted"), "warning")
            elif isinstance(error := doing.exception(), Exception):
                self._desk.fail(error)
            self._desk.screen.repaint()

    async def _do(self, composed: Composed) -> None:
        if composed.shell is not None:
            await self._run_own(composed.shell)
        elif not (composed.text.startswith("/") and await self._slash(composed.text)):
            self.say(composed)

    async def _slash(self, line: str) -> bool:
        """Run a slash command. False if the line is none, but a message."""
        desk = self._desk
        reply = await run_line(line, SessionHost(self._session, desk.options))
        if reply is None:
            return False
        desk.tell("echo", desk.cards.echo(line))
        if reply.markdown:
            text = desk.painter.markdown(reply.markdown)
            desk.tell("reply", text if reply.level == "info" else desk.cards.error(reply.markdown))
        if reply.effect is not None:
            await self._effects.carry_out(reply.effect)
        return True

    async def _run_own(self, command: str) -> None:
        """A command of the person's own: shown as it runs, and told to the model with the next message."""
        from helloclaw.repl.compose.shell_line import OUTPUT_CHARS, OwnOutput, as_note, run_own

        desk = self._desk
        desk.tell("echo", desk.cards.echo(f"!{command}"))
        printed: list[str] = []

        def report(text: str) -> None:
            printed.append(text)
            desk.tell("output", desk.cards.output(text))

        began = time.monotonic()
        try:
            output = await run_own(command, self._session.cwd, desk.environ, report)
        except asyncio.CancelledError:
            seconds = time.monotonic() - began
            text = "".join(printed)[-OUTPUT_CHARS:]
            desk.tell("note", desk.cards.own_command_done(None, seconds))
            self._session.send(Note(text=as_note(command, OwnOutput(text, INTERRUPTED, seconds))))
            return
        desk.tell("note", desk.cards.own_command_done(output.code, output.seconds))
        self._session.send(Note(text=as_note(command, output)))

    # Stopping.

    def _stop_doing(self) -> bool:
        """Stop a command that is being carried out: the person's own, or a slow slash command."""
        if self._doing is None or self._doing.done():
            return False
        self._doing.cancel()
        return True

    def _stop_turn(self) -> bool:
        """Stop the turn; what was still waiting goes back into the input line rather than on to the model."""
        if not self._session.busy:
            return False
        now = time.monotonic()
        if now - self._interrupted_at < TWICE_WITHIN_S:
            self.wish(None)
            return True
        self._interrupted_at = now
        self.recall()
        self._session.send(Cancel())
        return True

    # Questions.

    def _ask(self, ask: PermissionAsk) -> None:
        self._asks.append(ask)
        if len(self._asks) == 1:
            self._show_question(ask)

    def _show_question(self, ask: PermissionAsk) -> None:
        desk = self._desk
        elsewhere = ask.cwd and ask.cwd != str(self._session.workdir)
        where = short(Path(ask.cwd), desk.environ) if elsewhere else ""
        desk.tell("question", question(ask, desk.painter, desk.say, where))
        desk.feed.asked(ask.diff)
        desk.ring()
        rows = choices(ask, desk.say)
        # Enter alone says yes only to what can be seen whole.
        no = next(index for index, row in enumerate(rows) if row.value == Decision("deny"))
        cursor = no if is_long(ask) else 0
        self._ask_view = desk.ask(rows, lambda decision: self._decided(ask, decision), urgent=True, cursor=cursor)

    def _decided(self, ask: PermissionAsk, decision: Decision | None) -> None:
        if decision is None or decision.kind != "why":
            self._answer(ask, decision)
            return
        reason = self._desk.say("ask.reason")
        self._ask_view = self._desk.ask_text(reason, lambda text: self._answer(ask, decision, text or ""))

    def _answer(self, ask: PermissionAsk, decision: Decision | None, reason: str = "") -> None:
        if not self._wish.done():  # else the session is being left, which stops the turn
            self._session.send(answer_for(ask, decision, reason))

    def _resolved(self, event: events.PermissionResolved) -> None:
        """The question is closed, here or elsewhere: the next one that is open, or the input line."""
        if not any(ask.ask_id == event.ask_id for ask in self._asks):
            return
        shown = self._asks[0].ask_id == event.ask_id
        self._asks = [ask for ask in self._asks if ask.ask_id != event.ask_id]
        if event.decision == "timeout":
            self._desk.note(self._desk.say("ask.timeout"), "warning")
        elif event.decision == "always" and event.rule:
            self._desk.note(self._desk.say(f"ask.now_always.{event.save}", rule=event.rule))
        if not shown:
            return
        if self._ask_view is not None:
            self._desk.views.take(self._ask_view)
            self._ask_view = None
        if self._asks:
            self._show_question(self._asks[0])

    def _keep_ticking(self) -> None:
        """Repaint while something runs: the seconds, the spinner, the answer's open end."""
        if self._ticking is None or self._ticking.done():
            self._ticking = asyncio.create_task(self._tick(), name="repaint")

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            if not self._desk.print_pending():  # printing paints all that is below it anew
                self._desk.screen.repaint()
            if not self.busy and not self._asks:
                return
