"""The conversation line by line, for a terminal that can only print, and for input or output that is a pipe.

No colours, no menus, nothing repainted. Lines from a pipe are said one after the other; nobody can be asked there.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
import time
from typing import TYPE_CHECKING, Protocol

from helloclaw.i18n import SpokenError
from helloclaw.protocol import events
from helloclaw.protocol.commands import Cancel, Say
from helloclaw.repl.host import SessionHost
from helloclaw.repl.interrupts import on_interrupt
from helloclaw.repl.one_after_another import hold_sessions
from helloclaw.repl.options import ReplOptions, Wish
from helloclaw.repl.output.painter import Painter
from helloclaw.repl.output.theme import palette_for
from helloclaw.repl.plain_ask import question, read_answer
from helloclaw.repl.plain_effects import carry_out
from helloclaw.repl.stdin_lines import StdinLines
from helloclaw.slash.base import SendText
from helloclaw.slash.registry import run_line
from helloclaw.wording.lines import needed_line, progress_line
from helloclaw.wording.plain import one_line, visible

if TYPE_CHECKING:
    from helloclaw.agent.session import Session

SESSIONS = 20
_TWICE_WITHIN_S = 2.0
_LOOK_AGAIN_S = 0.02


class Streams(Protocol):
    """Standard input and output, as far as this needs them. Both raise when nobody reads any more."""

    reads_terminal: bool

    def write(self, text: str) -> None: ...

    def line(self, text: str = "") -> None: ...


async def talk_plainly(options: ReplOptions, streams: Streams, *, choose: bool = False) -> None:
    """One session after the other, until the person leaves or the input ends; with `choose` they say which is first.

    Raises what opening a session raises, `SpokenError` where none was chosen.
    """
    lines = StdinLines()
    first = await _chosen(options, lines, streams) if choose else options.first

    async def hold(session: Session, wish: Wish) -> Wish | None:
        del wish
        return await PlainConversation(options, session, lines, streams).hold()

    await hold_sessions(options, first, hold, lambda error: streams.line(options.explain(error)))


async def _chosen(options: ReplOptions, lines: StdinLines, streams: Streams) -> Wish:
    """Let the person pick a session by its number."""
    from helloclaw.agent.catalog import list_sessions

    found = list_sessions(options.home)[:SESSIONS]
    if not found:
        raise SpokenError("session.none")
    for number, info in enumerate(found, start=1):
        when = time.strftime("%m-%d %H:%M", time.localtime(info.updated_at))
        streams.line(f"{number:>3}  {info.id}  {when}  {one_line(info.title, 80)}")
    streams.write(options.say("session.pick", count=len(found)))
    async for line in lines:
        if not line.strip():
            break
        if line.strip().isdecimal() and 1 <= int(line) <= len(found):
            return Wish(found[int(line) - 1].id, fork=options.first.fork)
        streams.write(options.say("session.pick", count=len(found)))
    raise SpokenError("session.none_picked")


class PlainConversation:
    """One session, in lines."""

    def __init__(self, options: ReplOptions, session: Session, lines: StdinLines, streams: Streams) -> None:
        self._options = options
        self._say = options.say
        self._session = session
        self._lines = lines
        self._streams = streams
        self._ask: events.PermissionAsk | None = None
        self._open_line = False
        self._running = False
        self._interrupted_at = 0.0
        self._broken: Exception | None = None
        self._host = SessionHost(session, options)
        palette = palette_for("auto", options.environ)
        columns = shutil.get_terminal_size().columns
        self._painter = Painter(columns, "none", palette, ascii=options.environ.get("TERM") == "dumb")

    async def hold(self) -> Wish | None:
        """Talk until the person leaves (None) or wants another session."""
        unsubscribe = self._session.subscribe(self._hear)
        if self._streams.reads_terminal:
            self._line(self._say("repl.hello", id=self._session.id, mode=self._session.mode))
        self._prompt()
        try:
            with on_interrupt(self._interrupt):
                async for line in self._lines:
                    wish = await self._obey(line)
                    if not isinstance(wish, str):
                        return wish
        finally:
            unsubscribe()
        if self._broken is not None:
            raise self._broken
        self._end_line()
        return None

    async def _obey(self, line: str) -> Wish | str | None:
        """What comes of a line: "stay", or who is to be talked to next."""
        self._open_line = False
        text = line.strip()
        if self._ask is not None:
            self._answer(self._ask, line)
        elif text.startswith("/"):
            try:
                return await self._slash(text)
            except Exception as error:  # said, and no reason to end
                self._line(self._options.explain(error))
                self._prompt()
        elif text:
            await self._send(line)
        elif not self._running:
            self._prompt()
        return "stay"

    async def _send(self, text: str, typed: str | None = None) -> None:
        self._running = True
        say = Say(text=text, typed=typed)
        if self._streams.reads_terminal:
            self._session.send(say)
        else:
            await self._session.turn(say)

    async def _slash(self, line: str) -> Wish | str | None:
        reply = await run_line(line, self._host)
        if reply is None:
            await self._send(line)
            return "stay"
        if reply.markdown:
            self._line(self._painter.markdown(reply.markdown).rstrip("\n"))
        if isinstance(reply.effect, SendText):
            await self._send(reply.effect.text, typed="")
            return "stay"
        if reply.effect is not None:
            outcome = await carry_out(reply.effect, self._host, self._line)
            if not isinstance(outcome, str):
                return outcome
        if not self._streams.reads_terminal:
            # The next line may count on what this one has set off.
            while self._session.busy:  # noqa: ASYNC110 - there is no event for the end of everything
                await asyncio.sleep(_LOOK_AGAIN_S)
        self._prompt()
        return "stay"

    def _answer(self, ask: events.PermissionAsk, line: str) -> None:
        answer = read_answer(ask, line)
        if answer is None:
            self._streams.write(self._say("ask.again"))
        else:
            self._ask = None
            self._session.send(answer)

    def _interrupt(self, what: signal.Signals) -> None:
        """Ctrl-C stops the turn; with no turn running, twice in a row leaves. SIGTERM and SIGHUP leave."""
        self._end_line()
        if self._running or self._session.busy:
            self._session.send(Cancel())
        now = time.monotonic()
        twice = now - self._interrupted_at < _TWICE_WITHIN_S
        if what is not signal.SIGINT or (twice and not self._running):
            self._lines.end()
            return
        if not self._running:
            self._interrupted_at = now
            self._line(self._say("repl.again_to_leave"))
            self._prompt()

    def _hear(self, event: events.Event) -> None:
        """Show an event. Once nothing can be shown any more the turn is stopped and the conversation ends."""
        if self._broken is not None:
            return
        try:
            self._show(event)
        except Exception as error:
            self._broken = error
            self._session.send(Cancel())
            self._lines.end()

    def _show(self, event: events.Event) -> None:
        match event:
            case events.AssistantDelta():
                self._streams.write(visible(event.text, piece=True))
                self._open_line = not event.text.endswith("\n")
            case events.AssistantEnd():
                self._end_line()
            case events.PermissionAsk():
                self._ask = event
                self._end_line()
                self._streams.write(question(event, self._say))
            case events.PermissionResolved():
                self._ask = None
                if event.decision == "timeout":
                    self._end_line()
                    self._line(self._say("ask.timeout"))
            case events.UserMessage():
                self._running = True
            case events.RoundEnd():
                self._round_end(event)
            case events.Cleared(conversation=True):
                self._line(self._say("repl.cleared"))
            case events.Rewound():
                self._rewound(event)
            case _:
                if line := needed_line(event, self._say) or progress_line(event, self._say):
                    self._end_line()
                    self._line(line)

    def _rewound(self, event: events.Rewound) -> None:
        self._line(self._say("rewind.done"))
        for key, paths in (("rewind.restored", event.restored), ("rewind.left", event.left)):
            if paths:
                self._line(self._say(key, paths=", ".join(map(one_line, paths))))

    def _round_end(self, event: events.RoundEnd) -> None:
        self._running, self._ask = False, None
        self._end_line()
        if event.reason in {"interrupted", "limit"}:
            self._line(self._say(f"repl.{event.reason}"))
        self._prompt()

    def _prompt(self) -> None:
        if self._streams.reads_terminal:
            mode = self._session.mode
            self._streams.write("> " if mode == "default" else f"{mode}> ")

    def _line(self, text: str) -> None:
        self._streams.line(text)

    def _end_line(self) -> None:
        if self._open_line:
            self._streams.line()
            self._open_line = False
