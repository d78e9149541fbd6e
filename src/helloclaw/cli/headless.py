"""`helloclaw -p` and `ask`: a turn without questions. The answer goes to stdout, everything else to stderr."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Protocol

import msgspec

from helloclaw.cli.first_weights import fetch_missing_weights
from helloclaw.cli.log_file import keep_log
from helloclaw.cli.opening import Opening, plan_opening, session_named
from helloclaw.cli.outcome import FAILED, INTERRUPTED, Outcome
from helloclaw.cli.parse import UsageError
from helloclaw.cli.problems import explain
from helloclaw.cli.prompt_input import read_prompt
from helloclaw.cli.run import Run
from helloclaw.cli.terminal import OutputClosed, OutputFailed, encoded
from helloclaw.protocol import events
from helloclaw.protocol.commands import Cancel, Command, Say
from helloclaw.repl.interrupts import interrupt_on_terminate, on_interrupt
from helloclaw.repl.stdin_lines import StdinLines
from helloclaw.wording.lines import needed_line, progress_line
from helloclaw.wording.plain import one_line, visible

if TYPE_CHECKING:
    from helloclaw.agent.session import Session


class Reporter(Protocol):
    """One way of printing a run."""

    def hear(self, event: events.Event) -> None:
        """Raises `OutputClosed`."""
        ...

    def finish(self, outcome: Outcome, problem: str = "") -> None:
        """Print what is printed last. `problem` is why there was no turn. Raises `OutputClosed`."""
        ...


def main(run: Run) -> int:
    output = run.choice("output_format", ("text", "json", "stream-json")) or ("json" if run.as_json else "text")
    streamed_input = run.choice("input_format", ("text", "stream-json")) == "stream-json"
    reporter = _reporter(run, output)
    outcome = Outcome()
    if not run.terminal.has_output:
        run.complain(run.say("headless.no_output"))
        return FAILED
    keep_log(run)
    try:
        interrupt_on_terminate()
        says = None if streamed_input else [_say(run)]
        opening = plan_opening(run, run.settings(), interactive=False, resume=session_named(run))
        fetch_missing_weights(run, opening.options.source)
        code = asyncio.run(_Headless(run, reporter, outcome).converse(opening, says))
    except (KeyboardInterrupt, asyncio.CancelledError):
        outcome.interrupted()
        code = INTERRUPTED
    except OutputFailed:
        raise
    except OutputClosed:
        return FAILED
    except Exception as error:
        explained = explain(error)
        reporter.finish(outcome, run.say.say(explained[0]) if explained else type(error).__name__)
        raise
    reporter.finish(outcome)
    if outcome.is_empty:
        run.complain(run.say("headless.empty_answer"))
    return code


def _say(run: Run) -> Say:
    said = run.arguments.many("question")
    prompt = read_prompt(run, " ".join(said) if said else run.arguments.text("print") or "")
    return Say(text=prompt.text, context=prompt.context)


def _reporter(run: Run, output: str) -> Reporter:
    match output:
        case "json":
            return _JsonReporter(run)
        case "stream-json":
            return _StreamReporter(run)
        case _:
            return _TextReporter(run)


class _Headless:
    """One run: the session, what it hears, and how it stops."""

    def __init__(self, run: Run, reporter: Reporter, outcome: Outcome) -> None:
        self._run = run
        self._reporter = reporter
        self._outcome = outcome
        self._session: Session | None = None
        self._waiting: asyncio.Queue[Say | None] = asyncio.Queue()
        self._stopping = False
        self._closed: OutputClosed | None = None

    async def converse(self, opening: Opening, says: list[Say] | None) -> int:
        """Run the turns; the exit code. `says` None is to read commands from standard input."""
        from helloclaw.app import open_session

        task = asyncio.current_task()

        def stop(_: signal.Signals) -> None:
            if self._session is not None and not self._stopping:
                self._stop()
            elif task is not None:
                task.cancel()

        with on_interrupt(stop):
            async with open_session(opening.options, resume=opening.resume, fork=opening.fork) as session:
                self._session = session
                session.subscribe(self._hear)
                if says is None:
                    await self._follow(session)
                else:
                    for say in says:
                        await self._turn(session, say)
        if self._closed is not None:
            raise self._closed
        return self._outcome.exit_code

    async def _turn(self, session: Session, say: Say) -> None:
        if self._stopping:
            self._outcome.interrupted()
        else:
            await session.turn(say)

    async def _follow(self, session: Session) -> None:
        """Run a turn for each `say` line, one after the other; other commands count at once."""

        async def listen() -> None:
            async for command in _commands():
                if isinstance(command, Say):
                    self._waiting.put_nowait(command)
                else:
                    session.send(command)

        listening = asyncio.create_task(listen(), name="stdin")
        listening.add_done_callback(lambda _: self._waiting.put_nowait(None))
        try:
            while (say := await self._waiting.get()) is not None:
                await self._turn(session, say)
            if listening.done():
                listening.result()
        finally:
            listening.cancel()

    def _hear(self, event: events.Event) -> None:
        self._outcome.hear(event)
        if self._closed is not None:
            return
        try:
            self._reporter.hear(event)
        except OutputClosed as error:
            self._closed = error
            self._stop()

    def _stop(self) -> None:
        """Cancel the turn that runs or is about to, and begin no other."""
        self._stopping = True
        self._waiting.put_nowait(None)
        if self._session is not None:
            self._session.send(Cancel())


async def _commands() -> AsyncIterator[Command]:
    number = 0
    async for line in StdinLines():
        number += 1
        if not line.strip():
            continue
        try:
            yield msgspec.json.decode(line, type=Command)
        except msgspec.MsgspecError as error:
            raise UsageError("headless.bad_command", line=number, why=one_line(str(error))) from error


class _JsonReporter:
    """One object at the end."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def hear(self, event: events.Event) -> None:
        _show_beside(self._run, event)

    def finish(self, outcome: Outcome, problem: str = "") -> None:
        self._run.terminal.json(outcome.result(problem), indent=False)


class _StreamReporter(_JsonReporter):
    """Every event as it happens, then the object."""

    def hear(self, event: events.Event) -> None:
        self._run.terminal.line(encoded(event).decode())


class _TextReporter:
    """The answer: as it comes where somebody watches, else whole, so that no half of it is taken for all."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._live = run.terminal.writes_terminal and not run.arguments.flag("no_stream")
        self._shown = False
        self._open_line = False

    def hear(self, event: events.Event) -> None:
        match event:
            case events.AssistantDelta() if self._live:
                self._write(event.text)
                self._shown = True
            case events.AssistantEnd() if self._live:
                self._end_line()
            case events.ErrorEvent() if event.session_id and (line := needed_line(event, self._run.say)):
                self._end_line()
                self._run.complain(self._run.say("headless.failed_in", error=line, id=event.session_id))
            case _:
                if progress_line(event, self._run.say) or needed_line(event, self._run.say):
                    self._end_line()
                _show_beside(self._run, event)

    def finish(self, outcome: Outcome, problem: str = "") -> None:
        self._end_line()
        if not self._shown and outcome.text and not problem:
            text = outcome.text if not self._run.terminal.writes_terminal else visible(outcome.text)
            self._run.terminal.line(text)

    def _write(self, text: str) -> None:
        if text:
            self._run.terminal.write(visible(text))
            self._open_line = not text.endswith("\n")

    def _end_line(self) -> None:
        if self._open_line:
            self._run.terminal.line()
            self._open_line = False


def _show_beside(run: Run, event: events.Event) -> None:
    """Progress for who watches; what must be known for everybody."""
    line = needed_line(event, run.say) or (progress_line(event, run.say) if run.terminal.shows_progress else None)
    if line:
        run.terminal.error(line)
