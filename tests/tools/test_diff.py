"""A diff turns the one text into the other, and stays cheap."""

from __future__ import annotations

import re
import time

from hypothesis import given
from hypothesis import strategies as st

from helloclaw.tools.diff import unified_diff

texts = st.lists(st.sampled_from(["a", "b", "", "中文"]), max_size=30).map(
    lambda lines: "".join(f"{x}\n" for x in lines)
)


def apply(before: str, diff: str) -> str:
    """What the hunks of `diff` make of `before`."""
    old, new, position = before.splitlines(), list[str](), 0
    for line in diff.splitlines()[2:]:
        if header := re.match(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,\d+)? @@", line):
            start = int(header[1]) - (header[2] != "0")
            new += old[position:start]
            position = start
            assert len(new) + 1 == int(header[3]) or line.endswith(",0 @@"), line
        elif line.startswith("+"):
            new.append(line[1:])
        else:
            assert old[position] == line[1:]
            position += 1
            if line.startswith(" "):
                new.append(line[1:])
    return "".join(f"{line}\n" for line in new + old[position:])


@given(texts, texts)
def test_a_diff_can_be_applied(before: str, after: str) -> None:
    assert apply(before, unified_diff(before, after, "f")) == after


@given(texts, texts, texts)
def test_a_diff_within_a_long_text_can_be_applied(before: str, after: str, around: str) -> None:
    assert apply(around + before + around, unified_diff(around + before + around, around + after + around, "f")) == (
        around + after + around
    )


def test_line_endings_alone_are_said() -> None:
    assert unified_diff("a\n", "a\r\n", "f") == "--- a/f\n+++ b/f\n(only line endings change)\n"
    assert unified_diff("a\n", "a\n", "f") == ""


def test_a_rewrite_of_everything_is_shown_cheaply_and_in_part() -> None:
    before = "".join(f"old {n}\n" for n in range(50_000))
    after = "".join(f"new {n}\n" for n in range(50_000))
    began = time.perf_counter()
    diff = unified_diff(before, after, "f")
    assert time.perf_counter() - began < 1.0
    assert diff.splitlines()[2] == "@@ -1,50000 +1,50000 @@"
    assert diff.endswith("(… 99601 more lines of the diff)\n")
