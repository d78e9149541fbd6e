"""What the tests of the embedded model share: endpoints, and the events of an answer."""

from __future__ import annotations

from pathlib import Path

from helloclaw.llm.accumulate import Accumulator
from helloclaw.llm.events import ModelEvent
from helloclaw.llm.local import LocalModel
from helloclaw.llm.messages import Message, ModelRequest, ToolCall, ToolResult, ToolSpec, user_text
from helloclaw.llm.providers import resolve
from helloclaw.tools.registry import lean_tools

TOOLS: tuple[ToolSpec, ...] = tuple(tool.spec for tool in lean_tools())


def open_local(name: str, home: Path) -> LocalModel:
    endpoint = resolve(name, base_url=None, api_key=None, environ={})
    return LocalModel(endpoint, home / "models", environ={})


async def ask(model: LocalModel, request: ModelRequest) -> tuple[list[ModelEvent], Message]:
    folded = Accumulator()
    events: list[ModelEvent] = []
    async for event in model.stream(request):
        events.append(event)
        folded.add(event)
    return events, folded.message()


def after_a_failure() -> tuple[Message, ...]:
    """A history after which the model has to make another call."""
    call = ToolCall(id="c1", name="bash", input={"command": "python3 x.py"})
    return (
        user_text("Run it."),
        Message(role="assistant", content=(call,)),
        Message(role="user", content=(ToolResult(tool_use_id="c1", text="no such file", is_error=True),)),
    )
