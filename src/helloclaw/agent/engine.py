"""The seam under a session: its journal, its inbox, its clock, and waiting for a person.

`Engine` is all that the loop knows of these; small serialisable values go in and out, so that a durable engine can take
the place of `LocalEngine`, which keeps a file journal in one process.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar, cast

import msgspec

from helloclaw.agent.attachments import Attachments, attachments_of
from helloclaw.agent.backups import Backups, backups_of
from helloclaw.agent.history import History
from helloclaw.agent.load import load_history
from helloclaw.i18n.system import reason_of
from helloclaw.protocol.commands import Answer, Note, Say
from helloclaw.protocol.events import PIECES, TRANSIENT, Base, Event, PermissionAsk, Rewound, RoundEnd
from helloclaw.storage.journal import Journal, JournalError, scan

log = logging.getLogger(__name__)

Sink = Callable[[Event], None]
# How the journal's lines begin that a rewind goes by; results only if they tell of changes.
_PAST = (b'{"type":"user_message"', b'{"type":"rewound"')
_TOOL_END = b'{"type":"tool_end"'
Result = TypeVar("Result")
Emitted = TypeVar("Emitted", bound=Base)


class Engine(Protocol):
    """What a turn needs from the world. Raises `JournalError` where an event can't be kept."""

    session_id: str
    history: History

    def emit(self, event: Emitted) -> Emitted:
        """Number, time, keep (unless transient) and publish an event, in this order. Returns it as it went out."""
        ...

    def publish(self, event: Base) -> None:
        """Show an event without keeping it: for what must be said when nothing can be kept (a full disk)."""
        ...

    async def sync(self) -> None:
        """Come back when everything emitted so far survives a power cut; also when cancelled, and only then raise."""
        ...

    async def wait(self, ask_id: str, timeout_s: float) -> Answer | None:
        """Wait for a person's answer to a `PermissionAsk` that was emitted. None when nobody gave one in time."""
        ...

    async def step(self, name: str, run: Callable[[], Awaitable[Result]]) -> Result:
        """Run one side effect; `name` is the same when the same step runs again."""
        ...

    def take(self) -> list[Say]:
        """Everything that waits in the inbox, oldest first."""
        ...

    def take_notes(self) -> list[Note]:
        """Everything that the model is to know without being asked, oldest first."""
        ...

    def keep_file(self, data: bytes) -> str:
        """Keep what a file holds, so that a rewind can put it back; from any thread. Returns its SHA-256.

        Raises `OSError`.
        """
        ...

    def now(self) -> float:
        """Seconds since 1970, UTC."""
        ...


class LocalEngine:
    """One process, one file journal. Not thread-safe: used from the session's event loop only."""

    def __init__(
        self, session_id: str, journal: Journal, history: History, clock: Callable[[], float] = time.time
    ) -> None:
        self.session_id = session_id
        self.history = history
        self._journal = journal
        self._attachments = Attachments(attachments_of(journal.path))
        self.backups = Backups(backups_of(journal.path))
        self._clock = clock
        self._sinks: list[Sink] = []
        self._inbox: deque[Say] = deque()
        self.notes: list[Note] = []
        self._announced = False
        self.told_end = False
        """Whether the end of the latest turn was told; whoever begins a turn sets it back."""
        self._after_message: list[Base] = []
        self._arrived = asyncio.Event()
        self._questions: dict[str, asyncio.Future[Answer]] = {}
        self._encoder = msgspec.json.Encoder()

    def emit(self, event: Emitted) -> Emitted:
        transient = isinstance(event, TRANSIENT)
        seq = self._journal.next_seq if not transient or isinstance(event, PIECES) else None
        numbered = msgspec.structs.replace(event, seq=seq, ts=self._clock())
        if not transient:
            # The journal's header names the session; a fork copies lines as they are.
            numbered = self._kept(numbered)
        named = msgspec.structs.replace(numbered, session_id=self.session_id)
        if not transient:
            self._fold(cast("Event", named))
        if isinstance(named, PermissionAsk):
            # Open before anyone hears of it, since a front end may answer while it is being told.
            self._questions[named.ask_id] = asyncio.get_running_loop().create_future()
        self._show(named)
        if isinstance(event, PIECES):
            self._announced = True
        elif not transient and self._announced:
            self._announced = False
            waiting, self._after_message = self._after_message, []
            for each in waiting:
                self.emit(each)
        return named

    def emit_after_message(self, event: Base) -> None:
        """Emit an event, but not while pieces of a message are told: those carry the number that comes next."""
        if self._announced:
            self._after_message.append(event)
        else:
            self.emit(event)

    def publish(self, event: Base) -> None:
        self._show(msgspec.structs.replace(event, session_id=self.session_id, ts=self._clock()))

    def _fold(self, event: Event) -> None:
        if isinstance(event, Rewound):
            # Nothing can be taken out of a fold again: it is made anew, from what the journal says now.
            self.history = load_history(scan(self._journal.path).lines, self._attachments)
        else:
            self.history.apply(event)

    def past(self) -> list[Event]:
        """What was said, what was done to files, and what was taken back: all that a rewind goes by, in order.

        Raises `JournalError`, `OSError`.
        """
        decoder = msgspec.json.Decoder(Event)
        found: list[Event] = []
        for line in scan(self._journal.path).lines:
            if line.startswith(_PAST) or (line.startswith(_TOOL_END) and b'"changes":[' in line):
                with contextlib.suppress(msgspec.MsgspecError):
                    found.append(decoder.decode(line))
        return found

    def keep_file(self, data: bytes) -> str:
        return self.backups.keep(data)

    def _kept(self, event: Emitted) -> Emitted:
        """Write the event down, its images beside the journal. Returns what can be read back. Raises `JournalError`."""
        try:
            written = self._attachments.put_away(event)
        except OSError as error:
            raise JournalError(
                "journal.unwritten", path=attachments_of(self._journal.path), why=reason_of(error)
            ) from error
        try:
            line = self._encoder.encode(written)
        except UnicodeEncodeError:
            event = _of_whole_characters(event)
            line = self._encoder.encode(_of_whole_characters(written))
        self._journal.append(line)
        return event

    def _show(self, event: Base) -> None:
        self.told_end = self.told_end or isinstance(event, RoundEnd)
        for sink in tuple(self._sinks):
            try:
                sink(cast("Event", event))
            except Exception:  # One front end's fault must take nothing from the turn or from the others.
                log.exception("a subscriber of session %s failed", self.session_id)

    async def sync(self) -> None:
        # fsync takes milliseconds on a slow disk: other sessions in this process must not wait for it.
        syncing = asyncio.ensure_future(asyncio.to_thread(self._journal.sync))
        try:
            await asyncio.shield(syncing)
        except asyncio.CancelledError:
            # A thread can't be stopped, and the file must not be closed under it.
            await asyncio.wait({syncing})
            syncing.result()
            raise

    async def wait(self, ask_id: str, timeout_s: float) -> Answer | None:
        try:
            return await asyncio.wait_for(self._questions[ask_id], timeout_s)
        except TimeoutError:
            return None
        finally:
            del self._questions[ask_id]

    def answer(self, answer: Answer) -> bool:
        """Answer an open question; False if it is not open (any more): the first answer wins."""
        question = self._questions.get(answer.ask_id)
        if question is None or question.done():
            return False
        question.set_result(answer)
        return True

    async def step(self, name: str, run: Callable[[], Awaitable[Result]]) -> Result:
        del name  # Nothing is replayed here; a durable engine will key the result by it.
        return await run()

    def take(self) -> list[Say]:
        taken = list(self._inbox)
        self._inbox.clear()
        return taken

    def recall(self, client_id: str) -> Say | None:
        """Take a message out of the inbox again; None if it is not there (any more)."""
        say = next((each for each in self._inbox if each.client_id == client_id), None)
        if say is not None:
            self._inbox.remove(say)
        return say

    def take_notes(self) -> list[Note]:
        taken, self.notes = self.notes, []
        return taken

    def wake(self) -> None:
        """Let `arrival` come back although the inbox may be empty."""
        self._arrived.set()

    def rest(self) -> None:
        """Let `arrival` wait for what comes next."""
        self._arrived.clear()

    def waits(self, say: Say) -> bool:
        """Whether this very message is still in the inbox."""
        return any(each is say for each in self._inbox)

    @property
    def anything_waits(self) -> bool:
        return bool(self._inbox)

    def enqueue(self, say: Say) -> None:
        self._inbox.append(say)
        self._arrived.set()

    async def arrival(self) -> None:
        """Come back when something has come into the inbox, or was to be woken for, since the last `rest`."""
        await self._arrived.wait()

    def subscribe(self, sink: Sink) -> Callable[[], None]:
        """Call `sink` with every event from now on. Returns how to stop it."""
        self._sinks.append(sink)
        return lambda: self._sinks.remove(sink) if sink in self._sinks else None

    def close(self) -> None:
        self._journal.close()

    def now(self) -> float:
        return self._clock()


def _of_whole_characters(event: Emitted) -> Emitted:
    """U+FFFD for lone surrogates, which JSON can't hold: bytes that are no UTF-8 leave them in arguments and names."""
    return msgspec.convert(_whole(msgspec.to_builtins(event)), type(event))


def _whole(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case dict():
            return {_whole(key): _whole(each) for key, each in cast("dict[Any, Any]", value).items()}
        case list() | tuple():
            return [_whole(each) for each in cast("list[Any]", value)]
        case _:
            return value
