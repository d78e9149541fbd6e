"""`run_subagent`: hand a piece of work to an agent with a context of its own, and get its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal, Protocol

from msgspec import Meta, Struct

from helloclaw.llm.events import Usage
from helloclaw.tools.base import Tool, ToolError, ToolOutput
from helloclaw.tools.context import ToolContext

AgentType = Literal["general-purpose", "Explore"]


class Answer(Struct, frozen=True, kw_only=True):
    """What a subagent said at the end, in which session it worked, and what that cost, in tokens."""

    text: str
    session_id: str
    usage: Usage


class Subagents(Protocol):
    async def run(self, prompt: str, kind: AgentType, report: Callable[[str], None], *, by_schedule: bool) -> Answer:
        """Run one to its end; cancelled, it ends too. `report` is told what it does. Raises `ToolError`."""
        ...


class RunSubagent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    prompt: Annotated[str, Meta(min_length=1)]
    agent_type: AgentType = "general-purpose"


async def _run(call: RunSubagent, context: ToolContext) -> ToolOutput:
    if context.subagents is None:
        raise ToolError("There can be no subagents here")
    answer = await context.subagents.run(call.prompt, call.agent_type, context.report, by_schedule=context.by_schedule)
    context.spend(answer.usage)
    return ToolOutput(text=f"{answer.text}\n\n(subagent session {answer.session_id})")


run_subagent = Tool("run_subagent", RunSubagent, _run, parallel_safe=True)
