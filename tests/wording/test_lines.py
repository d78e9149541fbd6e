"""What is said of the work in one line, and what even where nobody watches."""

from __future__ import annotations

from typing import Any

import pytest

from helloclaw.i18n import texts
from helloclaw.protocol import events
from helloclaw.wording.lines import needed_line, progress_line, summary

EN = texts("en")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"command": "git \x1b status"}, "bash(git \\x1b status)"),
        ({"path": "a", "content": "b"}, "bash(a)"),
        ({"n": 1}, 'bash({"n": 1})'),
        ({}, "bash"),
        ({"command": "x" * 200}, f"bash({'x' * 119}…)"),
    ],
)
def test_a_call_is_shown_by_what_says_most(arguments: dict[str, Any], said: str) -> None:
    assert summary("bash", arguments) == said


RETRY = events.LlmRetry(attempt=1, limit=3, wait_s=0.5, kind="overloaded", message="busy")
FALLBACK = events.LlmFallback(what="model", before="a", after="b", message="busy")


@pytest.mark.parametrize(
    ("event", "progress", "needed"),
    [
        (events.ToolUse(id="1", name="bash", input={"command": "ls"}), "· bash(ls)", None),
        (
            events.ToolEnd(id="1", name="bash", duration_ms=1, output_preview="", output="", error="no\nway"),
            "  ✗ no way",
            None,
        ),
        (events.ToolEnd(id="1", name="bash", duration_ms=1, output_preview="", output=""), None, None),
        (events.Status(text="Loading…"), "Loading…", None),
        (events.Status(text=""), None, None),
        (events.Notice(text="by the way"), "by the way", None),
        (events.Notice(text="stop", code="cost_limit", values={"limit": "1"}), "stop", "stop"),
        (events.Notice(text="torn", level="warning"), None, "warning: torn"),
        (events.ErrorEvent(message="it broke."), None, "error: it broke."),
        (events.AssistantDelta(text="hi"), None, None),
    ],
)
def test_a_line(event: events.Event, progress: str | None, needed: str | None) -> None:
    assert (progress_line(event, EN), needed_line(event, EN)) == (progress, needed)


@pytest.mark.parametrize("event", [RETRY, FALLBACK])
def test_that_a_model_is_called_again_is_needed(event: events.Event) -> None:
    line = progress_line(event, EN)
    assert line is not None
    assert (line.endswith("busy"), needed_line(event, EN)) == (True, line)
