"""The settings in force: flags before `config.json`, before the environment and `.env`, before the defaults.

`config.json` and `.env` are read again before each turn: a changed model, key or address applies to the next one.
`<workdir>/.env` is not read: a directory's own file may only count once the directory is trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from helloclaw.settings.connection import fit_connection
from helloclaw.settings.environment import Given, Variables, from_environment
from helloclaw.settings.files import Snapshot, config_values, dotenv_values, short, snapshot
from helloclaw.settings.problems import SettingsError
from helloclaw.settings.table import all_settings
from helloclaw.settings.values import Origin, Settings
from helloclaw.storage.paths import Home


class SettingsSource:
    """Reads settings, and notices when they change. `flags` are what the command line or a constructor said, by key."""

    def __init__(self, home: Home, environ: Mapping[str, str], flags: Mapping[str, Given] | None = None) -> None:
        self._home = home
        self._process = dict(environ)
        self._flags = dict(flags or {})
        self._seen: Snapshot | SettingsError | None = None
        self._settings: Settings | None = None
        self._files: Snapshot | None = None  # that `_settings` were made of
        self._environ = self._process

    def current(self) -> Settings:
        """The settings last read; reads them if they never were. Raises `SettingsError` only then."""
        if self._settings is not None:
            return self._settings
        self._seen = snapshot(self._home.config, self._home.dotenv)
        return self._apply(self._seen)

    def reload(self) -> Settings | SettingsError:
        """Read again what changed. Something broken is reported once, and the last good settings stay in force."""
        if self._settings is None:
            return self.current()
        try:
            now = snapshot(self._home.config, self._home.dotenv)
        except SettingsError as problem:
            told = isinstance(self._seen, SettingsError) and self._seen.phrase == problem.phrase
            self._seen = problem
            return self._settings if told else _kept(problem)
        if now == self._seen:
            return self._settings
        self._seen = now
        try:
            return self._apply(now)
        except SettingsError as problem:
            return _kept(problem)

    def override(self, key: str, value: Any) -> None:
        """What the person says while the program runs counts before everything else, in this process.

        Files that can't be read just now stay as they were read last. A value that the settings refuse leaves
        everything as it was. Raises `SettingsError`, `msgspec.ValidationError`.
        """
        before = self._flags
        self._flags = before | {key: Given(value, Origin("flag", "/" + key.rpartition(".")[2].removesuffix("_id")))}
        try:
            if self._files is not None:
                self._apply_over(self._files)
        except BaseException:
            self._flags = before
            raise

    def _apply_over(self, last: Snapshot) -> None:
        """Apply the files as they are now, or as they were `last` where they are broken now."""
        try:
            self._apply(snapshot(self._home.config, self._home.dotenv))
        except SettingsError:
            self._apply(last)

    @property
    def environ(self) -> Mapping[str, str]:
        """The process's environment over `.env`'s: where a provider's own key variable is looked up."""
        return self._environ

    def _apply(self, files: Snapshot) -> Settings:
        names = short(self._home.config, self._process), short(self._home.dotenv, self._process)
        in_file = config_values(files.config, names[0])
        assignments = dotenv_values(files.dotenv, names[1])
        variables = Variables(process=self._process, dotenv=assignments, dotenv_name=names[1])
        environ = variables.merged()
        layers = fit_connection((self._flags, in_file, from_environment(variables)), environ)
        self._settings = combined(layers)
        self._files = files
        self._environ = environ
        return self._settings


def _kept(problem: SettingsError) -> SettingsError:
    return SettingsError("settings.kept", problem=problem.phrase)


def combined(layers: tuple[Mapping[str, Given], ...]) -> Settings:
    """Each setting from the first layer that gives it."""
    given: dict[str, Given] = {}
    for layer in reversed(layers):
        given |= layer
    sections: dict[str, Any] = {}
    for key, setting in all_settings().items():
        value = given[key].value if key in given else setting.default
        if key == setting.section:
            sections[key] = value
        else:
            sections.setdefault(setting.section, {})[setting.name] = value
    origins = {key: each.origin for key, each in given.items()}
    return msgspec.convert(sections | {"origins": origins}, Settings)
