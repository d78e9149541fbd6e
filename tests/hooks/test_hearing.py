"""What a hook is told: everything on stdin, what fits in its environment, and none of our secrets."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from helloclaw.hooks.hearing import VARIABLE_BYTES, Happening, environment, heard

OURS = {"PATH": "/usr/bin", "HOME": "/home/a", "ANTHROPIC_API_KEY": "k", "HOOK_TOOL_OUTPUT": "old", "GIT_DIR": "/x"}


def test_the_variables_of_a_tool_call() -> None:
    happening = Happening(event="PostToolUse", tool="bash", input={"command": "echo 你"}, output="你\0")
    told = environment(happening, OURS, "/w")
    assert {name: told[name] for name in told if name.startswith(("HOOK_", "CLAUDE_"))} == {
        "HOOK_EVENT": "PostToolUse",
        "HOOK_TOOL_NAME": "bash",
        "HOOK_TOOL_INPUT": '{"command": "echo 你"}',
        "HOOK_TOOL_OUTPUT": "你�",
        "CLAUDE_PROJECT_DIR": "/w",
    }
    assert {"ANTHROPIC_API_KEY", "GIT_DIR"}.isdisjoint(told)
    assert (told["PATH"], told["HOME"]) == ("/usr/bin", "/home/a")


def test_before_a_tool_has_run_there_is_no_output() -> None:
    told = environment(Happening(event="RoundEnd", input={"stop_reason": "end_turn"}), OURS, "/w")
    assert "HOOK_TOOL_OUTPUT" not in told
    assert told["HOOK_TOOL_NAME"] == ""
    assert json.loads(told["HOOK_TOOL_INPUT"]) == {"stop_reason": "end_turn"}


def test_what_does_not_fit_is_cut_named_and_whole_on_stdin() -> None:
    content = "界" * 200_000
    happening = Happening(event="PreToolUse", tool="write_file", input={"content": content})
    told = environment(happening, OURS, "/w")
    assert told["HOOK_TRUNCATED"] == "HOOK_TOOL_INPUT"
    assert VARIABLE_BYTES - 3 < len(told["HOOK_TOOL_INPUT"].encode()) <= VARIABLE_BYTES
    assert json.loads(heard(happening, "s1", "/w")) == {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "cwd": "/w",
        "tool_name": "write_file",
        "tool_input": {"content": content},
    }


@given(st.text(st.characters(), max_size=50))
def test_any_text_can_be_a_variable(text: str) -> None:
    happening = Happening(event="PostToolUse", tool="x", input={"a": text}, output=text)
    told = environment(happening, OURS, "/w")
    assert all(value.encode() and b"\0" not in value.encode() for name, value in told.items() if value)
    assert json.loads(heard(happening, "s1", "/w"))["is_error"] is False


def test_half_characters_are_replaced() -> None:
    happening = Happening(event="PostToolUse", tool="x", input={"a": "\ud800"}, output="\ud800")
    assert environment(happening, OURS, "/w")["HOOK_TOOL_OUTPUT"] == "?"
    assert json.loads(heard(happening, "s1", "/w"))["tool_output"] == "?"
