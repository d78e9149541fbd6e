"""`helloclaw doctor`: every check with what to do about it. Exit code 1 if anything failed."""

from __future__ import annotations

import asyncio
import shutil
import sys

from helloclaw.cli.outcome import DONE, FAILED, INTERRUPTED
from helloclaw.cli.run import Run
from helloclaw.doctor.check import Check
from helloclaw.doctor.checks import run_checks
from helloclaw.doctor.words import check_rows, check_value
from helloclaw.settings.source import SettingsSource

_WIDTH_IN_A_PIPE = 100


def main(run: Run) -> int:
    try:
        found = asyncio.run(_look(run))
    except KeyboardInterrupt:
        return INTERRUPTED
    if run.as_json:
        run.terminal.json([check_value(check, run.say) for check in found])
    return FAILED if any(check.state == "fail" for check in found) else DONE


async def _look(run: Run) -> list[Check]:
    """All checks; for a person each is told as soon as it is known."""
    width = shutil.get_terminal_size().columns if run.terminal.writes_terminal else _WIDTH_IN_A_PIPE
    plain = (getattr(sys.stdout, "encoding", "") or "").lower().replace("-", "") not in {"utf8", "gb18030"}
    found: list[Check] = []
    # Not `run.settings()`: settings that can't be read are one of the things to find.
    source = SettingsSource(run.home(), run.environ, run.flags())
    async for check in run_checks(source, run.home(), run.environ, run.workdir()):
        found.append(check)
        if not run.as_json:
            run.terminal.lines(check_rows(check, run.say, width, plain=plain))
    return found
