from __future__ import annotations

import pytest

from helloclaw.llm.local.reply import CUT_OFF, Said, arguments_text, odds_of_call, read_call, repeats_itself
from helloclaw.llm.messages import MalformedCall, ToolCall


def test_explaining_is_taken_for_a_call() -> None:
    odds = odds_of_call({"```": 0.2, '{"': 0.1, "To": 0.1, "The": 0.3, "Tom": 0.1})
    assert odds == pytest.approx(0.5)
    assert odds_of_call({}) == 0.0


def test_a_call_is_read() -> None:
    text = '{"name": "write_file", "arguments": {"path": "a", "content": "\\"\\n好"}}'
    call = ToolCall(id="c", name="write_file", input={"path": "a", "content": '"\n好'})
    assert read_call(Said(text=text), "c") == call
    assert arguments_text(call) == '{"path": "a", "content": "\\"\\n好"}'


@pytest.mark.parametrize(
    ("text", "name"), [('{"name": "write_file", "arguments": {"path": "a', "write_file"), ('{"na', "unknown")]
)
def test_a_call_that_was_cut_off_is_malformed(text: str, name: str) -> None:
    call = MalformedCall(id="c", name=name, raw=text, error=CUT_OFF)
    assert read_call(Said(text=text, trouble=CUT_OFF), "c") == call
    assert arguments_text(call) == text


POEM = r"Raindrops on the window,\nIt's a beautiful sight.\nRaindrops on the grass,\nIt's a beautiful sight.\n"
CODE = (
    "def area(width, height):\n    return width * height\n\n\ndef volume(width, height, depth):\n    return depth * 2\n"
)
TABLE = "\n".join(f"{number:03},item number {number},{number * 7}" for number in range(100))


@pytest.mark.parametrize("text", ["", POEM, CODE, TABLE, "    }\n" * 30])
def test_prose_code_and_tables_are_no_circles(text: str) -> None:
    assert not any(repeats_itself(text[:end]) for end in range(len(text) + 1))


@pytest.mark.parametrize(
    "text", [POEM * 10, "and then the end of it and " * 30, "哈哈哈" * 200, "It is a list.\n" * 20]
)
def test_circles_are_seen(text: str) -> None:
    assert repeats_itself(text)
