"""How a front end wants its session."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from helloclaw.i18n import Lang
from helloclaw.protocol.events import Mode
from helloclaw.settings.source import SettingsSource
from helloclaw.settings.values import Settings
from helloclaw.storage.paths import Home
from helloclaw.tools.base import Tool
from helloclaw.tools.web.access import WebAccess

CODING_STEPS = 200


class SessionOptions(Struct, frozen=True, kw_only=True):
    """How a front end wants its session.

    `allow` are permission rules for this session, `add_dirs` further directories free to read. `interactive` says that
    somebody can be asked. A resumed session goes on in its own directory if `keep_workdir`. `max_steps` is a hard limit
    of model calls; unset, the settings decide, and the last call is one without tools. `extra_tools` are the embedding
    program's own; `web` replaces the way to the web. `workspace` is where identity and memory are, if not where the
    settings say. `introduces`: an agent without a name may get to know the person.
    `by_schedule`: a schedule has started it, which may not make others. `parent` is the session that
    starts it, if no person does, `depth` how many such there are above it.
    `keeps_time`: what is due while it is open comes to it. `language` is the person's.
    """

    source: SettingsSource
    home: Home
    workdir: Path
    keep_workdir: bool = True
    mode: Mode | None = None
    allow: tuple[str, ...] = ()
    add_dirs: tuple[Path, ...] = ()
    system_append: str = ""
    max_steps: int | None = None
    max_cost_usd: float | None = None
    interactive: bool = False
    default_steps: int = CODING_STEPS
    extra_tools: tuple[Tool, ...] = ()
    web: WebAccess | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    workspace: Path | None = None
    introduces: bool = False
    by_schedule: bool = False
    parent: str = ""
    depth: int = 0
    keeps_time: bool = False
    language: Lang = "en"

    def workspace_of(self, settings: Settings) -> Path:
        """The home workspace: identity, memory, and what else the agent knows."""
        named = settings.env.workspace_path
        return self.workspace or (Path(named).expanduser().absolute() if named else self.home.workspace)
