"""Which directory a conversation works in: the one that is named, the home workspace, or where the person stands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from helloclaw.cli.run import Run

if TYPE_CHECKING:
    from helloclaw.settings.source import SettingsSource

# Commands that talk in the home workspace rather than where the person stands.
_AT_HOME = frozenset({"ask", "chat"})


def place_of(run: Run, source: SettingsSource) -> Path:
    """The directory of a new conversation, resolved; the home workspace is made. Raises `UsageError`, `OSError`."""
    is_named = run.arguments.text("workdir") is not None
    if is_named or run.command is None or run.command.name not in _AT_HOME:
        return run.workdir()
    from helloclaw.storage.atomic import private_directory

    named = source.current().env.workspace_path
    workspace = Path(named).expanduser().absolute() if named else run.home().workspace
    return Path(os.path.realpath(private_directory(workspace)))
