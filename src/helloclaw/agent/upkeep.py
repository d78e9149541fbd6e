"""Keep a conversation within the model's window: before each call drop, save or summarise what fills it."""

from __future__ import annotations

from helloclaw.agent.compact import Cause, Compaction
from helloclaw.agent.config import TurnConfig
from helloclaw.agent.engine import Engine
from helloclaw.agent.flush import Flush
from helloclaw.agent.hooks import SessionHooks
from helloclaw.agent.measure import context_tokens
from helloclaw.agent.micro import pays, saving
from helloclaw.agent.standing import Standing
from helloclaw.agent.surroundings import Surroundings
from helloclaw.llm.events import Failed, Usage
from helloclaw.llm.messages import ModelRequest
from helloclaw.protocol import events as out
from helloclaw.tools.context import ToolContext


class Upkeep:
    """One per turn. `base` is the request without messages, made anew by a compaction: what joined the conversation
    meanwhile folds into the prompt then. `failure` is why the last compaction came to nothing, if a model is to blame.
    """

    def __init__(
        self,
        engine: Engine,
        config: TurnConfig,
        standing: Standing,
        hooks: SessionHooks,
        context: ToolContext,
    ) -> None:
        self._engine = engine
        self._config = config
        self._standing = standing
        self._hooks = hooks
        self._context = context
        self._spent = Usage()
        self._flush_failed = False
        self.failure: Failed | None = None
        self.base: ModelRequest = config.base

    def take_spent(self) -> Usage:
        """The tokens of calls that were made for upkeep since this was asked last."""
        spent, self._spent = self._spent, Usage()
        return spent

    def used(self) -> int:
        """Tokens of the next request."""
        return context_tokens(self._engine.history, self.base)

    async def before_call(self) -> bool:
        """What the size of the context demands now; whether it was compacted."""
        self._drop_results()
        used = self.used()
        if self._config.flush_at <= used < self._config.compact_at:
            await self._flush(fits=True)
        return used >= self._config.compact_at and await self.compact("full")

    async def compact(self, cause: Cause, focus: str = "") -> bool:
        """False if it came to nothing. The model is told again where it is, and what its plan was."""
        compaction = Compaction(self._engine, self._config.model, self.base, self._context.workdir)
        if (plan := compaction.plan(self._config.compact_at, cause)) is None:
            return False
        await self._hooks.before_compact("manual" if cause == "wanted" else "auto")
        await self._flush(fits=cause != "overflow")
        try:
            compacted = await compaction.run(plan, focus=focus)
        finally:
            self._spent = self._spent + compaction.spent
            self.failure = compaction.failure
        if compacted:
            self._standing.forget_told()
            self.base = self._config.renew_base()
        return compacted

    def tell_again(self) -> None:
        """Within a turn nobody says something next that the model could be told along with."""
        surroundings = Surroundings(self._context, self._standing, self._config.notes_to_tell)
        if notes := surroundings.notes(self._engine.now()):
            self._engine.emit(out.UserMessage(text="", context=notes, source="reminder"))

    def _drop_results(self) -> None:
        history = self._engine.history
        found = saving(history)
        if found is None:
            return
        idle_s = self._engine.now() - history.measured_at if history.measured is not None else 0.0
        if pays(found, used=self.used(), compact_at=self._config.compact_at, idle_s=idle_s):
            self._engine.emit(out.ResultsDropped(before=found.before, freed_tokens=found.freed))

    async def _flush(self, *, fits: bool) -> None:
        """Once in each cycle; a turn tries a failed one no second time."""
        if self._engine.history.flushed or self._flush_failed or not self._config.flushes:
            return
        flush = Flush(self._engine, self._config, self._standing, self._context, self.base)
        try:
            self._flush_failed = not await flush.run(fits=fits)
        finally:
            self._spent = self._spent + flush.spent
