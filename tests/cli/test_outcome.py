"""From events to the result object and the exit code."""

from __future__ import annotations

import pytest

from helloclaw.cli.outcome import Denial, Outcome, Result
from helloclaw.llm.events import Usage
from helloclaw.protocol import events
from helloclaw.protocol.events import Event

NO_USAGE = {"input": 0, "output": 0, "cache_read": 0, "cache_write": 0, "reasoning": 0}


def after(*happened: Event) -> Outcome:
    outcome = Outcome()
    for event in happened:
        outcome.hear(event)
    return outcome


def test_a_turn_that_is_done() -> None:
    outcome = after(
        events.UserMessage(text="hi", session_id="s"),
        events.AssistantEnd(text="Let me look."),
        events.ToolDenied(
            id="1",
            name="bash",
            input={"command": "x"},
            reason="r",
            output="o",
            source="permission",
            rule="Bash(x)",
        ),
        events.AssistantEnd(text="Done."),
        events.RoundEnd(
            reason="done",
            stop_reason="end_turn",
            steps=2,
            duration_ms=5,
            usage=Usage(input=3, output=4),
            cost_usd=0.5,
        ),
    )
    assert outcome.exit_code == 0
    assert outcome.result() == Result(
        session_id="s",
        text="Done.",
        stop_reason="end_turn",
        is_error=False,
        steps=2,
        duration_ms=5,
        usage=NO_USAGE | {"input": 3, "output": 4},
        cost_usd=0.5,
        permission_denials=[Denial(tool="bash", input={"command": "x"}, reason="r", rule="Bash(x)")],
    )


@pytest.mark.parametrize(
    ("happened", "code", "stop_reason", "text"),
    [
        ([events.RoundEnd(reason="limit", stop_reason="tool_use")], 3, "limit", ""),
        ([events.RoundEnd(reason="interrupted")], 130, "interrupted", ""),
        ([events.ErrorEvent(message="M", hint="H"), events.RoundEnd(reason="failed")], 1, "failed", "M. H"),
        ([events.ErrorEvent(message="M", retryable=True), events.RoundEnd(reason="failed")], 75, "failed", "M"),
        ([events.ErrorEvent(message="M", kind="settings"), events.RoundEnd(reason="failed")], 2, "failed", "M"),
        ([events.AssistantEnd(text="half"), events.RoundEnd(reason="failed")], 1, "failed", "half"),
        ([], 1, "failed", "why"),
    ],
)
def test_a_turn_that_is_not(happened: list[Event], code: int, stop_reason: str, text: str) -> None:
    outcome = after(*happened)
    result = outcome.result("why")
    assert (outcome.exit_code, result.stop_reason, result.is_error, result.text) == (code, stop_reason, True, text)


def test_several_turns_add_up_and_the_last_one_decides() -> None:
    outcome = after(
        events.UserMessage(text="one"),
        events.AssistantEnd(text="1"),
        events.ErrorEvent(message="M"),
        events.RoundEnd(reason="failed", steps=1, usage=Usage(input=1), cost_usd=1.0),
        events.UserMessage(text="two"),
        events.RoundEnd(reason="done", stop_reason="end_turn", steps=2, usage=Usage(input=2)),
    )
    result = outcome.result()
    assert (outcome.exit_code, result.text, result.steps, result.usage["input"], result.cost_usd) == (0, "", 3, 3, 1.0)
