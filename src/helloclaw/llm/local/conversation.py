"""A history as a small model sees it: turns, each a request, steps of one call and its result, and an answer. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import assert_never

from msgspec import Struct

from helloclaw.llm.messages import (
    AnyCall,
    ImageBlock,
    MalformedCall,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResult,
    text_of,
)

NO_RESULT = "(no result)"
NO_IMAGE = "(an image, which this model can't see)"

_REFUSALS = ("Permission denied", "No answer within", "Blocked by hook", "Cancelled by user")

_ENVIRONMENT = re.compile(r"<environment>\n(?P<facts>.*?)\n</environment>\s*", re.DOTALL)
_SAID_ANYWAY = ("Date:", "Working directory:")


class Step(Struct, frozen=True, kw_only=True):
    """A call and what came of it. `refused`: it was not run, for a person or a rule did not let it."""

    call: AnyCall
    result: str = NO_RESULT
    failed: bool = False
    refused: bool = False


class Turn(Struct, frozen=True, kw_only=True):
    """What the person wanted, what was done for it, and what the model said at the end ("" as long as it has not)."""

    request: str
    steps: tuple[Step, ...] = ()
    answer: str = ""


def turns_of(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """Fold a history into turns. Text that comes with results, such as a second wish, begins a turn of its own."""
    reader = _Reader()
    for message in messages:
        if message.role == "assistant":
            reader.assistant(message)
        else:
            reader.user(message)
    return reader.turns()


class _Reader:
    def __init__(self) -> None:
        self._turns: list[Turn] = []
        self._request = ""
        self._steps: dict[str, Step] = {}

    def assistant(self, message: Message) -> None:
        calls = [block for block in message.content if isinstance(block, ToolCall | MalformedCall)]
        self._steps |= {call.id: Step(call=call) for call in calls}
        if not calls and (answer := text_of(message)):
            self._close(answer)

    def user(self, message: Message) -> None:
        said: list[str] = []
        for block in message.content:
            match block:
                case ToolResult():
                    self._settle(block)
                case TextBlock(text=text):
                    said.append(_without_environment(text))
                case ImageBlock():
                    said.append(NO_IMAGE)
                case ThinkingBlock() | ToolCall() | MalformedCall():
                    pass  # not a user's
                case _:
                    assert_never(block)
        if request := "\n\n".join(part for part in said if part):
            if self._request or self._steps:
                self._close("")
            self._request = request

    def turns(self) -> tuple[Turn, ...]:
        if self._request or self._steps:
            self._close("")
        return tuple(self._turns)

    def _settle(self, result: ToolResult) -> None:
        if step := self._steps.get(result.tool_use_id):
            images = (NO_IMAGE,) * len(result.images)
            text = "\n".join(part for part in (result.text.strip("\n"), *images) if part) or NO_RESULT
            refused = result.is_error and text.startswith(_REFUSALS)
            failed = result.is_error and not refused
            self._steps[result.tool_use_id] = Step(call=step.call, result=text, failed=failed, refused=refused)

    def _close(self, answer: str) -> None:
        self._turns.append(Turn(request=self._request, steps=tuple(self._steps.values()), answer=answer))
        self._request = ""
        self._steps = {}


def _without_environment(text: str) -> str:
    """Date and directory mislead more than they help: the directory is where tools work, `date` tells the date."""

    def kept(found: re.Match[str]) -> str:
        facts = [line for line in found["facts"].splitlines() if not line.startswith(_SAID_ANYWAY)]
        return "\n".join([*facts, ""]) if facts else ""

    return _ENVIRONMENT.sub(kept, text).strip()
