"""A directory with hooks in it, trusted by nobody but the test."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from helloclaw.hooks.runner import HookRunner
from helloclaw.i18n import Phrase, texts
from helloclaw.llm.messages import ToolCall


class Place:
    """`told` is what a person was told, in English. Every runner that was opened is closed in the end."""

    def __init__(self, workdir: Path) -> None:
        self.workdir = workdir
        self.trusted = True
        self.told: list[str] = []
        self.runners: list[HookRunner] = []

    def write(self, text: str) -> None:
        (self.workdir / ".hooks.json").write_text(text, encoding="utf-8")

    def hooks(self, event: str, *commands: str, **more: Any) -> HookRunner:
        """A runner for hooks of one event."""
        self.write(json.dumps({"hooks": {event: [{"command": command, **more} for command in commands]}}))
        return self.open()

    def open(self, *, limit_s: float = 30.0, environ: dict[str, str] | None = None) -> HookRunner:
        runner = HookRunner(
            workdir=self.workdir,
            environ=dict(os.environ) | (environ or {}),
            session_id="s1",
            trusted=lambda: self.trusted,
            tell=self._tell,
            limit_s=limit_s,
        )
        self.runners.append(runner)
        return runner

    def _tell(self, phrase: Phrase) -> None:
        self.told.append(texts("en").say(phrase))


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    workdir = tmp_path / "工作 1"
    workdir.mkdir()
    place = Place(workdir)
    yield place
    for runner in place.runners:
        await runner.close()


def call(name: str = "bash", /, **arguments: Any) -> ToolCall:
    return ToolCall(id="1", name=name, input=arguments)
