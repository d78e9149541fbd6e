from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from helloclaw.llm.arguments import parse_arguments
from helloclaw.llm.messages import MalformedCall, ToolCall


@pytest.mark.parametrize(
    ("raw", "input_"),
    [
        ("", {}),
        (" \n", {}),
        (None, {}),
        ("{}", {}),
        ('{"a": 1, "b": [null, true, "é"]}', {"a": 1, "b": [None, True, "é"]}),
        ({"a": {"b": 2}}, {"a": {"b": 2}}),
        ('{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
        ('{"a": "\ud83d\ude00"}', {"a": "😀"}),
        ('{"a": 123456789012345678901234567890}', {"a": 123456789012345678901234567890}),
    ],
)
def test_an_object_is_a_call(raw: Any, input_: dict[str, Any]) -> None:
    assert parse_arguments("i", "n", raw, "sig") == ToolCall(id="i", name="n", input=input_, signature="sig")


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        ("[1]", snapshot("The arguments must be a JSON object, not an array.")),
        ("null", snapshot("The arguments must be a JSON object, not null.")),
        ('"{}"', snapshot("The arguments must be a JSON object, not a string.")),
        ("true", snapshot("The arguments must be a JSON object, not a boolean.")),
        ("3", snapshot("The arguments must be a JSON object, not a number.")),
        (
            '{"path": "a.txt", "content": "hel',
            snapshot(
                """\
The arguments are not valid JSON: EOF while parsing a string at line 1 column 33, \
near "\\"a.txt\\", \\"content\\": \\"hel". They end too early, so the call was cut off.\
"""
            ),
        ),
        (
            '{"command": "echo one\ntwo"}',
            snapshot(
                """\
The arguments are not valid JSON: control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0, \
near "{\\"command\\": \\"echo one\\ntwo\\"}". Inside a string write a newline as \\n and a tab as \\t.\
"""
            ),
        ),
        (
            '{"a": "\ud83d"}',
            snapshot("The arguments hold half of a UTF-16 pair (a lone surrogate); write the whole character."),
        ),
        (
            '{"a": "\\ud83d"}',
            snapshot(
                """\
The arguments are not valid JSON: unexpected end of hex escape at line 1 column 14, near "{\\"a\\": \\"\\\\ud83d\\"}".\
"""
            ),
        ),
        (
            '{"a": 1}{"b": 2}',
            snapshot(
                """\
The arguments are not valid JSON: trailing characters at line 1 column 9, near "{\\"a\\": 1}{\\"b\\": 2}".\
"""
            ),
        ),
        (
            '{"a": 1, "a": 2}',
            snapshot(
                """\
The arguments are not valid JSON: Detected duplicate key "a" at line 1 column 14, near "{\\"a\\": 1, \\"a\\": 2}".\
"""
            ),
        ),
        ('{"a": 1e999}', snapshot("The arguments hold a number that is out of range.")),
        (
            '{"a": NaN}',
            snapshot('The arguments are not valid JSON: expected value at line 1 column 7, near "{\\"a\\": NaN}".'),
        ),
    ],
)
def test_anything_else_is_a_malformed_call_that_says_what_and_where(raw: str, error: str) -> None:
    call = parse_arguments("i", "n", raw)
    assert isinstance(call, MalformedCall)
    assert call.error == error


def test_deep_nesting_is_refused_not_a_crash() -> None:
    assert isinstance(parse_arguments("i", "n", '{"a":' * 100_000), MalformedCall)


@given(st.text(alphabet=st.characters(codec=None, categories=None)))
def test_any_text_gives_a_call_that_can_be_stored(raw: str) -> None:
    msgspec.json.encode(parse_arguments("i", "n", raw))


@given(st.dictionaries(st.text(), st.recursive(st.integers() | st.text() | st.none(), st.lists)))
def test_what_json_writes_is_read_back(value: dict[str, Any]) -> None:
    assert parse_arguments("i", "n", json.dumps(value)) == ToolCall(id="i", name="n", input=value)
