"""Where things are: the home directory of the product and what a working directory holds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct


class Home(Struct, frozen=True):
    """`~/.helloclaw`, or what `HELLOCLAW_HOME` says. Nothing is created by naming it."""

    root: Path

    @property
    def config(self) -> Path:
        return self.root / "config.json"

    @property
    def dotenv(self) -> Path:
        return self.root / ".env"

    @property
    def workspace(self) -> Path:
        return self.root / "workspace"

    @property
    def sessions(self) -> Path:
        return self.workspace / "sessions"

    @property
    def models(self) -> Path:
        return self.root / "models"

    @property
    def permissions(self) -> Path:
        return self.root / "permissions.json"

    @property
    def trust(self) -> Path:
        return self.root / "trust.json"

    @property
    def cache(self) -> Path:
        return self.root / "cache"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def history(self) -> Path:
        return self.root / "history"


class HomeUnknown(Exception):
    """Nobody says where the home directory is."""


def find_home(environ: Mapping[str, str]) -> Home:
    """Locate the product's home. Raises `HomeUnknown` when there is neither `HELLOCLAW_HOME` nor a user's home."""
    if named := environ.get("HELLOCLAW_HOME"):
        return Home(Path(named).expanduser().absolute())
    return Home(person_home(environ) / ".helloclaw")


def person_home(environ: Mapping[str, str]) -> Path:
    """The person's home directory: `HOME`, else what the password database says. Raises `HomeUnknown`."""
    if named := environ.get("HOME" if os.name != "nt" else "USERPROFILE"):
        return Path(named).absolute()
    try:
        return Path.home()
    except RuntimeError as error:
        raise HomeUnknown("no home directory: set HOME or HELLOCLAW_HOME") from error
