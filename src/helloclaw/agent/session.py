"""A live session: one asyncio task with an inbox, strictly one turn at a time.

Front ends send it commands and hear its events.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

from helloclaw.agent.config import CannotRun, Configure
from helloclaw.agent.engine import LocalEngine, Sink
from helloclaw.agent.hooks import ToolHooks
from helloclaw.agent.standing import Standing
from helloclaw.agent.turn import Turn, describe_bug, settle_lost, user_message
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Answer, Cancel, Command, Say, SetMode
from helloclaw.storage.journal import JournalError
from helloclaw.tools.context import ToolContext

log = logging.getLogger(__name__)


class Session:
    """Use it from one event loop. `serve` must run for turns to run; `close` ends everything the session started."""

    def __init__(
        self,
        engine: LocalEngine,
        configure: Configure,
        standing: Standing,
        hooks: ToolHooks,
        context: ToolContext,
        created: out.SessionCreated | None = None,
    ) -> None:
        """`created` is told before the first turn, of a session that is new."""
        self._created = created
        self._engine = engine
        self._configure = configure
        self._standing = standing
        self._hooks = hooks
        self._context = context
        self._turn: asyncio.Task[out.RoundEnd] | None = None
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
        """Whether a turn is running."""
        return self._turn is not None

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
            case _:
                raise NotImplementedError(command)

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
            turn = self._turn = asyncio.create_task(self._run_turn(), name=f"turn of {self.id}")
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
            self._last_end = turn.result()
            self._tell_waiting(self._last_end)

    async def close(self) -> None:
        """End background work and the journal. The serving task must have ended."""
        try:
            await self._context.close()
        finally:
            for _, ended in self._awaited:
                ended.cancel()
            self._engine.close()

    async def _run_turn(self) -> out.RoundEnd:
        self._begun = True
        if self._created is not None:
            self._engine.emit(self._created)
            self._created = None
        says = self._engine.take()
        if self._stopping:
            return await self._refuse(says, None)
        try:
            config = await self._configure()
        except CannotRun as problem:
            return await self._refuse(says, problem)
        except asyncio.CancelledError:
            return await self._refuse(says, None)
        except Exception as error:  # A session outlives what goes wrong in one of its turns.
            log.exception("session %s can't be configured", self.id)
            return await self._refuse(says, CannotRun(describe_bug(error)))
        return await Turn(self._engine, config, self._standing, self._hooks, self._context).run(says)

    async def _refuse(self, says: list[Say], problem: CannotRun | None) -> out.RoundEnd:
        """Keep what was said, say why there is no answer, and end the turn."""
        reason: out.TurnEnd = "interrupted" if problem is None else "failed"
        try:
            settle_lost(self._engine)
            for say in says:
                self._engine.emit(user_message(say))
            if problem is not None:
                self._engine.emit(out.ErrorEvent(message=str(problem), hint=problem.hint, kind="settings"))
            end = self._engine.emit(out.RoundEnd(reason=reason))
            with contextlib.suppress(asyncio.CancelledError):  # It is over: there is nothing left to cancel.
                await self._engine.sync()
        except JournalError as error:
            self._engine.publish(out.ErrorEvent(message=str(error), kind="storage"))
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
        return True

    def _set_mode(self, mode: out.Mode) -> None:
        self._standing.mode = mode
        try:
            self._engine.emit(out.SessionUpdated(mode=mode))
        except JournalError as error:
            self._engine.publish(out.ErrorEvent(message=str(error), kind="storage"))

    def _cancel(self) -> None:
        """Cancel the turn that runs or is about to, once: a second wish must not cut short its orderly end."""
        if self._stopping or (self._turn is None and not self._engine.anything_waits):
            return
        self._stopping = True
        if self._turn is not None and self._begun:  # A task that has not begun would end without a word.
            self._turn.cancel()

    def _tell_waiting(self, end: out.RoundEnd) -> None:
        still: list[tuple[Say, asyncio.Future[out.RoundEnd]]] = []
        for say, ended in self._awaited:
            if self._engine.waits(say):
                still.append((say, ended))
            elif not ended.done():
                ended.set_result(end)
        self._awaited = still
