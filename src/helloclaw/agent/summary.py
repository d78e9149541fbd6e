"""Ask the model for a summary of a conversation, so that the work can go on without it."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import msgspec

from helloclaw.agent.engine import Engine
from helloclaw.agent.model_step import retry_event
from helloclaw.llm.accumulate import Accumulator
from helloclaw.llm.events import Failed, FailureKind, Retrying, Usage
from helloclaw.llm.messages import (
    MalformedCall,
    Message,
    ModelRequest,
    TextBlock,
    ToolCall,
    ToolResult,
    text_of,
    user_text,
)
from helloclaw.llm.model import ChatModel

RESULT_CHARACTERS = 2_000
CHARACTERS_PER_TOKEN = 3

ASK_FOR_SUMMARY = """\
Stop here: go on with nothing, call no tool. Summarise this conversation so that the work can go on without it. Write \
under these heads, leaving out what is empty: Task; Decisions; State of the work; Open ends; The person's wishes. Keep \
exact names, paths, numbers and commands. Write nothing else."""

# With these a second way of asking would fail the same way.
_HOPELESS: frozenset[FailureKind] = frozenset(
    ("connect", "tls", "timeout", "rate_limit", "overloaded", "server", "interrupted", "auth", "quota", "not_found")
)


class Summariser:
    """`spent` is what the answers cost, in tokens; `failure` why there is none."""

    def __init__(self, engine: Engine, model: ChatModel, base: ModelRequest) -> None:
        self._engine = engine
        self._model = model
        self._base = base
        self.spent = Usage()
        self.failure: Failed | None = None

    async def summarise(self, old: Sequence[Message], room: int, focus: str, *, fits: bool) -> str:
        """A summary of at least `old`, whose text may take `room` tokens of the request; empty if there is none.

        While the whole conversation `fits` the window, it is asked for at its end: the provider has that prefix cached.
        The second way is a request of its own.
        """
        ask = f"{ASK_FOR_SUMMARY} Pay special attention to: {focus}" if focus else ASK_FOR_SUMMARY
        ways = [_by_itself(self._base, old, room, ask)]
        # A small model that is steered towards its tools does not take that for the end of the work.
        if fits and not self._model.endpoint.profile.lean_prompt:
            ways.insert(0, _at_the_end(self._base, self._engine.history.messages(), ask))
        else:
            ways *= 2
        for request in ways:
            answer = await self._ask(request)
            self.failure = answer.failure
            if answer.failure is not None:
                if answer.failure.kind in _HOPELESS:
                    return ""
            elif summary := text_of(answer.message()).strip():
                return summary
        return ""

    async def _ask(self, request: ModelRequest) -> Accumulator:
        answer = Accumulator()
        try:
            async with contextlib.aclosing(self._model.stream(request)) as events:
                async for event in events:
                    answer.add(event)
                    if isinstance(event, Retrying):
                        self._engine.emit(retry_event(event))
        finally:
            self.spent = self.spent + answer.usage
        return answer


def _at_the_end(base: ModelRequest, messages: Sequence[Message], ask: str) -> ModelRequest:
    return msgspec.structs.replace(base, messages=with_words(messages, ask))


def with_words(messages: Sequence[Message], words: str) -> tuple[Message, ...]:
    """The conversation with something more said in the user's role, as all APIs want it: no two such in a row."""
    if messages and messages[-1].role == "user":
        last = msgspec.structs.replace(messages[-1], content=(*messages[-1].content, TextBlock(text=words)))
        return (*messages[:-1], last)
    return (*messages, user_text(words))


def _by_itself(base: ModelRequest, old: Sequence[Message], room: int, ask: str) -> ModelRequest:
    text = as_text(old, room * CHARACTERS_PER_TOKEN)
    return msgspec.structs.replace(base, messages=(user_text(f"{text}\n\n{ask}"),), tools=(), thinking_budget=0)


def as_text(messages: Sequence[Message], room_characters: int) -> str:
    """A conversation as plain text, long results shortened.

    The middle goes first if it is too long: the task stands at the start, the state at the end.
    """
    text = "\n".join(_lines(messages))
    if len(text) <= room_characters:
        return text
    half = room_characters // 2
    return f"{text[:half]}\n…\n{text[-half:]}"


def _lines(messages: Sequence[Message]) -> list[str]:
    lines: list[str] = []
    for message in messages:
        for block in message.content:
            match block:
                case TextBlock(text=text):
                    lines.append(f"[{message.role}] {text}")
                case ToolCall(name=name, input=arguments):
                    lines.append(f"[call] {name} {msgspec.json.encode(arguments).decode()[:RESULT_CHARACTERS]}")
                case MalformedCall(name=name, raw=raw):
                    lines.append(f"[call] {name} {raw[:RESULT_CHARACTERS]}")
                case ToolResult(text=text):
                    lines.append(f"[result] {text[:RESULT_CHARACTERS]}")
                case _:
                    pass
    return lines
