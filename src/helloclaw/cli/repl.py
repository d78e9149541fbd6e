"""`helloclaw`, `repl` and `chat`: from the command line to a conversation in this terminal."""

from __future__ import annotations

import asyncio
import gc
import os
import stat
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from helloclaw import __version__
from helloclaw.cli.first_weights import fetch_missing_weights
from helloclaw.cli.log_file import keep_log
from helloclaw.cli.opening import plan_opening, session_named
from helloclaw.cli.outcome import INTERRUPTED
from helloclaw.cli.parse import UsageError
from helloclaw.cli.place import place_of
from helloclaw.cli.problems import in_words
from helloclaw.cli.run import NothingThere, Run
from helloclaw.repl.options import ReplOptions, Wish

if TYPE_CHECKING:
    from helloclaw.agent.session import Session
    from helloclaw.settings.source import SettingsSource


def main(run: Run) -> int:
    keep_log(run)
    try:
        return _converse(run)
    except asyncio.CancelledError:  # Ctrl-C while the weights are fetched
        run.complain(run.say("model.pull_stopped", name="local"))
        return INTERRUPTED


def _converse(run: Run) -> int:
    if _can_paint(run):
        from helloclaw.repl.early_keys import keys_kept

        # Modules are being loaded, whose objects all stay: the collector would search them in vain.
        gc.disable()
        with keys_kept():
            return _paint(run, run.settings())
    if not run.terminal.reads_terminal and _nothing_to_read():
        raise UsageError("repl.no_terminal")
    source = run.settings()
    from helloclaw.repl.plain import talk_plainly

    fetch_missing_weights(run, source)
    choose = _wants_menu(run) and run.terminal.reads_terminal
    options = _options(run, source, None if choose else session_named(run))
    asyncio.run(talk_plainly(options, run.terminal, choose=choose))
    return 0


def _nothing_to_read() -> bool:
    """Whether standard input is closed or a device such as `/dev/null`, rather than a pipe or a file with lines."""
    try:
        return stat.S_ISCHR(os.fstat(0).st_mode)
    except OSError:
        return True


def _can_paint(run: Run) -> bool:
    """Whether the terminal can do more than print lines."""
    terminal = run.terminal
    return terminal.reads_terminal and terminal.writes_terminal and run.environ.get("TERM", "") not in {"dumb", ""}


def _paint(run: Run, source: SettingsSource) -> int:
    if _anything_due(run, source) and not asyncio.run(_ask(run, source)):
        return 0
    fetch_missing_weights(run, source)
    resume = asyncio.run(_choose_session(run)) if _wants_menu(run) else session_named(run)
    asyncio.run(_talk(_options(run, source, resume)))
    return 0


def _anything_due(run: Run, source: SettingsSource) -> bool:
    """Whether something is to be asked before the first prompt; mostly not, and then nothing is loaded for it."""
    from helloclaw.repl.first_start import asks_for_mode, needs_first_start
    from helloclaw.settings.trust import question_due

    return needs_first_start(source) or asks_for_mode(source) or bool(question_due(run.home(), place_of(run, source)))


async def _ask(run: Run, source: SettingsSource) -> bool:
    """False if the person has left."""
    from helloclaw.repl.first_start.questions import ask_what_is_due

    return await ask_what_is_due(
        home=run.home(), environ=run.environ, source=source, say=run.say, workdir=place_of(run, source)
    )


def _wants_menu(run: Run) -> bool:
    return run.arguments.flag("resume") and not run.arguments.text("resume")


async def _choose_session(run: Run) -> str:
    """Let the person pick a session. Raises `NothingThere`."""
    import time

    from helloclaw.agent.catalog import list_sessions
    from helloclaw.repl.menu import Menu, choose
    from helloclaw.repl.session_rows import session_rows

    found = list_sessions(run.home())
    if not found:
        raise NothingThere("session.none")
    menu = Menu(tuple(session_rows(found, time.time(), run.say)), searchable=True)
    picked = await choose(menu, run.say("session.which_one"))
    if picked is None:
        raise NothingThere("session.none_picked")
    return picked


async def _talk(options: ReplOptions) -> None:
    from helloclaw.repl.interrupts import on_interrupt
    from helloclaw.repl.talk import Talk

    talk = Talk(options)
    with on_interrupt(talk.signalled):
        await talk.run()


def _options(run: Run, source: SettingsSource, resume: str | None) -> ReplOptions:
    return ReplOptions(
        source=source,
        home=run.home(),
        say=run.say,
        environ=run.environ,
        workdir=place_of(run, source),
        open=lambda wish: _opened(run, source, wish),
        exists=lambda session_id: run.home().sessions.joinpath(f"{session_id}.jsonl").exists(),
        explain=lambda error: in_words(error, run.say, run.environ),
        first=Wish(resume, fork=run.arguments.flag("fork"), first=True),
        version=__version__,
    )


@asynccontextmanager
async def _opened(run: Run, source: SettingsSource, wish: Wish) -> AsyncGenerator[Session]:
    """Importing the agent takes a moment, in which a person can type already."""
    interactive = run.terminal.reads_terminal
    opening = await asyncio.to_thread(
        plan_opening, run, source, interactive=interactive, resume=wish.resume, again=not wish.first
    )
    from helloclaw.app import open_session

    async with open_session(opening.options, resume=wish.resume, fork=wish.fork) as session:
        yield session
