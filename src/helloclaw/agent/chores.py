"""What a person may ask of a session between two turns: compact it, begin anew, go back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

from helloclaw.agent.config import CannotRun, Configure, TurnConfig
from helloclaw.agent.engine import LocalEngine
from helloclaw.agent.hooks import SessionHooks
from helloclaw.agent.measure import context_tokens
from helloclaw.agent.rewind import Restored, changes_since, restore, rewind_points, shown
from helloclaw.agent.standing import Standing
from helloclaw.agent.turn import bug, cannot_run, failed, settle_lost, unkept, warning
from helloclaw.agent.upkeep import Upkeep
from helloclaw.i18n import Phrase
from helloclaw.llm.events import Usage
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Clear, Compact, Rewind
from helloclaw.storage.journal import JournalError
from helloclaw.tools.context import ToolContext

Chore = Compact | Clear | Rewind


class Chores:
    """`may_write` says whether a path may be written when files are put back. What goes wrong is said as events."""

    def __init__(
        self,
        engine: LocalEngine,
        configure: Configure,
        standing: Standing,
        hooks: SessionHooks,
        context: ToolContext,
        may_write: Callable[[Path], bool],
    ) -> None:
        self._engine = engine
        self._configure = configure
        self._standing = standing
        self._hooks = hooks
        self._context = context
        self._may_write = may_write

    def drop(self) -> None:
        """Say that one was stopped before it began."""
        self._engine.publish(warning(Phrase("notice.chore_stopped")))
        self._engine.publish(out.Phase(state="idle"))

    async def run(self, chore: Chore) -> None:
        """Raises nothing; a cancelled one says so."""
        try:
            settle_lost(self._engine)
            match chore:
                case Compact():
                    await self._compact(chore)
                case Clear():
                    self._clear(chore)
                case Rewind():
                    await self._rewind(chore)
            with contextlib.suppress(asyncio.CancelledError):  # It is done: there is nothing left to cancel.
                await self._engine.sync()
        except asyncio.CancelledError:
            self._engine.publish(warning(Phrase("notice.chore_stopped")))
        except JournalError as error:
            self._engine.publish(unkept(error))
        except CannotRun as problem:
            self._engine.publish(cannot_run(problem))
        except Exception as error:  # A session outlives what goes wrong between its turns.
            self._engine.publish(bug(error))
        finally:
            self._engine.publish(out.Phase(state="idle"))

    async def _compact(self, chore: Compact) -> None:
        config = await self._configure()
        for phrase in config.notices:
            self._engine.emit(warning(phrase))
        upkeep = Upkeep(self._engine, config, self._standing, self._hooks, self._context)
        try:
            done = await upkeep.compact("wanted", chore.focus)
        finally:
            if (spent := upkeep.take_spent()) != Usage():
                self._count(config, spent)
        if done:
            return
        if (failure := upkeep.failure) is not None:
            self._engine.emit(failed(failure))
        else:
            self._engine.publish(warning(Phrase("notice.nothing_to_compact")))

    def _count(self, config: TurnConfig, spent: Usage) -> None:
        total = self._engine.history.total + spent
        used = context_tokens(self._engine.history, config.base)
        self._engine.emit(
            out.UsageEvent(
                last=spent,
                total=total,
                context_tokens=used,
                token_threshold=config.compact_at,
                ctx_percent=round(100 * used / config.compact_at, 1),
                cost_usd=config.price(total),
            )
        )

    def _clear(self, chore: Clear) -> None:
        if chore.todos:
            self._context.todo.write([])
        self._engine.emit(out.Cleared(conversation=chore.conversation, usage=chore.usage, todos=chore.todos))
        if chore.conversation:
            self._standing.forget_told()

    async def _rewind(self, chore: Rewind) -> None:
        past = await asyncio.to_thread(self._engine.past)
        workdir = self._context.workdir
        if not any(point.seq == chore.to for point in rewind_points(past, workdir)):
            self._engine.publish(warning(Phrase("notice.no_such_message", seq=chore.to)))
            return
        restored = Restored()
        if chore.files:
            since = changes_since(past, chore.to, workdir)
            undoing = asyncio.to_thread(restore, since.changes, self._engine.backups, self._may_write, since.shared)
            restoring = asyncio.create_task(undoing)
            # It can't be stopped half-way: what is put back must be known, or the next rewind would leave it alone.
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.shield(restoring)
            if not restoring.done():
                await asyncio.wait({restoring})
            restored = restoring.result()
            for path, data in restored.contents:
                self._context.ledger.record(path, data)
        self._engine.emit(
            out.Rewound(
                to=chore.to,
                restored=tuple(shown(path, workdir) for path in restored.paths),
                left=tuple(shown(path, workdir) for path in restored.left),
            )
        )
        self._standing.forget_told()


def is_idle_work(chore: Chore) -> bool:
    """Whether a chore is refused while a turn runs, rather than done after it."""
    return not isinstance(chore, Compact)
