"""Commands that the contract names and this version does not have yet. They say so, and fail."""

from __future__ import annotations

from helloclaw.cli.run import NothingThere, Run


def main(run: Run) -> int:
    raise NothingThere("error.not_yet", command=run.command.name if run.command else "")
