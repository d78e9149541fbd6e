"""What a command works with: its words, the terminal, the language, and where things are. All is opened on use."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from helloclaw.cli.parse import Invocation, UsageError
from helloclaw.cli.terminal import Terminal
from helloclaw.i18n import SpokenError, Texts
from helloclaw.wording.plain import one_line

if TYPE_CHECKING:
    from helloclaw.settings.environment import Given
    from helloclaw.settings.source import SettingsSource
    from helloclaw.storage.paths import Home


class NothingThere(SpokenError):
    """What was named does not exist."""


class Run:
    """One run of one command. `say` speaks a text of the catalogue."""

    def __init__(self, invocation: Invocation, terminal: Terminal, speak: Texts, environ: Mapping[str, str]) -> None:
        self.command = invocation.command
        self.action = invocation.action.name if invocation.action else ""
        self.arguments = invocation.arguments
        self.terminal = terminal
        self.say = speak
        self.environ = environ

    @property
    def as_json(self) -> bool:
        return self.arguments.flag("json")

    def required(self, name: str) -> str:
        """An argument that the grammar requires."""
        return self.arguments.text(name) or ""

    def choice(self, name: str, choices: tuple[str, ...]) -> str | None:
        """An option's value out of `choices`. Raises `UsageError`."""
        value = self.arguments.text(name)
        if value is not None and value not in choices:
            option = f"--{name.replace('_', '-')}"
            raise UsageError("usage.bad_choice", option=option, value=value, choices=" | ".join(choices))
        return value

    def home(self) -> Home:
        """Raises `HomeUnknown`."""
        from helloclaw.storage.paths import find_home

        return find_home(self.environ)

    def settings(self) -> SettingsSource:
        """The settings with what the command line says on top, read and found to be good. Raises `SettingsError`."""
        from helloclaw.settings.source import SettingsSource

        source = SettingsSource(self.home(), self.environ, self.flags())
        source.current()
        return source

    def flags(self) -> dict[str, Given]:
        """The settings that the command line says. Raises `UsageError`."""
        from helloclaw.settings.environment import Given
        from helloclaw.settings.values import Origin

        self.choice("mode", ("default", "plan", "auto"))
        said = {"llm.model_id": "model", "permissions.mode": "mode", "ui.lang": "lang"}
        return {
            key: Given(value, Origin("flag", f"--{name}"))
            for key, name in said.items()
            if (value := self.arguments.text(name))
        }

    def workdir(self) -> Path:
        """`--workdir`, else the current directory; absolute. Raises `UsageError` if there is no such directory."""
        return self.directory("--workdir", self.arguments.text("workdir") or ".")

    def directory(self, option: str, named: str) -> Path:
        try:
            path = Path(os.path.realpath(os.path.expanduser(named)))
        except FileNotFoundError as error:  # the current directory itself was removed
            raise UsageError("usage.no_current_directory") from error
        if not path.is_dir():
            raise UsageError("usage.no_directory", option=option, path=str(path))
        return path

    def complain(self, text: str) -> None:
        """One line on standard error."""
        self.terminal.error(one_line(text))
