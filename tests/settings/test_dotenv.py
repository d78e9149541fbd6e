"""`.env` files: plain assignments, nothing executed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.settings.dotenv import Assignment, DotenvProblem, parse_dotenv


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("# only\n\n  # comments\n", {}),
        ("LLM_STREAM=true # 开启正文流式输出", {"LLM_STREAM": Assignment("true", 1)}),
        ("A=1\r\nB=2\r\n", {"A": Assignment("1", 1), "B": Assignment("2", 2)}),
        ("export A = b c ", {"A": Assignment("b c", 1)}),
        ("A=\nB=''", {"A": Assignment("", 1), "B": Assignment("", 2)}),
        ("A=1\nA=2", {"A": Assignment("2", 2)}),
        ("A=#b", {"A": Assignment("", 1)}),
        ("A=b#c", {"A": Assignment("b#c", 1)}),
        ("A='$HOME `id` # \\n' # c", {"A": Assignment("$HOME `id` # \\n", 1)}),
        (r'A="x\ty \"z\" \\ # not a comment" # one', {"A": Assignment('x\ty "z" \\ # not a comment', 1)}),
        ("\ufeffA=1", {"A": Assignment("1", 1)}),
    ],
)
def test_assignments(text: str, found: dict[str, Assignment]) -> None:
    assert parse_dotenv(text) == found


@pytest.mark.parametrize(
    ("text", "line"), [("A", 1), ("A=1\nrm -rf /", 2), ("1A=x", 1), ("A='x", 1), ('A="x" y', 1), ("=x", 1)]
)
def test_a_line_that_assigns_nothing_is_named(text: str, line: int) -> None:
    with pytest.raises(DotenvProblem) as problem:
        parse_dotenv(text)
    assert problem.value.line == line


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    problem = None
    found: dict[str, Assignment] = {}
    try:
        found = parse_dotenv(text)
    except DotenvProblem as raised:
        problem = raised
    lines = range(1, text.count("\n") + 2)
    assert problem is None or problem.line in lines
    assert all(name.isidentifier() and assignment.line in lines for name, assignment in found.items())


@given(st.text(st.characters(blacklist_characters="'\n\r", blacklist_categories=["Cs"])))
def test_single_quotes_keep_everything(value: str) -> None:
    assert parse_dotenv(f"A='{value}'") == {"A": Assignment(value, 1)}
