"""The seam for whoever wants a say around tool calls, messages and rounds. The loop knows only these protocols."""

from __future__ import annotations

from typing import Any, Protocol

from msgspec import Struct

from helloclaw.llm.messages import ToolCall
from helloclaw.tools.base import ToolOutput


class HookVerdict(Struct, frozen=True, kw_only=True):
    """What hooks say before a call: `blocked` with a reason, or the input as they left it (None: unchanged).

    `ask` is why a person is to be asked, whatever the rules say. `context` is appended to the result.
    """

    blocked: str | None = None
    ask: str | None = None
    updated_input: dict[str, Any] | None = None
    context: str = ""


class ToolHooks(Protocol):
    async def before_tool(self, call: ToolCall) -> HookVerdict: ...

    async def after_tool(self, call: ToolCall, output: ToolOutput) -> str:
        """What to append to the result; empty for nothing."""
        ...


class SessionHooks(ToolHooks, Protocol):
    """Beside tool calls, what is said and when a round is over."""

    async def before_prompt(self, text: str) -> HookVerdict:
        """Before a message reaches the model. `context` is added to it; a blocked one is not kept."""
        ...

    async def before_compact(self, trigger: str) -> None:
        """Before the conversation is shortened; `trigger` is `auto` or `manual`."""
        ...

    async def round_end(self, stop_reason: str, last_text: str) -> None:
        """After the model has answered in text and a turn is over."""
        ...


class NoHooks:
    """No hooks are configured."""

    async def before_tool(self, call: ToolCall) -> HookVerdict:
        del call
        return HookVerdict()

    async def after_tool(self, call: ToolCall, output: ToolOutput) -> str:
        del call, output
        return ""

    async def before_prompt(self, text: str) -> HookVerdict:
        del text
        return HookVerdict()

    async def before_compact(self, trigger: str) -> None:
        del trigger

    async def round_end(self, stop_reason: str, last_text: str) -> None:
        del stop_reason, last_text
