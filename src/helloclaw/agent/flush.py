"""Flush: before old parts of a conversation go, the model notes what is worth keeping. One silent call, no turn.

Its calls are not run as tools: `memory_add` and `memory_update_longterm` are how it says what to note, and whatever
else it calls is passed over. The tools stay in the request as they are: with others the provider's cache would be lost.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from helloclaw.agent.config import TurnConfig
from helloclaw.agent.engine import Engine
from helloclaw.agent.standing import Standing
from helloclaw.agent.summary import CHARACTERS_PER_TOKEN, as_text, with_words
from helloclaw.i18n import Phrase, SpokenError, texts
from helloclaw.i18n.system import reason_of
from helloclaw.llm.accumulate import Accumulator
from helloclaw.llm.events import Usage
from helloclaw.llm.messages import ModelRequest, ToolCall, calls_of, user_text
from helloclaw.memory.note import Source
from helloclaw.permissions.decide import decide
from helloclaw.permissions.verdict import Behaviour
from helloclaw.protocol import events as out
from helloclaw.storage.locks import Busy
from helloclaw.tools.base import Tool
from helloclaw.tools.context import ToolContext
from helloclaw.tools.memory import MemoryAdd, MemoryUpdateLongterm

if TYPE_CHECKING:
    from helloclaw.memory.store import Added, Memory

ASK_TO_NOTE = """\
Stop here for one moment: this conversation will be shortened soon, and this message and your answer to it are shown \
to nobody. Is there anything in it worth knowing later, which your notes don't hold yet: lasting facts, \
decisions, wishes of the person, people and things they named? Note each with one call of memory_add (category fact, \
decision, preference or entity), and what should always be known with memory_update_longterm. Never note passwords or \
keys, nor what only matters to the task at hand. If there is nothing, answer [SILENT]. Go on with nothing else."""

NOTING = ("memory_add", "memory_update_longterm")
MOST_NOTES = 40


class Flush:
    """`spent` is what the call cost, in tokens."""

    def __init__(
        self, engine: Engine, config: TurnConfig, standing: Standing, context: ToolContext, base: ModelRequest
    ) -> None:
        self._engine = engine
        self._config = config
        self._standing = standing
        self._context = context
        self._base = base
        self.spent = Usage()

    async def run(self, *, fits: bool) -> bool:
        """Make notes and tell of them; False if that failed, which a notice says. `fits`: the whole conversation does.

        Without a memory, or where the model has no way to note anything, there is nothing to do.
        """
        notebook = self._context.notebook
        tools = {name: tool for name in NOTING if (tool := self._config.toolbox.find(name)) is not None}
        if notebook is None or not tools:
            return True
        self._engine.emit(out.Phase(state="noting"))
        answer = Accumulator()
        try:
            async with contextlib.aclosing(self._config.model.stream(self._request(fits, tools))) as events:
                async for event in events:
                    answer.add(event)
        finally:
            self.spent = answer.usage
        if answer.failure is not None:
            return self._failed(answer.failure.message)
        calls = [call for call in calls_of(answer.message()) if isinstance(call, ToolCall)]
        try:
            added = await asyncio.to_thread(lambda: tuple(self._note(notebook.memory, calls, tools)))
        except (SpokenError, Busy, OSError) as error:
            return self._failed(reason_of(error) if isinstance(error, OSError) else str(error))
        self._standing.untold(each.told for each in added)  # it knows what it just wrote
        self._engine.emit(out.MemorySaved(notes=tuple(each.text for each in added), flush=True))
        return True

    def _request(self, fits: bool, tools: dict[str, Tool]) -> ModelRequest:
        """At the end of the cached conversation if it fits; else of what of it does, with only the tools for notes."""
        messages = self._engine.history.messages()
        if fits:
            return msgspec.structs.replace(self._base, messages=with_words(messages, ASK_TO_NOTE))
        text = as_text(messages, self._config.compact_at // 2 * CHARACTERS_PER_TOKEN)
        return msgspec.structs.replace(
            self._base,
            messages=(user_text(f"{text}\n\n{ASK_TO_NOTE}"),),
            tools=tuple(tool.spec for tool in tools.values()),
            thinking_budget=0,
        )

    def _note(self, memory: Memory, calls: Sequence[ToolCall], tools: dict[str, Tool]) -> Iterator[Added]:
        """Write down what the calls say, as far as rules let them; what of it is new."""
        entries = self._engine.history.entries
        source = Source(session=self._engine.session_id, seq=entries[-1][0] if entries else 0, by="flush")
        for call in calls[:MOST_NOTES]:
            if (tool := tools.get(call.name)) is not None and (parsed := self._permitted(tool, call)) is not None:
                yield from (added for added in _added(memory, parsed, source) if added.is_new)

    def _permitted(self, tool: Tool, call: ToolCall) -> Any:
        """The call's arguments; None if they make no sense, or rules refuse it. Nobody is asked."""
        try:
            parsed = tool.parse(call.input)
        except msgspec.ValidationError:
            return None
        rules = self._standing.with_granted(self._config.rules)
        verdict = decide(tool.call(call.input, parsed), self._standing.mode, rules, self._config.scope())
        return parsed if verdict.behaviour is Behaviour.ALLOW else None

    def _failed(self, why: Phrase | str) -> bool:
        phrase = Phrase("notice.flush_failed", why=why)
        text = texts("en").say(phrase)
        self._engine.emit(out.Notice(text=text, code=phrase.key, values=phrase.values, level="warning"))
        return False


def _added(memory: Memory, parsed: Any, source: Source) -> tuple[Added, ...]:
    match parsed:
        case MemoryAdd(content=content, category=category):
            return (memory.add(content, category, source),)
        case MemoryUpdateLongterm(content=content):
            return memory.update_longterm(content, source)
        case _:
            return ()
