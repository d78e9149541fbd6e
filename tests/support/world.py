"""A person's home, a working directory and a scripted model: all that a session in this process needs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from helloclaw.agent.session import Session
from helloclaw.app import SessionOptions, open_session
from helloclaw.protocol.commands import Say
from helloclaw.protocol.events import TRANSIENT, Event, RoundEnd
from helloclaw.settings.source import SettingsSource
from helloclaw.storage.paths import Home
from tests.support.model_server import ModelServer

WireName = Literal["anthropic", "openai"]


@dataclass
class World:
    """`environ` is what a process of this world would be started with."""

    root: Path
    server: ModelServer
    wire: WireName = "openai"
    more: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        self.workdir.mkdir(exist_ok=True)

    @property
    def workdir(self) -> Path:
        return self.root / "work"

    @property
    def home(self) -> Home:
        return Home(self.root / "home" / ".helloclaw")

    @property
    def environ(self) -> dict[str, str]:
        if self.wire == "anthropic":
            model = {"ANTHROPIC_BASE_URL": self.server.base_url, "ANTHROPIC_API_KEY": "k", "MODEL_ID": "scripted"}
        else:
            model = {"LLM_BASE_URL": f"{self.server.base_url}/v1", "LLM_API_KEY": "k", "LLM_MODEL_ID": "scripted"}
        return {"HELLOCLAW_HOME": str(self.home.root), "HOME": str(self.root / "home"), **model, **self.more}

    def configure(self, **sections: dict[str, Any]) -> None:
        """Write `config.json`, replacing what it said."""
        self.home.root.mkdir(parents=True, exist_ok=True)
        self.home.config.write_bytes(msgspec.json.encode(sections))

    def options(self, **changes: Any) -> SessionOptions:
        source = SettingsSource(self.home, self.environ)
        return SessionOptions(**{"source": source, "home": self.home, "workdir": self.workdir} | changes)

    @asynccontextmanager
    async def session(
        self, *, resume: str | None = None, fork: bool = False, **changes: Any
    ) -> AsyncIterator[tuple[Session, Heard]]:
        async with open_session(self.options(**changes), resume=resume, fork=fork) as session:
            heard = Heard()
            session.subscribe(heard)
            yield session, heard

    async def turn(self, text: str, **changes: Any) -> tuple[RoundEnd, Heard]:
        async with self.session(**changes) as (session, heard):
            return await session.turn(Say(text=text)), heard

    def journal(self, session_id: str) -> list[dict[str, Any]]:
        lines = (self.home.sessions / f"{session_id}.jsonl").read_bytes().splitlines()
        return [msgspec.json.decode(line) for line in lines]


class Heard:
    """A front end that remembers what it was told."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def of(self, *kinds: Any) -> list[Any]:
        return [event for event in self.events if isinstance(event, kinds)]

    @property
    def kept(self) -> list[str]:
        """The types of the events that are journalled, in order."""
        return [str(event.__struct_config__.tag) for event in self.events if not isinstance(event, TRANSIENT)]
