"""One turn: call the model, run the tools it asks for, and again, until it answers in text or something ends it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Coroutine
from typing import Any, Literal

import msgspec

from helloclaw.agent.admission import Gate
from helloclaw.agent.config import CannotRun, TurnConfig
from helloclaw.agent.dispatch import Dispatch
from helloclaw.agent.engine import Engine
from helloclaw.agent.hooks import SessionHooks
from helloclaw.agent.model_step import Answered, call_model
from helloclaw.agent.remembering import Heard, typed
from helloclaw.agent.repair import LOST
from helloclaw.agent.screening import screen, take_back
from helloclaw.agent.standing import Standing
from helloclaw.agent.surroundings import Surroundings
from helloclaw.agent.upkeep import Upkeep
from helloclaw.i18n import Phrase, texts
from helloclaw.llm.events import Failed, StopReason, Usage
from helloclaw.llm.messages import ModelRequest, calls_of
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Say
from helloclaw.storage.journal import JournalError
from helloclaw.tools.context import ToolContext

log = logging.getLogger(__name__)

BACKGROUND_RESULTS = "<background-results>\n{}\n</background-results>"


class Turn:
    """The state of one turn. `run` ends it with a `RoundEnd` event, whatever happens, and never raises."""

    def __init__(
        self,
        engine: Engine,
        config: TurnConfig,
        standing: Standing,
        hooks: SessionHooks,
        context: ToolContext,
        uncounted: Usage | None = None,
    ) -> None:
        """`uncounted` tokens were spent before it, and are counted with its first call."""
        self._engine = engine
        self._config = config
        self._standing = standing
        self._hooks = hooks
        self._context = context
        self._dispatch = Dispatch(engine, config, Gate(engine, config, standing, hooks, context), hooks, context)
        self._began = engine.now()
        self._steps = 0
        self._usage = Usage()
        self._cost: float | None = None
        self._said_no_price = False
        self._stop_reason: StopReason | None = None
        self._uncounted = uncounted or Usage()  # also what is spent on upkeep; the next usage event counts it
        context.spend = self._spend
        self._upkeep = Upkeep(engine, config, standing, hooks, context)
        self._surroundings = Surroundings(context, standing, config.notes_to_tell)
        self._alone = True  # nobody but a schedule has spoken
        self.heard: list[Heard] = []  # what the person typed, of what is in the conversation now
        self._unheard: list[Say] = []  # taken out of the inbox, and not in the conversation yet

    async def run(self, says: list[Say]) -> out.RoundEnd:
        self._unheard = says
        try:
            for phrase in self._config.notices:
                self._engine.emit(warning(phrase))
            reason = await self._steps_until_done(says)
        except asyncio.CancelledError:
            # Cancelled by the session on a person's wish; from here on nothing is awaited that could hang.
            reason = "interrupted"
        except JournalError as error:
            return self._end_unkept(error)
        except Exception as error:  # A session outlives what goes wrong in one of its turns.
            log.exception("a turn of session %s failed", self._engine.session_id)
            self._engine.publish(bug(error))
            take_back(self._engine, self._unheard)
            reason = "failed"
        return await self._end(reason)

    async def _steps_until_done(self, says: list[Say]) -> out.TurnEnd:
        settle_lost(self._engine)
        self._hear(says)
        await self._engine.sync()
        while True:
            answered = await self._step()
            if answered is None:
                return "failed"
            calls = calls_of(answered.message)
            if calls:
                await self._dispatch.run(calls)
                self._remind()
                await self._compress_if_wished()
            limit = self._limit_reached()
            # What is said when no step is left to hear it begins a turn of its own.
            if limit is None and await self._hear_more():
                continue
            if not calls and answered.stop_reason != "pause_turn":
                return "done"
            if limit is not None:
                return await self._close_at(limit)

    async def _step(self, *, tools: bool = True, after_overflow: bool = False) -> Answered | None:
        """One model call, compacting before it if the context is full. None when it failed; that has been said."""
        self._steps += 1
        if not after_overflow:
            await self._keep_up(self._upkeep.before_call())
        answered = await call_model(self._engine, self._config.model, self._request(tools), self._steps)
        failure = answered.failure
        overflown = failure is not None and failure.kind == "overflow" and not after_overflow
        if overflown and await self._keep_up(self._upkeep.compact("overflow")):
            return await self._step(tools=tools, after_overflow=True)
        if failure is not None:
            self._engine.emit(failed(failure))
            return None
        self._count(answered)
        return answered

    async def _keep_up(self, work: Coroutine[Any, Any, bool]) -> bool:
        """Let upkeep do something, count what that cost, tell the model again what it took. True if it compacted."""
        try:
            compacted = await work
        finally:
            spent = self._upkeep.take_spent()
            self._usage = self._usage + spent
            self._uncounted = self._uncounted + spent
        if compacted:
            self._upkeep.tell_again()
        return compacted

    async def _compress_if_wished(self) -> None:
        """The `compress` tool only wishes: its result had to join the conversation first."""
        if (focus := self._context.wishes.take_compress()) is not None:
            await self._keep_up(self._upkeep.compact("wanted", focus))

    def _request(self, tools: bool) -> ModelRequest:
        messages = self._engine.history.messages()
        return msgspec.structs.replace(self._upkeep.base, messages=messages, tool_choice="auto" if tools else "none")

    def _count(self, answered: Answered) -> None:
        self._stop_reason = answered.stop_reason
        self._usage = self._usage + answered.usage
        self._cost = self._config.price(self._usage)
        if self._cost is None and self._config.max_cost_usd is not None and not self._said_no_price:
            self._said_no_price = True
            self._engine.emit(warning(Phrase("notice.no_price", model=self._config.model.endpoint.origin)))
        self._tell_usage(answered.usage, answered.usage + self._uncounted)

    def _tell_usage(self, last: Usage, more: Usage) -> None:
        """`more` is what comes to the session's total."""
        self._uncounted = Usage()
        total = self._engine.history.total + more
        used = last.context or self._upkeep.used()
        self._engine.emit(
            out.UsageEvent(
                last=last,
                total=total,
                context_tokens=used,
                token_threshold=self._config.compact_at,
                ctx_percent=round(100 * used / self._config.compact_at, 1),
                cost_usd=self._config.price(total),
            )
        )

    def _spend(self, spent: Usage) -> None:
        """What a call cost beside the model's own tokens counts for the turn and its limits."""
        self._usage = self._usage + spent
        self._uncounted = self._uncounted + spent
        self._cost = self._config.price(self._usage)

    def _limit_reached(self) -> Literal["cost", "steps"] | None:
        if self._config.max_cost_usd is not None and (self._cost or 0.0) >= self._config.max_cost_usd:
            return "cost"
        return "steps" if self._steps >= self._config.max_steps else None

    async def _close_at(self, limit: Literal["cost", "steps"]) -> out.TurnEnd:
        if limit == "cost":
            cost = str(self._config.max_cost_usd)
            text = f"The cost limit of ${cost} is reached."
            self._engine.emit(out.Notice(text=text, code="cost_limit", values={"limit": cost}))
            return "limit"
        steps = str(self._config.max_steps)
        text = f"The limit of {steps} model calls is reached."
        self._engine.emit(out.Notice(text=text, code="step_limit", values={"limit": steps}))
        if self._config.closing_call and await self._step(tools=False) is None:
            return "failed"
        return "limit"

    async def _hear_more(self) -> bool:
        """What was said meanwhile, as far as hooks let it pass. False if there was nothing."""
        says = self._unheard = self._engine.take()
        try:
            screened = await screen(self._hooks, says)
        except asyncio.CancelledError:
            self._hear(says)  # No word is lost to a cancel.
            raise
        take_back(self._engine, [say for say, _ in screened.refused])
        self._unheard = screened.passed
        for _, reason in screened.refused:
            self._engine.emit(warning(Phrase("hooks.prompt_blocked", reason=reason)))
        return self._hear(screened.passed)

    def _hear(self, says: list[Say]) -> bool:
        """Put messages and results of background work into the conversation. False if there was nothing to answer."""
        keep_notes(self._engine)
        finished = self._context.background.take_finished()
        results = (BACKGROUND_RESULTS.format("\n".join(finished)),) if finished else ()
        if results and not says:
            says = [Say(text="", source="background")]
        self._note_who_speaks(says)
        for index, say in enumerate(says):
            first = results if index == 0 else ()
            own = typed(say)
            hint = self._config.hint(own) if own else ""
            notes = (*self._surroundings.notes(self._engine.now()), *first, *((hint,) if hint else ()))
            kept = self._engine.emit(user_message(say, *notes))
            self.heard.append(Heard(kept.seq or 0, own))
            self._unheard = says[index + 1 :]
        return bool(says)

    def _note_who_speaks(self, says: list[Say]) -> None:
        """A turn is a schedule's as long as nobody else has said anything in it."""
        if says and self._alone:
            self._alone = all(say.source == "schedule" for say in says)
            self._context.by_schedule = self._alone or self._config.by_schedule

    def _remind(self) -> None:
        self._context.todo.round_passed()
        if reminder := self._context.todo.reminder():
            self._engine.emit(out.UserMessage(text=reminder, source="reminder"))

    async def _end(self, reason: out.TurnEnd) -> out.RoundEnd:
        end = self._round_end(reason)
        try:
            settle_lost(self._engine)  # Some models call a tool when asked not to.
            if self._uncounted != Usage():
                self._tell_usage(Usage(), self._uncounted)
            ended = self._engine.emit(end)
            with contextlib.suppress(asyncio.CancelledError):  # It is over: there is nothing left to cancel.
                await self._engine.sync()
        except JournalError as error:
            return self._end_unkept(error)
        return ended

    def _end_unkept(self, error: JournalError) -> out.RoundEnd:
        """The conversation can't be written any more: say so, keep nothing, end the turn."""
        self._engine.publish(unkept(error))
        take_back(self._engine, self._unheard)
        end = self._round_end("failed")
        self._engine.publish(end)
        return end

    def _round_end(self, reason: out.TurnEnd) -> out.RoundEnd:
        return out.RoundEnd(
            reason=reason,
            stop_reason=self._stop_reason,
            steps=self._steps,
            duration_ms=max(0, round((self._engine.now() - self._began) * 1000)),
            usage=self._usage,
            cost_usd=self._cost,
        )


def user_message(say: Say, *context: str) -> out.UserMessage:
    """What enters the conversation for what was said; `context` is what the program adds before it."""
    return out.UserMessage(
        text=say.text,
        context=(*context, *say.context),
        images=say.images,
        source=say.source,
        client_id=say.client_id,
    )


def keep_notes(engine: Engine) -> None:
    """Put into the conversation what the model is to know, but need not answer."""
    for note in engine.take_notes():
        engine.emit(out.UserMessage(text="", context=(note.text,), source=note.source))


def settle_lost(engine: Engine) -> None:
    """Give the calls that a crash, a fork or a bug cut off their results, so that the journal is in order again."""
    for call in engine.history.open_calls():
        engine.emit(
            out.ToolEnd(id=call.id, name=call.name, duration_ms=0, output_preview=LOST, output=LOST, error=LOST)
        )


def warning(phrase: Phrase) -> out.Notice:
    return out.Notice(text=texts("en").say(phrase), code=phrase.key, values=phrase.values, level="warning")


def failed(failure: Failed) -> out.ErrorEvent:
    """What a model's failure is to a front end."""
    return out.ErrorEvent(
        message=failure.message,
        hint=failure.hint,
        retryable=failure.retryable,
        kind=failure.kind,
        detail=failure.detail,
        code=failure.code,
        values=failure.values,
    )


def cannot_run(problem: CannotRun) -> out.ErrorEvent:
    code, values = (problem.phrase.key, problem.phrase.values) if problem.phrase else ("", {})
    return out.ErrorEvent(message=str(problem), hint=problem.hint, kind="settings", code=code, values=values)


def bug(error: Exception) -> out.ErrorEvent:
    return out.ErrorEvent(message=describe_bug(error), kind="bug", detail=f"{type(error).__name__}: {error}")


def unkept(error: JournalError) -> out.ErrorEvent:
    """The conversation can't be written any more."""
    phrase = Phrase("error.unkept", what=error.phrase)
    hint = texts("en")("error.unkept.hint")
    return out.ErrorEvent(message=str(error), hint=hint, kind="storage", code=phrase.key, values=phrase.values)


def describe_bug(error: Exception) -> str:
    return f"This is a bug in HelloClaw: {type(error).__name__}: {error}"
