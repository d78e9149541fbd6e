"""What one look came to, and what there is to look at."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from helloclaw.i18n import Phrase

if TYPE_CHECKING:
    from helloclaw.settings.source import SettingsSource
    from helloclaw.storage.paths import Home

State = Literal["ok", "warn", "fail", "off"]
Name = Literal[
    "version",
    "settings",
    "home",
    "model",
    "embedded",
    "sandbox",
    "locks",
    "sessions",
    "terminal",
    "encoding",
    "search",
    "git",
    "shell",
    "trust",
]


class Check(Struct, frozen=True, kw_only=True):
    """`fix` is the next step for what isn't as it should be; `off` is what is missing without being needed."""

    name: Name
    state: State
    what: Phrase
    fix: Phrase | None = None


class Ground:
    """What is looked at. `environ` is the process's; `source` may be broken, which is for a check to find out."""

    def __init__(self, source: SettingsSource, home: Home, environ: Mapping[str, str], workdir: Path) -> None:
        self.source = source
        self.home = home
        self.environ = environ
        self.workdir = workdir
