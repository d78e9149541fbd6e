"""The seam for whoever wants a say around tool calls. The loop knows only this protocol."""

from __future__ import annotations

from typing import Any, Protocol

from msgspec import Struct

from helloclaw.llm.messages import ToolCall
from helloclaw.tools.base import ToolOutput


class HookVerdict(Struct, frozen=True, kw_only=True):
    """What hooks say before a call: `blocked` with a reason, or the input as they left it (None: unchanged).

    `context` is appended to the result.
    """

    blocked: str | None = None
    updated_input: dict[str, Any] | None = None
    context: str = ""


class ToolHooks(Protocol):
    async def before_tool(self, call: ToolCall) -> HookVerdict: ...

    async def after_tool(self, call: ToolCall, output: ToolOutput) -> str:
        """What to append to the result; empty for nothing."""
        ...


class NoHooks:
    """No hooks are configured."""

    async def before_tool(self, call: ToolCall) -> HookVerdict:
        del call
        return HookVerdict()

    async def after_tool(self, call: ToolCall, output: ToolOutput) -> str:
        del call, output
        return ""
