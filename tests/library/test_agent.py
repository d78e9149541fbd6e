"""`HelloClawAgent` as an embedding program uses it: with and without a running loop, from threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from helloclaw import HelloClawAgent, StreamEventType
from helloclaw.agent.catalog import SessionNotFound
from helloclaw.library import AgentError
from helloclaw.protocol.events import PermissionAsk
from tests.support.model_server import Call, Gate, ModelServer, Turn, json_answer


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def agent(server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HelloClawAgent]:
    monkeypatch.setenv("HELLOCLAW_HOME", str(tmp_path / "home"))
    workspace = tmp_path / "space"
    with HelloClawAgent(workspace, "小爪", "scripted", "key", f"{server.base_url}/v1") as agent:
        yield agent


def test_chat_goes_on_in_one_session(agent: HelloClawAgent, server: ModelServer) -> None:
    server.script(Turn(text="Hello!"), Turn(text="You said: hi"))

    assert agent.chat("hi") == "Hello!"
    assert agent.chat("what did I say?") == "You said: hi"

    second = server.posts[1].json
    assert "hi" in str(second["messages"])
    assert "小爪" in str(second["messages"][0])
    assert (second["frequency_penalty"], second["presence_penalty"]) == (0.5, 0.3)


def test_sessions_are_kept_apart_listed_cleared_and_deleted(agent: HelloClawAgent, server: ModelServer) -> None:
    first, second = agent.create_session(), agent.create_session()
    server.script(Turn(text="one"), Turn(text="two"))
    agent.chat("A", first)
    agent.chat("B", second)
    assert "A" not in str(server.posts[1].json["messages"][1:])
    assert {info.id for info in agent.list_sessions()} == {first, second}
    assert agent.list_sessions()[0].id == second
    assert [(entry["role"], entry["content"]) for entry in agent.get_session_history(first)] == [
        ("user", "A"),
        ("assistant", "one"),
    ]

    agent.clear_session(first)
    server.script(Turn(text="who?"))
    agent.chat("again", first)
    assert "A" not in [entry["content"] for entry in agent.get_session_history(first)]

    agent.delete_session(second)
    with pytest.raises(SessionNotFound):
        agent.get_session_history(second)


def test_own_tools_run_without_a_question(agent: HelloClawAgent, server: ModelServer) -> None:
    @agent.tool
    def weather(city: str, days: int = 1) -> str:
        """The weather in a city."""
        return f"{city}: sun for {days} d"

    @agent.tool(name="double", read_only=True)
    async def twice(number: int) -> int:
        """Twice a number."""
        return number * 2

    calls = (Call(name="weather", input={"city": "杭州"}), Call(name="double", input={"number": 21}))
    server.script(Turn(calls=calls), Turn(text="Sunny, 42."))

    assert agent.chat("weather?") == "Sunny, 42."

    sent = server.posts[0].json["tools"]
    (schema,) = [each["function"]["parameters"] for each in sent if each["function"]["name"] == "weather"]
    assert schema["required"] == ["city"]
    history = agent.get_session_history(agent.list_sessions()[0].id)
    assert [entry["content"] for entry in history if entry["role"] == "tool"] == ["杭州: sun for 1 d", "42"]
    (calling,) = [entry for entry in history if entry["metadata"].get("tool_calls")]
    assert [call["name"] for call in calling["metadata"]["tool_calls"]] == ["weather", "double"]


async def test_achat_streams_helloclaws_events(agent: HelloClawAgent, server: ModelServer) -> None:
    (agent_dir := Path(agent.workspace)).mkdir(exist_ok=True)
    (agent_dir / "a").write_text("A")
    server.script(Turn(calls=(Call(name="read_file", input={"path": "a"}),)), Turn(text="It is A.", chunk=8))

    events = [event async for event in agent.achat("read a")]

    kinds = [event.type for event in events]
    assert [kind for kind in kinds if kind is not StreamEventType.LLM_CHUNK] == [
        StreamEventType.AGENT_START,
        StreamEventType.STEP_START,
        StreamEventType.TOOL_CALL_START,
        StreamEventType.TOOL_CALL_FINISH,
        StreamEventType.STEP_FINISH,
        StreamEventType.STEP_START,
        StreamEventType.STEP_FINISH,
        StreamEventType.AGENT_FINISH,
    ]
    chunks = [event.data["chunk"] for event in events if event.type is StreamEventType.LLM_CHUNK]
    assert "".join(chunks) == "It is A."
    assert events[2].data["tool_name"] == "read_file"


async def test_chat_works_inside_a_running_loop(agent: HelloClawAgent, server: ModelServer) -> None:
    server.script(Turn(text="here"))
    assert await asyncio.to_thread(agent.chat, "hi") == "here"


async def test_leaving_achat_early_cancels_the_turn(agent: HelloClawAgent, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="a long answer that nobody waits for", gate=gate, chunk=1))
    stream = agent.achat("tell me")
    async for event in stream:
        if event.type is StreamEventType.LLM_CHUNK:
            break
    await stream.aclose()
    assert await asyncio.to_thread(server.posts[0].disconnected.wait, 5)


def test_threads_may_share_an_agent(agent: HelloClawAgent, server: ModelServer) -> None:
    server.always(lambda request: Turn(text=str(request.json["messages"][-1]["content"])[-3:]))
    sessions = [agent.create_session() for _ in range(6)]
    answers: dict[str, str] = {}

    def talk(session_id: str, text: str) -> None:
        answers[session_id] = agent.chat(text, session_id)

    threads = [threading.Thread(target=talk, args=(each, f"no {i}")) for i, each in enumerate(sessions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(answers) == 6
    assert all(str(i) in answers[each] for i, each in enumerate(sessions))


def test_a_question_goes_to_the_embedding_program(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELLOCLAW_HOME", str(tmp_path / "home"))
    asked: list[str] = []

    def ask(question: PermissionAsk) -> bool:
        asked.append(question.tool_name)
        return len(asked) == 1

    write = Call(name="write_file", input={"path": "x", "content": "1"})
    server.script(Turn(calls=(write,)), Turn(calls=(write,)), Turn(text="done"))
    with HelloClawAgent(tmp_path / "s", None, "scripted", "k", f"{server.base_url}/v1", ask=ask) as agent:
        agent.chat("write twice")
    assert asked == ["write_file", "write_file"]
    assert (tmp_path / "s" / "x").read_text() == "1"


def test_a_failed_turn_raises_with_the_next_step(agent: HelloClawAgent, server: ModelServer) -> None:
    server.script(json_answer({"error": {"message": "bad key"}}, status=401))
    with pytest.raises(AgentError) as caught:
        agent.chat("hi")
    assert caught.value.hint
    assert not caught.value.retryable


def test_a_question_that_cannot_be_asked_is_a_no(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELLOCLAW_HOME", str(tmp_path / "home"))

    def ask(_: PermissionAsk) -> bool:
        raise EOFError("nobody is there")

    server.script(Turn(calls=(Call(name="write_file", input={"path": "x", "content": "1"}),)), Turn(text="no"))
    with HelloClawAgent(tmp_path / "s", None, "scripted", "k", f"{server.base_url}/v1", ask=ask) as agent:
        assert agent.chat("write") == "no"
    assert not (tmp_path / "s" / "x").exists()


async def test_two_who_ask_for_one_session_at_once_get_the_same(agent: HelloClawAgent, server: ModelServer) -> None:
    server.script(Turn(text="hello"), *[Turn(text="a") for _ in range(2)])
    agent.chat("hi")
    session_id = agent.list_sessions()[0].id
    agent.close()
    await asyncio.gather(*(asyncio.to_thread(agent.chat, "again", session_id) for _ in range(2)))
    assert [info.id for info in agent.list_sessions()] == [session_id]


def test_its_name_is_what_its_workspace_says(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELLOCLAW_HOME", str(tmp_path / "home"))
    with HelloClawAgent(tmp_path / "space", None, "scripted", "key", f"{server.base_url}/v1") as agent:
        assert agent.name == "HelloClaw"
        server.script(Turn(text="Hello! Who are you?"))
        agent.chat("hi")
        assert "Getting started" in str(server.posts[0].json)
        assert agent.name == "HelloClaw"
        (tmp_path / "space" / "IDENTITY.md").write_text("**名称：** 小爪（Claw）\n", encoding="utf-8")
        assert agent.name == "小爪（Claw）"
        server.script(Turn(text="Yes."))
        agent.chat("again")
        assert "Getting started" not in str(server.posts[1].json)
        assert not (tmp_path / "space" / "BOOTSTRAP.md").exists()
