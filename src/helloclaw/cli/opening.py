"""From the command line to an open session: where, which one, and under which limits. Shared by `-p` and the REPL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from helloclaw.cli.parse import UsageError
from helloclaw.cli.place import place_of
from helloclaw.cli.run import NothingThere, Run
from helloclaw.protocol.events import Mode
from helloclaw.storage.paths import Home

if TYPE_CHECKING:
    from helloclaw.app import SessionOptions
    from helloclaw.settings.source import SettingsSource


class Opening(NamedTuple):
    """What `open_session` is given."""

    options: SessionOptions
    resume: str | None
    fork: bool


def plan_opening(
    run: Run, source: SettingsSource, *, interactive: bool, resume: str | None, again: bool = False
) -> Opening:
    """`again`: not the session that the command line asks for, but a later one. Raises `UsageError`, `NothingThere`."""
    fork = run.arguments.flag("fork") and not again
    if fork and resume is None:
        raise UsageError("usage.fork_of_nothing")
    home = run.home()
    mode = None if again and resume is not None else _mode(run)
    max_steps, max_cost_usd = _whole(run, "max_turns"), _amount(run, "max_cost")
    workdir = _workdir(run, source, resume)
    add_dirs = tuple(run.directory("--add-dir", named) for named in run.arguments.many("add_dir"))
    # Only now that everything said makes sense: with this the whole agent is loaded.
    from helloclaw.app import SessionOptions

    options = SessionOptions(
        source=source,
        home=home,
        workdir=workdir,
        mode=mode,
        allow=run.arguments.many("allow"),
        add_dirs=add_dirs,
        system_append=run.arguments.text("system_append") or "",
        max_steps=max_steps,
        max_cost_usd=max_cost_usd,
        interactive=interactive,
        introduces=interactive,
        keeps_time=interactive,
        language=run.say.lang,
    )
    return Opening(options, resume, fork)


def session_named(run: Run) -> str | None:
    """The id of the session to go on with: `-s ID`, `-r ID`, or with `-c` the latest here; None for a new one.

    `-r` without an id is for who can show a menu; here it is a `UsageError`.
    """
    home = run.home()
    named = run.arguments.text("session") or run.arguments.text("resume")
    if not named and not run.arguments.flag("resume") and not run.arguments.flag("continue"):
        return None
    from helloclaw.agent.catalog import find_session, list_sessions

    if named:
        return find_session(home, named).stem
    if run.arguments.flag("resume"):
        raise UsageError("session.which")
    workdir = run.workdir()
    here = list_sessions(home, workdir)
    if not here:
        raise NothingThere("session.none_here", path=str(workdir))
    return here[0].id


def _workdir(run: Run, source: SettingsSource, resume: str | None) -> Path:
    """`--workdir`, else where the resumed session worked, else the home workspace or the current directory."""
    is_named = run.arguments.text("workdir") is not None
    if not is_named and resume is not None and (worked_in := _workdir_of(run.home(), resume)):
        return run.directory("session", worked_in)
    return place_of(run, source)


def _workdir_of(home: Home, session_id: str) -> str:
    from helloclaw.agent.catalog import list_sessions

    return next((info.workdir for info in list_sessions(home, children=True) if info.id == session_id), "")


def _mode(run: Run) -> Mode | None:
    """The mode that was asked for; None leaves it to the session or the settings."""
    match run.choice("mode", ("default", "plan", "auto")):
        case "default" | "plan" | "auto" as mode:
            return mode
        case _:
            return None


def _whole(run: Run, name: str) -> int | None:
    text = run.arguments.text(name)
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or int(text[:9]) == 0:
        raise UsageError("usage.bad_number", option=f"--{name.replace('_', '-')}", value=text)
    return int(text[:9])


def _amount(run: Run, name: str) -> float | None:
    text = run.arguments.text(name)
    if text is None:
        return None
    try:
        amount = float(text.removeprefix("$"))
    except ValueError:
        amount = 0.0
    if not 0 < amount < float("inf"):
        raise UsageError("usage.bad_amount", option=f"--{name.replace('_', '-')}", value=text)
    return amount
