"""Conversations of older programs become sessions, whatever exactly their files look like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.agent.catalog import list_sessions, read_events
from helloclaw.agent.history import History
from helloclaw.agent.imported import CannotImport, Conversation, import_session, read_conversation
from helloclaw.agent.repair import in_order
from helloclaw.llm.messages import Message, TextBlock, ToolCall, ToolResult
from helloclaw.protocol.events import AssistantEnd, RoundEnd, UserMessage
from helloclaw.storage.paths import Home

ANTHROPIC = [
    {"role": "user", "content": "列出文件"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "我看看。"},
            {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a.txt"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "有 a.txt。"}]},
]
OPENAI = [
    {"role": "system", "content": "You are…"},
    {"role": "user", "content": "列出文件"},
    {
        "role": "assistant",
        "content": "我看看。",
        "tool_calls": [
            {"id": "t1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "t1", "content": "a.txt"},
    {"role": "assistant", "content": "有 a.txt。"},
]
RECORDED = [
    {"role": "user", "content": "列出文件", "timestamp": "2025-01-01T00:00:00"},
    {
        "role": "assistant",
        "content": "我看看。",
        "metadata": {"tool_calls": [{"id": "t1", "name": "bash", "args": {"command": "ls"}, "result": "a.txt"}]},
    },
    {"role": "assistant", "content": "有 a.txt。"},
]
SEEN = (
    Message(role="user", content=(TextBlock(text="列出文件"),)),
    Message(
        role="assistant",
        content=(TextBlock(text="我看看。"), ToolCall(id="t1", name="bash", input={"command": "ls"})),
    ),
    Message(role="user", content=(ToolResult(tool_use_id="t1", text="a.txt"),)),
    Message(role="assistant", content=(TextBlock(text="有 a.txt。"),)),
)


def read(value: Any) -> Conversation:
    return read_conversation(json.dumps(value, ensure_ascii=False).encode(), "old.json")


def seen(conversation: Conversation) -> tuple[Message, ...]:
    """What a model sees of it."""
    numbered = [msgspec.structs.replace(event, seq=index) for index, event in enumerate(conversation.events, 1)]
    return History(numbered).messages()


@pytest.mark.parametrize(
    "value",
    [
        ANTHROPIC,
        OPENAI,
        RECORDED,
        {"id": "x", "messages": ANTHROPIC},
        {"session_id": "x", "history": OPENAI},
        {"data": {"messages": OPENAI}},
    ],
)
def test_every_known_form_says_the_same(value: Any) -> None:
    assert seen(read(value)) == SEEN


def test_what_stands_beside_the_messages() -> None:
    conversation = read({"title": " 旧 \n会话 ", "cwd": "/srv", "model": "glm-5", "messages": OPENAI})
    assert (conversation.title, conversation.workdir, conversation.model) == ("旧 会话", "/srv", "glm-5")
    assert {event.model for event in conversation.events if isinstance(event, AssistantEnd)} == {"glm-5"}


def test_turns_end_and_calls_without_results_are_answered() -> None:
    call = {"id": "t1", "function": {"name": "bash", "arguments": "no json"}}
    conversation = read(
        [
            {"role": "user", "content": "one"},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "user", "content": "two"},
            {"role": "assistant", "content": "done"},
        ]
    )
    assert [type(event) for event in conversation.events].count(RoundEnd) == 2
    messages = seen(conversation)
    assert messages[1].content == (ToolCall(id="t1", name="bash", input={"arguments": "no json"}),)
    assert in_order(messages)


def test_what_is_not_understood_is_counted() -> None:
    conversation = read([{"role": "user", "content": "hi"}, 7, {"role": "narrator", "content": "x"}, {"role": "user"}])
    assert (conversation.messages, conversation.skipped) == (1, 3)


@pytest.mark.parametrize("value", [[], {}, 7, "text", {"messages": 1}, [1, 2], [{"role": "system", "content": "x"}]])
def test_what_holds_no_conversation_is_refused(value: Any) -> None:
    with pytest.raises(CannotImport, match=r"old\.json"):
        read(value)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "id", "name", "input", "content", "function"]), inner)
    ),
    max_leaves=8,
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool"]), "content": VALUES},
        optional={"tool_calls": VALUES, "tool_call_id": VALUES, "metadata": VALUES},
    ),
    max_size=6,
)


@given(MESSAGES)
def test_any_messages_become_a_history_in_order_or_are_refused(messages: list[Any]) -> None:
    try:
        conversation = read(messages)
    except CannotImport:
        return
    assert in_order(seen(conversation))


def test_the_session_is_there_with_its_directory(tmp_path: Path) -> None:
    home, there = Home(tmp_path / "home"), tmp_path / "project"
    there.mkdir()
    (tmp_path / "old.json").write_text(json.dumps({"title": "旧", "workdir": str(there), "messages": ANTHROPIC}))
    imported = import_session(home, tmp_path / "old.json", tmp_path)
    (info,) = list_sessions(home)
    assert (info.id, info.title, info.workdir, info.turns) == (imported.id, "旧", str(there), 1)
    kept = read_events(home.sessions / f"{imported.id}.jsonl")
    assert [event.seq for event in kept] == list(range(1, len(kept) + 1))
    assert [event.text for event in kept if isinstance(event, UserMessage)] == ["列出文件"]


def test_a_directory_that_is_gone_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text(json.dumps({"workdir": "/no/such", "messages": ANTHROPIC}))
    imported = import_session(Home(tmp_path / "home"), tmp_path / "old.json", tmp_path)
    assert (imported.workdir, imported.title) == (str(tmp_path), "列出文件")
