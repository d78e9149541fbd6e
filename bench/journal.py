"""How long a session of 100,000 events takes to resume, and whether a turn costs more the longer its journal is.

`uv run python -m bench.journal` prints both; resuming in this process, beside reading the file's bytes alone.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import msgspec

from helloclaw.agent.load import load_history
from helloclaw.llm.events import Usage
from helloclaw.llm.messages import TextBlock, ToolCall
from helloclaw.protocol import events as out
from helloclaw.storage.journal import Journal, scan

EVENTS_PER_TURN = 11
RUNS = 5


def turn_events(number: int) -> list[out.Event]:
    """The journalled events of a turn with one tool call."""
    call = ToolCall(id=f"call_{number}", name="read_file", input={"path": f"src/module_{number}.py"})
    usage = out.UsageEvent(
        last=Usage(input=900, output=80), total=Usage(), context_tokens=900, token_threshold=1, ctx_percent=1
    )
    answer = f"Module {number} 定义了一个函数。" + "It does this and that. " * 8
    return [
        out.UserMessage(text=f"Look at module {number}, please."),
        out.AssistantEnd(text="", content=(call,), model="p/m"),
        out.LlmEnd(model="p/m", stop_reason="tool_use", duration_ms=900),
        usage,
        out.ToolUse(id=call.id, name=call.name, input=call.input),
        out.ToolStart(id=call.id, name=call.name),
        out.ToolEnd(id=call.id, name=call.name, duration_ms=3, output_preview="x" * 400, output="def f(): ...\n" * 60),
        out.AssistantEnd(text=answer, content=(TextBlock(text=answer),), model="p/m"),
        out.LlmEnd(model="p/m", stop_reason="end_turn", duration_ms=900),
        usage,
        out.RoundEnd(reason="done"),
    ]


def write_journal(path: Path, events: int) -> None:
    lines = [
        msgspec.json.encode(msgspec.structs.replace(event, seq=turn * EVENTS_PER_TURN + index + 1, ts=1.0))
        for turn in range(events // EVENTS_PER_TURN + 1)
        for index, event in enumerate(turn_events(turn))
    ]
    Journal.create(path, {"id": "bench", "workdir": "/w"}, lines[:events]).close()


def median_s(work: object) -> float:
    times: list[float] = []
    for _ in range(RUNS):
        began = time.perf_counter()
        work()  # type: ignore[operator]
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "bench.jsonl"
        write_journal(path, 100_000)
        resume = median_s(lambda: load_history(scan(path).lines).messages())
        bare = median_s(path.read_bytes)
        size = path.stat().st_size / 1e6
        print(
            f"resume of 100,000 events ({size:.0f} MB): {resume * 1000:.0f} ms, reading its bytes {bare * 1000:.0f} ms"
        )


if __name__ == "__main__":
    main()
