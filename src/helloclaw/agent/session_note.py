"""A short note of the conversation before, made in the background once a new one is under way."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from helloclaw.agent.config import TurnConfig
from helloclaw.agent.summary import as_text
from helloclaw.i18n import SpokenError
from helloclaw.llm.accumulate import Accumulator
from helloclaw.llm.events import Usage
from helloclaw.llm.messages import Message, text_of, user_text

log = logging.getLogger(__name__)

_ASK = """\
Above is a conversation that has ended. Write a short note of it for later: in the first line a title of two to six \
words, then two to five lines that begin with "- ": what it was about, what came of it, what is still open. In the \
language of the conversation, without greetings, nothing secret. If there is nothing worth a note, answer [SILENT]."""
_SILENT = "[SILENT]"
_ROOM_CHARS = 24_000
_WORTH_CHARS = 200
"""A conversation with less said in it is a greeting."""


class Before(NamedTuple):
    """The conversation before: its id, when it was last spoken in (seconds since 1970), and what was said."""

    session_id: str
    ts: float
    messages: Sequence[Message]


class SessionNote:
    """One per session. `find` gives the conversation that has no note yet, read from disk; None if there is none."""

    def __init__(self, workspace: Path, find: Callable[[], Before | None]) -> None:
        self._workspace = workspace
        self._find = find
        self._working: asyncio.Task[None] | None = None
        self._spent = Usage()

    def take_spent(self) -> Usage:
        """The tokens of its call, if it was not asked for them before."""
        spent, self._spent = self._spent, Usage()
        return spent

    def begin(self, config: TurnConfig) -> None:
        """Once in a session; returns at once."""
        if self._working is None:
            self._working = asyncio.create_task(self._make(config), name="note of the session before")

    async def stop(self) -> None:
        """It is made another time, if it was not made yet."""
        if self._working is not None:
            self._working.cancel()
            await asyncio.wait({self._working})

    async def _make(self, config: TurnConfig) -> None:
        try:
            before = await asyncio.to_thread(self._find)
            if before is None or not is_worth_a_note(before.messages):
                return
            text = await self._ask(config, before.messages)
            if text and _SILENT not in text:
                await asyncio.to_thread(self._write, before, text)
        except (SpokenError, OSError) as error:
            log.warning("no note was made of the session before: %s", error)

    def _write(self, before: Before, text: str) -> None:
        from helloclaw.memory.session_notes import write_note

        day = datetime.fromtimestamp(before.ts).astimezone().date()
        write_note(self._workspace, before.session_id, day, text)

    async def _ask(self, config: TurnConfig, messages: Sequence[Message]) -> str:
        asked = user_text(f"{as_text(messages, _ROOM_CHARS)}\n\n{_ASK}")
        request = msgspec.structs.replace(config.base, messages=(asked,), tools=(), thinking_budget=0)
        answer = Accumulator()
        try:
            async with contextlib.aclosing(config.model.stream(request)) as events:
                async for event in events:
                    answer.add(event)
        finally:
            self._spent = self._spent + answer.usage
        return "" if answer.failure is not None else text_of(answer.message()).strip()


def is_worth_a_note(messages: Sequence[Message]) -> bool:
    """Whether both sides said something, and enough of it. Pure."""
    said = {role: sum(len(text_of(each)) for each in messages if each.role == role) for role in ("user", "assistant")}
    return min(said.values()) > 0 and sum(said.values()) >= _WORTH_CHARS
