"""`helloclaw model pull`: weights for this computer, with a progress bar where somebody watches."""

from __future__ import annotations

import asyncio
import shutil
import signal

from helloclaw.cli.outcome import DONE, FAILED, INTERRUPTED, TRY_AGAIN, USAGE
from helloclaw.cli.run import Run
from helloclaw.llm.local.guards import PullFailed
from helloclaw.llm.local.progress import PullProgress
from helloclaw.llm.local.pull import Pulled, pull
from helloclaw.llm.local.weights import models_directory
from helloclaw.repl.interrupts import on_interrupt
from helloclaw.wording.plain import one_line
from helloclaw.wording.width import columns

_MEGABYTE = 1_000_000


def pull_model(run: Run) -> int:
    try:
        pulled = pull_shown(run, run.required("name"))
    except asyncio.CancelledError:
        run.complain(run.say("model.pull_stopped", name=run.required("name")))
        return INTERRUPTED
    except PullFailed as failed:
        run.complain(run.say("error.plain", text=failed.phrase))
        return {"unknown": USAGE, "offline": TRY_AGAIN}.get(failed.kind, FAILED)
    if run.as_json:
        run.terminal.json(pulled)
    else:
        name = f"local/{pulled.name}" if pulled.name else f"local/{pulled.path}"
        run.terminal.line(run.say("model.pulled_as", name=name, path=str(pulled.path)))
    return DONE


def pull_shown(run: Run, name: str) -> Pulled:
    """Pull, with progress on standard error. Raises `PullFailed`; `asyncio.CancelledError` on Ctrl-C or SIGTERM."""
    return asyncio.run(_pull(run, name))


async def _pull(run: Run, name: str) -> Pulled:
    bar = _Bar(run)
    task = asyncio.current_task()

    def stop(_: signal.Signals) -> None:
        if task is not None:
            task.cancel()

    directory = models_directory(run.home().models, run.environ)
    try:
        with on_interrupt(stop):
            return await pull(name, directory, environ=run.environ, report=bar.show)
    finally:
        bar.end()


class _Bar:
    """One line on standard error, drawn over itself."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._drawn = False

    def show(self, progress: PullProgress) -> None:
        if self._run.terminal.shows_progress:
            width = shutil.get_terminal_size().columns
            self._run.terminal.hint(f"\r{progress_line(progress, self._run, width - 1)}\x1b[K")
            self._drawn = True

    def end(self) -> None:
        if self._drawn:
            self._run.terminal.hint("\n")


def progress_line(progress: PullProgress, run: Run, width: int) -> str:
    """`qwen  [#####-----]  512 / 1117 MB  8.1 MB/s  1:15`, in at most `width` columns."""
    share = progress.done / progress.total if progress.total else 0.0
    left = ""
    if progress.eta_s is not None and progress.done < progress.total:
        minutes, seconds = divmod(round(progress.eta_s), 60)
        left = f"  {progress.rate / _MEGABYTE:.1f} MB/s  {minutes}:{seconds:02}"
    phase = run.say(f"model.phase.{progress.phase}", source=one_line(progress.source, 40))
    text = f"  {progress.done // _MEGABYTE} / {progress.total // _MEGABYTE} MB{left}"
    room = max(0, min(40, width - columns(phase) - len(text) - 4))
    filled = round(room * share)
    bar = f"  [{'#' * filled}{'-' * (room - filled)}]" if room > 8 else ""
    return f"{phase}{bar}{text}"
