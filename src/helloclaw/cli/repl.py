"""A plain conversation, line by line: streamed answers, tool lines, permission questions. No colours, no menus."""

from __future__ import annotations

import asyncio
import signal
import time
from typing import TYPE_CHECKING, Literal

from helloclaw.cli.ask import question, read_answer
from helloclaw.cli.first_weights import fetch_missing_weights
from helloclaw.cli.interrupts import on_interrupt
from helloclaw.cli.opening import plan_opening, session_named
from helloclaw.cli.parse import UsageError
from helloclaw.cli.run import NothingThere, Run
from helloclaw.cli.stdin_lines import StdinLines
from helloclaw.protocol import events
from helloclaw.protocol.commands import Cancel, Say, SetMode
from helloclaw.settings.problems import nearest
from helloclaw.wording.lines import needed_line, progress_line
from helloclaw.wording.plain import visible

if TYPE_CHECKING:
    from helloclaw.agent.session import Session
    from helloclaw.settings.source import SettingsSource

Wish = Literal["stay", "clear", "leave"]

_COMMANDS = ("/help", "/mode", "/clear", "/exit")
_MENU_ROWS = 20
_TWICE_WITHIN_S = 2.0


def main(run: Run) -> int:
    if not run.terminal.reads_terminal or not run.terminal.writes_terminal:
        raise UsageError("repl.no_terminal")
    source = run.settings()
    fetch_missing_weights(run, source)
    asyncio.run(_talk(run, source))
    return 0


async def _talk(run: Run, source: SettingsSource) -> None:
    """One session after the other, until the person leaves: `/clear` begins a new one."""
    from helloclaw.app import open_session

    lines = StdinLines()
    wanted = await _choose(run, lines) if _wants_menu(run) else session_named(run)
    opening = plan_opening(run, source, interactive=True, resume=wanted)
    fork = opening.fork
    while True:
        async with open_session(opening.options, resume=wanted, fork=fork) as session:
            conversation = _Conversation(run, session, lines)
            if not await conversation.hold():
                return
        wanted, fork = None, False


def _wants_menu(run: Run) -> bool:
    return run.arguments.flag("resume") and not run.arguments.text("resume")


async def _choose(run: Run, lines: StdinLines) -> str:
    """Let the person pick a session by number. Raises `NothingThere`."""
    from helloclaw.agent.catalog import list_sessions
    from helloclaw.cli.sessions import session_line

    found = list_sessions(run.home())[:_MENU_ROWS]
    if not found:
        raise NothingThere("session.none")
    run.terminal.lines(f"{number:>3}  {session_line(info)}" for number, info in enumerate(found, start=1))
    run.terminal.write(run.say("session.pick", count=len(found)))
    async for line in lines:
        if not line.strip():
            break
        if line.strip().isdecimal() and 1 <= int(line) <= len(found):
            return found[int(line) - 1].id
        run.terminal.write(run.say("session.pick", count=len(found)))
    raise NothingThere("session.none_picked")


class _Conversation:
    """One session in front of a person."""

    def __init__(self, run: Run, session: Session, lines: StdinLines) -> None:
        self._run = run
        self._session = session
        self._lines = lines
        self._ask: events.PermissionAsk | None = None
        self._open_line = False
        self._running = False
        self._interrupted_at = 0.0

    async def hold(self) -> bool:
        """Talk until the person leaves (False) or wants a new session (True)."""
        unsubscribe = self._session.subscribe(self._show)
        self._line(self._run.say("repl.hello", id=self._session.id, mode=self._session.mode))
        self._prompt()
        try:
            with on_interrupt(self._interrupt):
                async for line in self._lines:
                    wish = self._obey(line.strip())
                    if wish != "stay":
                        return wish == "clear"
        finally:
            unsubscribe()
        self._end_line()
        return False

    def _obey(self, line: str) -> Wish:
        self._open_line = False
        if self._ask is not None:
            self._answer(self._ask, line)
            return "stay"
        if line.startswith("/"):
            return self._slash(line)
        if line:
            self._running = True
            self._session.send(Say(text=line))
        elif not self._running:
            self._prompt()
        return "stay"

    def _slash(self, line: str) -> Wish:
        name, _, rest = line.partition(" ")
        match name:
            case "/exit" | "/quit":
                return "leave"
            case "/clear":
                return "clear"
            case "/help":
                self._line(self._run.say("repl.help"))
            case "/mode":
                self._set_mode(rest.strip())
            case _:
                near = nearest(name, _COMMANDS)
                key = "repl.unknown_near" if near else "repl.unknown"
                self._line(self._run.say(key, command=visible(name), near=near))
        self._prompt()
        return "stay"

    def _set_mode(self, mode: str) -> None:
        match mode:
            case "default" | "plan" | "auto":
                self._session.send(SetMode(mode=mode))
                self._line(self._run.say("repl.mode", mode=mode))
            case "":
                self._line(self._run.say("repl.mode", mode=self._session.mode))
            case _:
                self._line(self._run.say("repl.bad_mode", mode=visible(mode)))

    def _answer(self, ask: events.PermissionAsk, line: str) -> None:
        answer = read_answer(ask, line)
        if answer is None:
            self._run.terminal.write(self._run.say("ask.again"))
        else:
            self._ask = None
            self._session.send(answer)

    def _interrupt(self, what: signal.Signals) -> None:
        """Ctrl-C stops the turn; with no turn running, twice in a row leaves. SIGTERM and SIGHUP leave."""
        self._end_line()
        if self._running:
            self._session.send(Cancel())
        now = time.monotonic()
        twice = now - self._interrupted_at < _TWICE_WITHIN_S
        if what is not signal.SIGINT or (twice and not self._running):
            self._lines.end()
            return
        if not self._running:
            self._interrupted_at = now
            self._line(self._run.say("repl.again_to_leave"))
            self._prompt()

    def _show(self, event: events.Event) -> None:
        say = self._run.say
        match event:
            case events.AssistantDelta():
                self._run.terminal.write(visible(event.text))
                self._open_line = not event.text.endswith("\n")
            case events.AssistantEnd():
                self._end_line()
            case events.PermissionAsk():
                self._ask = event
                self._end_line()
                self._run.terminal.write(question(event, say))
            case events.PermissionResolved():
                self._ask = None
                if event.decision == "timeout":
                    self._end_line()
                    self._line(say("ask.timeout"))
            case events.UserMessage():
                self._running = True
            case events.RoundEnd():
                self._running, self._ask = False, None
                self._end_line()
                if event.reason in {"interrupted", "limit"}:
                    self._line(say(f"repl.{event.reason}"))
                self._prompt()
            case _:
                if line := needed_line(event, say) or progress_line(event, say):
                    self._end_line()
                    self._line(line)

    def _prompt(self) -> None:
        mode = self._session.mode
        self._run.terminal.write("> " if mode == "default" else f"{mode}> ")

    def _line(self, text: str) -> None:
        self._run.terminal.line(text)

    def _end_line(self) -> None:
        if self._open_line:
            self._run.terminal.line()
            self._open_line = False
