"""What the person says is searched for what is worth keeping, after each turn and off its path."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from helloclaw.agent.engine import Engine
from helloclaw.agent.standing import Standing
from helloclaw.i18n import Phrase, SpokenError, texts
from helloclaw.i18n.system import reason_of
from helloclaw.memory.worth import may_hold
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Say
from helloclaw.storage.journal import JournalError
from helloclaw.storage.locks import Busy

if TYPE_CHECKING:
    from helloclaw.memory.notebook import Notebook
    from helloclaw.memory.store import Added

log = logging.getLogger(__name__)


class Heard(NamedTuple):
    """What a person typed, and the `seq` it was kept under."""

    seq: int
    text: str


def typed(say: Say) -> str:
    """The person's own words in a message: nothing of what was pasted, mentioned or expanded."""
    if say.source != "user":
        return ""
    return say.text if say.typed is None else say.typed


class Remembering:
    """One per session. Work that was begun is finished by `settle`, whatever became of who was listening."""

    def __init__(self, engine: Engine, notebook: Notebook | None, standing: Standing) -> None:
        self._engine = engine
        self._notebook = notebook
        self._standing = standing
        self._working: asyncio.Task[None] | None = None

    def learn(self, heard: Sequence[Heard]) -> None:
        """Begin to keep what is worth it. Returns at once."""
        if self._notebook is None or not any(may_hold(each.text) for each in heard):
            return
        work = self._learn(self._notebook, tuple(heard), self._working)
        self._working = asyncio.create_task(work, name="remembering")

    async def settle(self) -> None:
        """Come back when everything that was begun is kept, even if cancelled meanwhile."""
        if self._working is not None:
            await asyncio.wait({self._working})

    async def _learn(self, notebook: Notebook, heard: Sequence[Heard], before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        try:
            added = await asyncio.to_thread(lambda: tuple(_kept(notebook, heard, self._engine.session_id)))
            self._standing.untold(each.told for each in added)  # it was said in this conversation
            if added:
                self._engine.emit(out.MemorySaved(notes=tuple(each.text for each in added)))
        except (SpokenError, Busy, OSError) as error:
            why = reason_of(error) if isinstance(error, OSError) else str(error)
            self._warn(Phrase("notice.capture_failed", why=why))
        except Exception:  # What is noted on the side must not end the session.
            log.exception("what was said in session %s could not be searched for notes", self._engine.session_id)

    def _warn(self, phrase: Phrase) -> None:
        text = texts("en").say(phrase)
        notice = out.Notice(text=text, code=phrase.key, values=phrase.values, level="warning")
        try:
            self._engine.emit(notice)
        except JournalError:
            self._engine.publish(notice)


def _kept(notebook: Notebook, heard: Sequence[Heard], session_id: str) -> Iterator[Added]:
    from helloclaw.memory.capture import capture
    from helloclaw.memory.note import Source

    for each in heard:
        for captured in capture(each.text):
            source = Source(session=session_id, seq=each.seq, by="capture")
            added = notebook.memory.add(captured.text, captured.category, source)
            if added.is_new:
                yield added
