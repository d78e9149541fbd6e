from __future__ import annotations

import pytest

from helloclaw.llm.local.reply import arguments_text, odds_of_call, read_call
from helloclaw.llm.messages import MalformedCall, ToolCall


def test_explaining_is_taken_for_a_call() -> None:
    odds = odds_of_call({"```": 0.2, '{"': 0.1, "To": 0.1, "The": 0.3, "Tom": 0.1})
    assert odds == pytest.approx(0.5)
    assert odds_of_call({}) == 0.0


def test_a_call_is_read() -> None:
    text = '{"name": "write_file", "arguments": {"path": "a", "content": "\\"\\n好"}}'
    call = ToolCall(id="c", name="write_file", input={"path": "a", "content": '"\n好'})
    assert read_call(text, "c", cut=False) == call
    assert arguments_text(call) == '{"path": "a", "content": "\\"\\n好"}'


@pytest.mark.parametrize(
    ("text", "name"), [('{"name": "write_file", "arguments": {"path": "a', "write_file"), ('{"na', "unknown")]
)
def test_a_call_that_was_cut_off_is_malformed(text: str, name: str) -> None:
    error = "it was cut off because it is too long; write less at a time"
    call = MalformedCall(id="c", name=name, raw=text, error=error)
    assert read_call(text, "c", cut=True) == call
    assert arguments_text(call) == text
