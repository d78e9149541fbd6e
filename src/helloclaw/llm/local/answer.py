"""One steered answer of a small model: call or text, by its odds and the turn so far; a call that can be run.

How would it begin? → call or answer → generate within a grammar → take the call, or another one in its place.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from msgspec.structs import replace

from helloclaw.llm.events import (
    Failed,
    Finish,
    StreamEvent,
    TextDelta,
    TextEnd,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Usage,
)
from helloclaw.llm.local.client import LlamaClient
from helloclaw.llm.local.conversation import Turn
from helloclaw.llm.local.grammar import LATIN_TEXT, TEXT, call_grammar
from helloclaw.llm.local.policy import Choice, better_tools, chosen, instead_of, look_first, repeated, settled
from helloclaw.llm.local.prompt import speaks_only_latin
from helloclaw.llm.local.reply import (
    CUT_OFF,
    LOOP_TOKENS,
    LOOPED,
    Said,
    arguments_text,
    odds_of_call,
    read_call,
    repeats_itself,
)
from helloclaw.llm.messages import AnyCall, ModelRequest, ToolSpec

LIVELY_TEMPERATURE = 0.8
LIVELY_PENALTY = 0.5
"""Of tokens by how often they were said: it breaks circles, and code too, so it is kept for them."""


class SteeredAnswer:
    """One steered answer: to the last of `turns`, by a call of one of `tools` or in text.

    `asked` holds the conversation as text.
    """

    def __init__(
        self, client: LlamaClient, asked: ModelRequest, turns: Sequence[Turn], tools: Sequence[ToolSpec]
    ) -> None:
        self._client = client
        self._asked = replace(asked, frequency_penalty=None, presence_penalty=None)  # JSON repeats itself
        self._turns = turns
        self._tools = tools
        self._usage: Usage | None = None

    async def events(self) -> AsyncGenerator[StreamEvent]:
        choice = await self._first_choice()
        if isinstance(choice, Choice) and not choice.answer:
            choice = await self._call(choice)
        match choice:
            case Failed():
                yield choice
            case Choice():
                async with aclosing(self._text()) as events:
                    async for event in events:
                        yield event
            case _:
                for event in self._events_of(choice):
                    yield event

    async def _first_choice(self) -> Choice | Failed:
        turn = self._turns[-1]
        if (choice := settled(turn, self._tools)) is not None:
            return choice
        first = await self._client.first_token(self._asked)
        if isinstance(first, Failed):
            return first
        self._count(first.usage)
        return chosen(turn, self._tools, odds_of_call(first.odds))

    async def _call(self, choice: Choice) -> AnyCall | Choice | Failed:
        """A call; or the choice to answer, where the model has nothing new to call."""
        turn = self._turns[-1]
        said = await self._generate_call(choice)
        if isinstance(said, Failed):
            return said
        call = look_first(said, self._turns, self._tools)
        if repeated(call, turn):
            instead = instead_of(call, turn, choice.tools)
        elif (instead := better_tools(call, turn, choice.tools)) is None:
            return call
        return instead if instead.answer else await self._generate_call(instead)

    async def _text(self) -> AsyncGenerator[StreamEvent]:
        pieces: list[str] = []
        async with aclosing(self._client.stream(self._asked, self._text_grammar())) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        pieces.append(text)
                        yield event
                        if repeats_itself("".join(pieces[-LOOP_TOKENS:])):
                            break
                    case Usage():
                        self._count(event)
                        yield self._total()
                    case _:
                        yield event
            else:
                return
        self._count(Usage(output=len(pieces)))
        for event in (TextEnd(), self._total(), Finish("end_turn")):
            yield event

    async def _generate_call(self, choice: Choice) -> AnyCall | Failed:
        """A call; where the model goes round in circles, once more with a livelier hand."""
        call_id = f"call_{secrets.token_hex(6)}"
        grammar = call_grammar(choice.tools, latin=speaks_only_latin(self._turns))
        said = await self._say_call(self._asked, grammar)
        if isinstance(said, Said) and said.trouble == LOOPED:
            lively = replace(self._asked, temperature=LIVELY_TEMPERATURE, frequency_penalty=LIVELY_PENALTY)
            said = await self._say_call(lively, grammar)
        return said if isinstance(said, Failed) else read_call(said, call_id)

    async def _say_call(self, asked: ModelRequest, grammar: str) -> Said | Failed:
        pieces: list[str] = []
        trouble = ""
        async with aclosing(self._client.stream(asked, grammar)) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        pieces.append(text)
                        if repeats_itself("".join(pieces[-LOOP_TOKENS:])):
                            self._count(Usage(output=len(pieces)))
                            return Said(text="".join(pieces), trouble=LOOPED)
                    case Usage():
                        self._count(event)
                    case Finish(reason):
                        trouble = CUT_OFF if reason == "max_tokens" else ""
                    case Failed():
                        return event
                    case _:
                        pass
        return Said(text="".join(pieces), trouble=trouble)

    def _text_grammar(self) -> str:
        """After calls the model may slip into Chinese. What it knows without any it says as it likes."""
        return LATIN_TEXT if self._turns[-1].steps and speaks_only_latin(self._turns) else TEXT

    def _events_of(self, call: AnyCall) -> list[StreamEvent]:
        return [
            ToolCallStart(call.id, call.name),
            ToolCallDelta(call.id, arguments_text(call)),
            ToolCallEnd(call),
            self._total(),
            Finish("tool_use"),
        ]

    def _count(self, usage: Usage) -> None:
        """What has been read counts as the first request found it: the following ones find it in the cache."""
        before = self._usage
        self._usage = usage if before is None else replace(before, output=before.output + usage.output)

    def _total(self) -> Usage:
        return self._usage or Usage()
