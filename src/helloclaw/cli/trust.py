"""`helloclaw trust`: let a directory's own settings take effect, after showing which; list that, and take it back."""

from __future__ import annotations

import os
from pathlib import Path

from helloclaw.cli.run import NothingThere, Run
from helloclaw.settings.trust import is_trusted, trust, trusted, untrust
from helloclaw.settings.waiting import digests
from helloclaw.wording.plain import one_line
from helloclaw.workspace.instructions import instruction_names


def main(run: Run) -> int:
    if run.arguments.flag("list"):
        return _list(run)
    if named := run.arguments.text("remove"):
        return _remove(run, named)
    return _trust(run)


def _trust(run: Run) -> int:
    """What is trusted is what was shown, though it may change in between."""
    named = run.arguments.text("dir")
    directory = run.directory("DIR", named) if named else run.workdir()
    seen = digests(directory)
    if not run.as_json and seen:
        run.terminal.line(run.say("trust.waits", directory=one_line(str(directory))))
        run.terminal.lines(f"  {name}  {run.say(f'trust.what.{name}')}" for name in seen)
    instructions = instruction_names(directory)
    if not run.as_json and instructions:
        run.terminal.line(run.say("trust.instructions", names=", ".join(instructions)))
    names = trust(run.home(), directory, seen)
    if run.as_json:
        run.terminal.json({"trusted": str(directory), "waits": names, "instructions": instructions})
        return 0
    told = "trust.trusted" if names else "trust.trusted_to_instruct" if instructions else "trust.nothing_waits"
    run.terminal.line(run.say(told, directory=one_line(str(directory))))
    return 0


def _list(run: Run) -> int:
    home = run.home()
    rows = [{"directory": path, "unchanged": is_trusted(home, Path(path))} for path in trusted(home)]
    if run.as_json:
        run.terminal.json(rows)
    elif rows:
        changed = run.say("trust.changed")
        run.terminal.lines(
            one_line(str(row["directory"])) + ("" if row["unchanged"] else f"  {changed}") for row in rows
        )
    else:
        run.complain(run.say("trust.none"))
    return 0


def _remove(run: Run, named: str) -> int:
    """Also of a directory that is not there any more."""
    directory = Path(os.path.realpath(os.path.expanduser(named)))
    if not untrust(run.home(), directory):
        raise NothingThere("trust.not_trusted", directory=one_line(str(directory)))
    if run.as_json:
        run.terminal.json({"removed": str(directory)})
    else:
        run.terminal.line(run.say("trust.removed", directory=one_line(str(directory))))
    return 0
