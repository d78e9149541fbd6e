"""JSON with comments: read like JSON, written without touching what wasn't meant."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.settings.jsonc import JsonProblem, parse, replaced

COMMENTED = """\
{
  // the model
  "llm": {
    "model_id": "a/b",  // "not": "a setting"
    "base_url": "http://x//y", /* two
    lines */ "stream": true,
  },
}
"""
names = st.text(min_size=1, max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(names, values, max_size=4)


def test_comments_and_trailing_commas_are_no_matter() -> None:
    document = parse(COMMENTED)
    assert document.value == {"llm": {"model_id": "a/b", "base_url": "http://x//y", "stream": True}}
    assert [document.line(("llm", name)) for name in ("model_id", "base_url", "stream")] == [4, 5, 6]


@pytest.mark.parametrize("text", ["", " \n", "// nothing\n", "\n/* nothing */"])
def test_a_file_that_says_nothing_is_an_empty_object(text: str) -> None:
    assert parse(text).value == {}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3),
        ('{\n  "a": \n}', 3),
        ("{\n", 2),
        ("[1]", 1),
        ('{"a": NaN}', 1),
        ('{"a": 1} // fine\n{"b": 2}', 2),
        ("[" * 100_000, 1),
        ('{"a":' * 5000 + "1" + "}" * 5000, 1),
    ],
)
def test_broken_text_is_a_problem_with_its_line(text: str, line: int) -> None:
    with pytest.raises(JsonProblem) as problem:
        parse(text)
    assert problem.value.line == line


@given(objects)
def test_plain_json_reads_as_json_does(value: dict[str, Any]) -> None:
    document = parse(json.dumps(value))
    assert document.value == value
    for path, place in document.places.items():
        member: Any = value
        for name in path:
            member = member[name]
        assert json.loads(document.text[place.start : place.end]) == member


@given(objects, st.lists(names, min_size=1, max_size=3), values, st.sampled_from([None, 2]))
def test_one_replaced_member_changes_nothing_else(
    value: dict[str, Any], path: list[str], new: Any, indent: int | None
) -> None:
    text = replaced(parse(json.dumps(value, indent=indent)), tuple(path), new)
    expected = json.loads(json.dumps(value))
    inner = expected
    for name in path[:-1]:
        if not isinstance(inner.get(name), dict):
            inner[name] = {}
        inner = inner[name]
    inner[path[-1]] = new
    assert parse(text).value == expected


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ("", ("llm", "stream"), '{\n  "llm": {\n    "stream": false\n  }\n}\n'),
        ("{}\n", ("mcp_servers",), '{\n  "mcp_servers": false\n}\n'),
        (COMMENTED, ("llm", "stream"), COMMENTED.replace("true", "false")),
        (COMMENTED, ("llm", "wire"), COMMENTED.replace('"llm": {', '"llm": {\n    "wire": false,')),
        (COMMENTED, ("ui", "x"), COMMENTED.replace("{", '{\n  "ui": {"x": false},', 1)),
    ],
)
def test_layout_and_comments_stay(before: str, path: tuple[str, ...], after: str) -> None:
    assert replaced(parse(before), path, False) == after
