"""A live session: one asyncio task with an inbox, strictly one turn at a time.

Front ends send it commands and hear its events.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from helloclaw.agent.chores import Chore, Chores, is_idle_work
from helloclaw.agent.config import CannotRun, Configure
from helloclaw.agent.engine import LocalEngine, Sink
from helloclaw.agent.hooks import SessionHooks
from helloclaw.agent.inspection import Inspection, inspect
from helloclaw.agent.listing import title_of
from helloclaw.agent.remembering import Heard, Remembering, typed
from helloclaw.agent.rewind import RewindPoint, rewind_points
from helloclaw.agent.screening import screen, take_back
from helloclaw.agent.session_note import SessionNote
from helloclaw.agent.standing import Standing
from helloclaw.agent.turn import (
    Turn,
    bug,
    cannot_run,
    describe_bug,
    keep_notes,
    settle_lost,
    unkept,
    user_message,
    warning,
)
from helloclaw.i18n import Phrase, texts
from helloclaw.llm.events import Usage
from helloclaw.llm.messages import text_of
from helloclaw.memory.notebook import Notebook
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import (
    Answer,
    Cancel,
    Clear,
    Command,
    Compact,
    Note,
    Recall,
    Rename,
    Rewind,
    Say,
    SetMode,
)
from helloclaw.schedule.schedules import Schedules
from helloclaw.skills.shelf import SkillShelf
from helloclaw.storage.journal import JournalError
from helloclaw.tools.context import ToolContext
from helloclaw.tools.todo import TodoItem

log = logging.getLogger(__name__)


class Session:
    """Use it from one event loop. `serve` must run for turns to run; `close` ends everything the session started."""

    def __init__(
        self,
        engine: LocalEngine,
        configure: Configure,
        standing: Standing,
        hooks: SessionHooks,
        context: ToolContext,
        created: out.SessionCreated | None = None,
        *,
        peek: Configure | None = None,
        may_write: Callable[[Path], bool] = lambda _: False,
        note_before: SessionNote | None = None,
    ) -> None:
        """`created` is told before the first turn, of a session that is new. `peek` configures without consequences;
        `may_write` says what a rewind may put back; `note_before` makes a note of the conversation before this one.
        """
        self._created = created
        self._engine = engine
        self._configure = configure
        self._standing = standing
        self._hooks = hooks
        self._context = context
        self._peek = peek or configure
        self._note_before = note_before
        self._remembering = Remembering(engine, context.notebook, standing)
        self._chores = Chores(engine, configure, standing, hooks, context, may_write)
        self._waiting_chores: deque[Chore] = deque()
        self._turn: asyncio.Task[out.RoundEnd | None] | None = None
        self._begun = False
        self._stopping = False
        self._awaited: list[tuple[Say, asyncio.Future[out.RoundEnd]]] = []
        self._client_ids: set[str] = set()
        self._last_end = out.RoundEnd(reason="done")  # if no turn has ended in this process

    @property
    def id(self) -> str:
        return self._engine.session_id

    @property
    def mode(self) -> out.Mode:
        return self._standing.mode

    @property
    def busy(self) -> bool:
        """Whether a turn is running, or what is done between turns."""
        return self._turn is not None or bool(self._waiting_chores)

    @property
    def title(self) -> str:
        """What the person named it, else the first words said; empty before those."""
        history = self._engine.history
        return history.title or title_of(history.first_words)

    @property
    def workdir(self) -> Path:
        return self._context.workdir

    @property
    def cwd(self) -> Path:
        """Where commands run: `cd` moves it."""
        return self._context.cwd

    @property
    def hooks(self) -> SessionHooks:
        return self._hooks

    @property
    def skills(self) -> SkillShelf:
        return self._context.skills

    @property
    def notebook(self) -> Notebook | None:
        """What is remembered; None where nothing is."""
        return self._context.notebook

    @property
    def schedules(self) -> Schedules | None:
        return self._context.schedules

    @property
    def todo(self) -> tuple[TodoItem, ...]:
        return self._context.todo.items

    @property
    def usage(self) -> Usage:
        """All tokens of the session so far."""
        return self._engine.history.total

    def rewind_points(self) -> list[RewindPoint]:
        """The messages that can be taken back, oldest first. Reads the journal. Raises `JournalError`, `OSError`."""
        return rewind_points(self._engine.past(), self._context.workdir)

    async def inspect(self) -> Inspection:
        """What the next call of the model would be made of. Raises `CannotRun`."""
        config = await self._peek()
        rules = self._standing.with_granted(config.rules)
        return inspect(config, self._engine.history, self._standing.mode, rules)

    def subscribe(self, sink: Sink) -> Callable[[], None]:
        """Call `sink` with every event from now on, in order, in the session's loop. Returns how to stop it."""
        return self._engine.subscribe(sink)

    def send(self, command: Command) -> None:
        """Take a command; what comes of it is heard as events. Raises nothing."""
        match command:
            case Say():
                self._hear(command)
            case Cancel():
                self._cancel()
            case Answer():
                self._engine.answer(command)
            case SetMode():
                self._set_mode(command.mode)
            case Note():
                self._note(command)
            case Recall():
                self._recall(command.client_id)
            case Rename():
                self._update(out.SessionUpdated(title=" ".join(command.title.split())))
            case Compact() | Clear() | Rewind():
                self._plan(command)
            case _:
                assert_never(command)

    async def turn(self, say: Say) -> out.RoundEnd:
        """Say something and come back when the turn that heard it has ended, which may have been before."""
        if not self._hear(say) and self._turn is None and not self._engine.anything_waits:
            return self._last_end
        ended: asyncio.Future[out.RoundEnd] = asyncio.get_running_loop().create_future()
        self._awaited.append((say, ended))
        return await ended

    async def serve(self) -> None:
        """Run turns until cancelled."""
        while True:
            await self._engine.arrival()
            turn = self._turn = asyncio.create_task(self._run_next(), name=f"turn of {self.id}")
            try:
                await asyncio.wait({turn})
            except asyncio.CancelledError:
                # The session is being closed: the turn ends in its own orderly way first.
                self._cancel()
                await asyncio.wait({turn})
                raise
            finally:
                self._turn = None
                self._begun = self._stopping = False
            if (end := self._end_of(turn)) is not None:
                self._last_end = end
                self._tell_waiting(end)
            self._keep_notes()
            if not self._waiting_chores and not self._engine.anything_waits:
                self._engine.rest()

    def _end_of(self, turn: asyncio.Task[out.RoundEnd | None]) -> out.RoundEnd | None:
        """How a turn ended. What nobody foresaw ends only that turn, and keeps nobody waiting."""
        try:
            return turn.result()
        except asyncio.CancelledError:  # With its last words: all was said.
            return out.RoundEnd(reason="interrupted")
        except Exception as error:
            log.error("a turn of session %s broke", self.id, exc_info=error)
            end = out.RoundEnd(reason="failed")
            self._engine.publish(bug(error))
            self._engine.publish(end)
            return end

    async def close(self) -> None:
        """End background work and the journal. The serving task must have ended."""
        try:
            if self._note_before is not None:
                await self._note_before.stop()
            await self._remembering.settle()
            await self._context.close()
        finally:
            self._keep_unheard()
            for _, ended in self._awaited:
                ended.cancel()
            self._engine.close()

    async def _run_next(self) -> out.RoundEnd | None:
        """What has waited longest between turns, else a turn with all that was said."""
        self._begun = True
        self._tell_created()
        if not self._waiting_chores:
            return await self._run_turn() if self._engine.anything_waits else None
        chore = self._waiting_chores[0]
        try:
            if self._stopping:
                self._chores.drop()
            else:
                await self._chores.run(chore)
        finally:
            self._waiting_chores.popleft()
        return None

    def _tell_created(self) -> None:
        if self._created is not None:
            self._engine.emit(self._created)
            self._created = None

    async def _run_turn(self) -> out.RoundEnd:
        says = self._engine.take()
        self._engine.told_end = False
        if self._stopping:
            return await self._refuse(says, None)
        try:
            config = await self._configure()
            screened = await screen(self._hooks, says)
        except CannotRun as problem:
            return await self._refuse(says, problem)
        except asyncio.CancelledError:
            return await self._refuse(says, None)
        except Exception as error:  # A session outlives what goes wrong in one of its turns.
            log.exception("session %s can't be configured", self.id)
            return await self._refuse(says, CannotRun(describe_bug(error)))
        take_back(self._engine, [say for say, _ in screened.refused])
        refused = [Phrase("hooks.prompt_blocked", reason=reason) for _, reason in screened.refused]
        if says and not screened.passed:
            return await self._refuse([], CannotRun(texts("en").say(refused[0]), phrase=refused[0]))
        config = replace(config, notices=(*config.notices, *refused))
        spent = self._note_before.take_spent() if self._note_before else None
        turn = Turn(self._engine, config, self._standing, self._hooks, self._context, spent)
        end = await turn.run(screened.passed)
        if config.captures:
            self._remembering.learn(turn.heard)
        await asyncio.to_thread(config.turn_over)
        if end.reason == "done":
            await self._tell_hooks(end)
            if self._note_before is not None and config.notes_sessions:
                self._note_before.begin(config)
        return end

    async def _tell_hooks(self, end: out.RoundEnd) -> None:
        """The turn is over: a cancel only cuts its hooks short."""
        last = next(reversed(self._engine.history.messages()), None)
        with contextlib.suppress(asyncio.CancelledError):
            await self._hooks.round_end(end.stop_reason or "", text_of(last) if last else "")

    async def _refuse(self, says: list[Say], problem: CannotRun | None) -> out.RoundEnd:
        """Keep what was said, say why there is no answer, and end the turn."""
        reason: out.TurnEnd = "interrupted" if problem is None else "failed"
        unheard = says
        try:
            settle_lost(self._engine)
            for index, say in enumerate(says):
                kept = self._engine.emit(user_message(say))
                self._remembering.learn((Heard(kept.seq or 0, typed(say)),))
                unheard = says[index + 1 :]
            if problem is not None:
                self._engine.emit(cannot_run(problem))
            end = self._engine.emit(out.RoundEnd(reason=reason))
            with contextlib.suppress(asyncio.CancelledError):  # It is over: there is nothing left to cancel.
                await self._engine.sync()
        except JournalError as error:
            self._engine.publish(unkept(error))
            take_back(self._engine, unheard)
            end = out.RoundEnd(reason="failed")
            self._engine.publish(end)
        return end

    def _hear(self, say: Say) -> bool:
        """Put a message into the inbox. False if it has been there before."""
        if say.client_id is not None:
            if say.client_id in self._client_ids or say.client_id in self._engine.history.client_ids:
                return False
            self._client_ids.add(say.client_id)
        self._engine.enqueue(say)
        if self._turn is not None:
            self._engine.emit(out.MessageQueued(text=say.text, client_id=say.client_id))
        return True

    def recall(self, client_id: str) -> Say | None:
        """Take a message back that waits for the running turn; None if it has entered the conversation already."""
        say = self._engine.recall(client_id)
        if say is not None:
            self._client_ids.discard(client_id)
            self._tell_waiting(out.RoundEnd(reason="interrupted"), only=say)
            self._engine.emit(out.MessageRecalled(text=say.text, client_id=client_id))
        return say

    def _recall(self, client_id: str) -> None:
        self.recall(client_id)

    def _note(self, note: Note) -> None:
        self._engine.notes.append(note)
        if not self.busy:
            self._keep_notes()

    def _keep_notes(self) -> None:
        """Into the journal with what is to be known from the next turn on."""
        if not self._engine.notes:
            return
        try:
            self._tell_created()
            settle_lost(self._engine)
            keep_notes(self._engine)
        except JournalError as error:
            self._engine.publish(unkept(error))

    def _keep_unheard(self) -> None:
        """What was said too late for any turn: it is there when the session is resumed."""
        self._keep_notes()
        unheard = says = self._engine.take()
        try:
            for index, say in enumerate(says):
                self._tell_created()
                settle_lost(self._engine)
                self._engine.emit(user_message(say))
                unheard = says[index + 1 :]
        except JournalError as error:
            self._engine.publish(unkept(error))
            take_back(self._engine, unheard)

    def _plan(self, chore: Chore) -> None:
        # A turn whose end was told is over for whoever heard it, though it is still being written down.
        running = self.busy and not (self._engine.told_end and not self._waiting_chores)
        if is_idle_work(chore) and (running or self._engine.anything_waits):
            self._engine.publish(warning(Phrase("notice.busy")))
            return
        self._waiting_chores.append(chore)
        self._engine.wake()

    def _set_mode(self, mode: out.Mode) -> None:
        self._standing.mode = mode
        self._update(out.SessionUpdated(mode=mode))

    def _update(self, event: out.SessionUpdated) -> None:
        try:
            self._tell_created()
            self._engine.emit_after_message(event)
        except JournalError as error:
            self._engine.publish(unkept(error))

    def _cancel(self) -> None:
        """Cancel the turn that runs or is about to, once: a second wish must not cut short its orderly end."""
        if self._stopping or (self._turn is None and not self._engine.anything_waits and not self._waiting_chores):
            return
        self._stopping = True
        if self._turn is not None and self._begun:  # A task that has not begun would end without a word.
            self._turn.cancel()

    def _tell_waiting(self, end: out.RoundEnd, only: Say | None = None) -> None:
        """Let go whoever waits for the turn of a message that is in the inbox no more; `only` for that one."""
        still: list[tuple[Say, asyncio.Future[out.RoundEnd]]] = []
        for say, ended in self._awaited:
            if self._engine.waits(say) or (only is not None and say is not only):
                still.append((say, ended))
            elif not ended.done():
                ended.set_result(end)
        self._awaited = still
