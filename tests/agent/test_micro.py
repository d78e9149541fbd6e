"""Old tool results leave the context when that pays, and only then."""

from __future__ import annotations

import pytest

from helloclaw.agent.history import History
from helloclaw.agent.measure import context_tokens
from helloclaw.agent.micro import CACHE_LIFE_S, Saving, pays, saving
from helloclaw.llm.events import Usage
from helloclaw.llm.messages import Message, ModelRequest, TextBlock, ToolCall, ToolResult
from helloclaw.protocol import events as out


def step(seq: int, name: str, result: str) -> tuple[out.Event, out.Event]:
    call = ToolCall(id=f"c{seq}", name=name, input={"path": "a"})
    return (
        out.AssistantEnd(seq=seq, text="", content=(call,)),
        out.ToolEnd(seq=seq + 1, id=call.id, name=name, duration_ms=1, output_preview="", output=result),
    )


def conversation(*results: tuple[str, str]) -> History:
    events: list[out.Event] = [out.UserMessage(seq=1, text="Go.")]
    for index, (name, result) in enumerate(results):
        events += step(2 + 2 * index, name, result)
    return History(events)


def results(history: History) -> list[str]:
    blocks = (block for message in history.messages() for block in message.content)
    return [block.text for block in blocks if isinstance(block, ToolResult)]


def test_old_results_go_but_for_the_last_three_and_files() -> None:
    history = conversation(*[("bash", "x" * 9000), ("read_file", "y" * 9000)] * 3, ("search_content", "z" * 9000))
    found = saving(history)
    assert found is not None
    history.apply(out.ResultsDropped(seq=99, before=found.before, freed_tokens=found.freed))
    assert [text[:20] for text in results(history)] == [
        "[Previous: used bash",
        "y" * 20,
        "[Previous: used bash",
        "y" * 20,
        "x" * 20,
        "y" * 20,
        "z" * 20,
    ]
    assert saving(history) is None


def test_where_a_dropped_result_is_on_disk_stays_said() -> None:
    long = "head\n[… 9 characters left out; all 99 characters are in /w/.task_outputs/tool-results/a-1.txt]\ntail"
    history = conversation(("bash", long + "x" * 9000), *[("bash", "short")] * 3)
    found = saving(history)
    assert found is not None
    history.apply(out.ResultsDropped(seq=99, before=found.before, freed_tokens=found.freed))
    assert results(history)[0] == "[Previous: used bash] .task_outputs/tool-results/a-1.txt"


def test_what_is_small_is_left_alone() -> None:
    assert saving(conversation(*[("bash", "ok")] * 30)) is None
    assert saving(conversation(*[("bash", "x" * 90_000)] * 3)) is None


@pytest.mark.parametrize(
    ("freed", "after", "used", "idle_s", "expected"),
    [
        (5_000, 40_000, 60_000, 1.0, False),  # everything after it would be written anew, for little
        (40_000, 5_000, 60_000, 1.0, True),
        (5_000, 40_000, 60_000, CACHE_LIFE_S + 1, True),  # nothing is cached any more
        (5_000, 40_000, 100_000, 1.0, False),  # a summary would follow at once
        (40_000, 40_000, 100_000, 1.0, True),  # it is not needed now
    ],
)
def test_it_must_pay_for_the_cache_it_breaks(
    freed: int, after: int, used: int, idle_s: float, *, expected: bool
) -> None:
    found = Saving(before=9, freed=freed, after=after)
    assert pays(found, used=used, compact_at=100_000, idle_s=idle_s) is expected


def test_our_estimate_is_corrected_by_what_the_model_counts() -> None:
    base = ModelRequest(messages=())
    history = History([out.UserMessage(seq=1, text="字" * 3000)])
    ours = context_tokens(history, base)
    used = Usage(input=round(ours * 1.5))
    history.apply(
        out.UsageEvent(seq=2, last=used, total=used, context_tokens=used.input, token_threshold=1, ctx_percent=1)
    )
    answer = Message(role="assistant", content=(TextBlock(text="字" * 3000),))
    history.apply(out.AssistantEnd(seq=3, text="", content=answer.content))
    assert context_tokens(history, base) == pytest.approx(2 * used.input, rel=0.01)
