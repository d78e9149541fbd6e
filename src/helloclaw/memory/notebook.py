"""The memory of one workspace for whoever may come to use it: what it takes to open is imported when it is used."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from helloclaw.storage.paths import Home

if TYPE_CHECKING:  # the rules of both take 50 ms to compile, and most turns need neither
    from helloclaw.memory.search import Finder
    from helloclaw.memory.store import Memory


class Notebook:
    """`database` is where the search index may lie; `sessions` holds past conversations."""

    def __init__(
        self,
        workspace: Path,
        sessions: Path,
        database: Path,
        *,
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        self.workspace = workspace
        self._sessions = sessions
        self._database = database
        self._now = now

    @classmethod
    def of(cls, home: Home, workspace: Path) -> Notebook:
        """That of a workspace; each has an index of its own."""
        mark = "" if workspace == home.workspace else f"-{zlib.crc32(os.fsencode(workspace)):08x}"
        return cls(workspace, home.sessions, home.cache / f"memory{mark}.sqlite")

    @cached_property
    def memory(self) -> Memory:
        from helloclaw.memory.store import Memory

        return Memory(self.workspace, now=self._now)

    @cached_property
    def finder(self) -> Finder:
        from helloclaw.memory.search import Finder

        return Finder(self.workspace, self._sessions, self._database, today=lambda: self._now().date())

    def close(self) -> None:
        if "finder" in self.__dict__:
            self.finder.close()
