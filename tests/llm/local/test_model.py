"""`LocalModel` with a real llama.cpp and a tiny model, whose words mean nothing but show that it is steered."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec import structs

from helloclaw.i18n import Phrase
from helloclaw.llm.events import Failed, Finish, ModelEvent, Retrying, TextStart, ToolCallEnd, ToolCallStart, Usage
from helloclaw.llm.local import LocalModel
from helloclaw.llm.local.prefix_cache import forget_oldest
from helloclaw.llm.messages import MalformedCall, ModelRequest, ToolCall, text_of, user_text
from tests.llm.local.embedded import TOOLS, after_a_failure, ask, open_local
from tests.llm.local.tiny_gguf import write_tiny_gguf

pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")


@pytest.fixture
async def model(tmp_path: Path) -> AsyncIterator[LocalModel]:
    gguf = write_tiny_gguf(tmp_path / "tiny.gguf")
    model = open_local(f"local/{gguf}", tmp_path)
    yield model
    await model.aclose()


def states(home: Path) -> list[Path]:
    return sorted((home / "cache" / "local-model").iterdir())


async def test_a_request_is_answered_in_text(model: LocalModel) -> None:
    events, message = await ask(model, ModelRequest(messages=(user_text("Hello!"),), tools=TOOLS, max_output_tokens=40))
    assert isinstance(events[-1], Finish)
    assert not any(isinstance(event, ToolCallStart | Failed) for event in events)
    assert text_of(message)[0] not in "{`<"
    (usage,) = (event for event in events if isinstance(event, Usage))
    assert usage.output > 0
    assert usage.cache_read > 1000 > usage.input  # the instructions had been read before


async def test_after_a_failure_comes_a_call_that_can_be_run(model: LocalModel) -> None:
    request = ModelRequest(messages=after_a_failure(), tools=TOOLS, max_output_tokens=800)
    events, message = await ask(model, request)
    (call,) = message.content
    assert isinstance(call, ToolCall | MalformedCall)  # a random text may not come to its end
    assert call.name in {tool.name for tool in TOOLS}
    if isinstance(call, ToolCall):
        (spec,) = (tool for tool in TOOLS if tool.name == call.name)
        assert set(call.input) == set(spec.input_schema["required"])
    assert events[0] == ToolCallStart(call.id, call.name)
    assert ToolCallEnd(call) in events
    assert events[-1] == Finish("tool_use")


async def test_when_no_call_is_wanted_there_is_none(model: LocalModel) -> None:
    request = ModelRequest(messages=after_a_failure(), tools=TOOLS, tool_choice="none", max_output_tokens=40)
    events, message = await ask(model, request)
    assert isinstance(events[-1], Finish)
    assert text_of(message)


async def test_without_tools_the_request_goes_through_as_it_is(model: LocalModel) -> None:
    request = ModelRequest(messages=(user_text("Summarise."),), system="Be short.", max_output_tokens=8)
    events, _ = await ask(model, request)
    (usage,) = (event for event in events if isinstance(event, Usage))
    assert isinstance(events[-1], Finish)
    assert usage.input + usage.cache_read < 100


async def test_what_does_not_fit_is_an_overflow(model: LocalModel) -> None:
    events, _ = await ask(model, ModelRequest(messages=(user_text("x" * 20_000),), tools=TOOLS))
    (failed,) = events
    assert isinstance(failed, Failed)
    assert failed.kind == "overflow"


async def test_a_server_that_died_is_started_again(model: LocalModel, tmp_path: Path) -> None:
    request = ModelRequest(messages=(user_text("Hello!"),), tools=TOOLS, max_output_tokens=8)
    await ask(model, request)
    os.kill(_child(), signal.SIGKILL)
    events, _ = await ask(model, request)
    assert isinstance(events[-1], Finish)


def _child() -> int:
    """The process id of the one child that runs a model."""
    listed = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    (child,) = (int(pid) for pid in listed if b"child.py" in Path(f"/proc/{pid}/cmdline").read_bytes())
    return child


async def test_a_server_that_dies_in_the_middle_is_started_again_once(model: LocalModel, tmp_path: Path) -> None:
    profile = structs.replace(model.endpoint.profile, extra_body={"ignore_eos": True})
    endless = LocalModel(structs.replace(model.endpoint, profile=profile), tmp_path / "models", environ={})
    killed: list[int] = []
    events: list[ModelEvent] = []
    async for event in endless.stream(ModelRequest(messages=(user_text("Hello!"),), max_output_tokens=1500)):
        events.append(event)
        if isinstance(event, TextStart):
            killed.append(_child())
            os.kill(killed[-1], signal.SIGKILL)
    await endless.aclose()
    assert len(set(killed)) == 2
    assert [event.failure.kind for event in events if isinstance(event, Retrying)] == ["interrupted"]
    assert isinstance(events[-1], Failed)
    assert events[-1].kind == "interrupted"


async def test_instructions_are_read_once_and_kept(tmp_path: Path) -> None:
    gguf = write_tiny_gguf(tmp_path / "tiny.gguf")
    request = ModelRequest(messages=(user_text("Hello!"),), tools=TOOLS, max_output_tokens=8)
    said: list[list[str | None]] = []
    for _ in range(2):
        model = open_local(f"local/{gguf}", tmp_path)
        told: list[Phrase | None] = []
        model = LocalModel(model.endpoint, tmp_path / "models", environ={}, on_status=told.append)
        await ask(model, request)
        await model.aclose()
        said.append([each.key if each else None for each in told])
    loading = ["status.loading", None]
    assert said == [[*loading, "status.instructions", None], loading]
    (state,) = states(tmp_path)
    assert b"Hello!" not in state.read_bytes()


async def test_a_damaged_state_is_not_believed(model: LocalModel, tmp_path: Path) -> None:
    request = ModelRequest(messages=(user_text("Hello!"),), tools=TOOLS, max_output_tokens=8)
    await ask(model, request)
    await model.aclose()
    (state,) = states(tmp_path)
    state.write_bytes(state.read_bytes()[:1000])
    events, _ = await ask(model, request)
    assert isinstance(events[-1], Finish)
    assert state.stat().st_size > 1000  # made anew


async def test_where_no_state_can_be_kept_it_works_all_the_same(model: LocalModel, tmp_path: Path) -> None:
    request = ModelRequest(messages=(user_text("Hello!"),), tools=TOOLS, max_output_tokens=8)
    await ask(model, request)
    await model.aclose()
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache").write_text("a file where the directory should be")
    (failed,) = (await ask(model, request))[0]
    assert isinstance(failed, Failed)
    assert (failed.kind, str(tmp_path / "cache") in failed.message) == ("unavailable", True)


def test_the_states_used_last_are_kept(tmp_path: Path) -> None:
    for age, name in enumerate(("a.kv", "b.kv", "c.kv", "other.txt")):
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (100 - age, 100 - age))
    assert [path.name for path in forget_oldest(tmp_path, kept=1)] == ["b.kv", "c.kv"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.kv", "other.txt"]


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("local", "Qwen2.5-Coder-1.5B-Instruct Q4_K_M is not here yet (1.1 GB, once)", "Run: helloclaw model pull"),
        ("local/qwen3", "qwen3: no such weights.", "Or name a file: local/PATH.gguf"),
        ("local/none.gguf", "none.gguf: No such file or directory", "Name a GGUF file that is there."),
    ],
)
async def test_without_weights_it_says_what_to_do(name: str, message: str, hint: str, tmp_path: Path) -> None:
    events, _ = await ask(open_local(name, tmp_path), ModelRequest(messages=(user_text("Hello!"),)))
    (failed,) = events
    assert isinstance(failed, Failed)
    assert (failed.kind, message in failed.message, failed.hint) == ("unavailable", True, hint)


async def test_weights_in_the_models_directory_are_found_by_name(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    write_tiny_gguf(tmp_path / "models" / "own.gguf")
    model = open_local("local/own.gguf", tmp_path)
    events, _ = await ask(model, ModelRequest(messages=(user_text("Hello!"),), max_output_tokens=4))
    await model.aclose()
    assert isinstance(events[-1], Finish)
