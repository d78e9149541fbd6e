"""HelloClaw's names for what happens in a turn and what was said in a session, translated from our own contract."""

from __future__ import annotations

from enum import Enum
from typing import Any

from msgspec import Struct

from helloclaw.llm.messages import Message, TextBlock, ToolCall, ToolResult, text_of
from helloclaw.protocol import events as out


class StreamEventType(Enum):
    """HelloClaw's names for what happens in a turn."""

    AGENT_START = "agent_start"
    STEP_START = "step_start"
    LLM_CHUNK = "llm_chunk"
    TOOL_CALL_START = "tool_call_start"
    TOOL_CALL_FINISH = "tool_call_finish"
    STEP_FINISH = "step_finish"
    AGENT_FINISH = "agent_finish"
    ERROR = "error"


class StreamEvent(Struct, frozen=True):
    """`data` holds: `session_id`; `step`; `chunk`; `tool_name`, `tool_call_id`, `args`; `result`, `error`; `text`."""

    type: StreamEventType
    data: dict[str, Any]


class Translator:
    """Makes HelloClaw's events from ours, for one turn."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._step = 0
        self._text = ""
        self._tools: dict[str, out.ToolUse] = {}

    def __call__(self, event: out.Event) -> list[StreamEvent]:
        kind = StreamEventType
        match event:
            case out.LlmStart(step=step):
                before = [StreamEvent(kind.STEP_FINISH, {"step": self._step})] if self._step else []
                self._step = step
                return [*before, StreamEvent(kind.STEP_START, {"step": step})]
            case out.AssistantDelta(text=text):
                return [StreamEvent(kind.LLM_CHUNK, {"chunk": text})]
            case out.AssistantEnd(text=text):
                self._text = text or self._text
            case out.ToolUse():
                self._tools[event.id] = event
                data = {"tool_name": event.name, "tool_call_id": event.id, "args": event.input}
                return [StreamEvent(kind.TOOL_CALL_START, data)]
            case out.ToolEnd():
                data = {"tool_name": event.name, "tool_call_id": event.id, "result": event.output, "error": event.error}
                return [StreamEvent(kind.TOOL_CALL_FINISH, data)]
            case out.ToolDenied():
                data = {
                    "tool_name": event.name,
                    "tool_call_id": event.id,
                    "result": event.output,
                    "error": event.reason,
                }
                return [StreamEvent(kind.TOOL_CALL_FINISH, data)]
            case out.ErrorEvent():
                data = {"message": event.message, "hint": event.hint, "retryable": event.retryable}
                return [StreamEvent(kind.ERROR, data)]
            case out.RoundEnd():
                data = {"session_id": self._session_id, "text": self._text, "reason": event.reason}
                return [
                    StreamEvent(kind.STEP_FINISH, {"step": self._step}),
                    StreamEvent(kind.AGENT_FINISH, data),
                ]
            case _:
                pass
        return []


def history_entries(message: Message) -> list[dict[str, Any]]:
    """One message of ours as HelloClaw's role/content entries."""
    if message.role == "assistant":
        calls = [
            {"id": block.id, "name": block.name, "arguments": block.input}
            for block in message.content
            if isinstance(block, ToolCall)
        ]
        return [{"role": "assistant", "content": text_of(message), "metadata": {"tool_calls": calls}}]
    entries: list[dict[str, Any]] = []
    for block in message.content:
        match block:
            case ToolResult():
                metadata = {"tool_call_id": block.tool_use_id, "is_error": block.is_error}
                entries.append({"role": "tool", "content": block.text, "metadata": metadata})
            case TextBlock(text=text) if not text.startswith("<environment>"):
                entries.append({"role": "user", "content": text, "metadata": {}})
            case _:
                pass
    return entries
