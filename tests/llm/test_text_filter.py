"""Text is sorted the same wherever it is cut, nothing is lost, and markup of calls is never shown."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.llm.leaked_calls import LeakedCall
from helloclaw.llm.text_filter import (
    BrokenLeak,
    Leaked,
    Piece,
    Said,
    TextFilter,
    Thought,
    ThoughtAllAlong,
)
from tests.llm.openai_quirks import DSML, KIMI


def sort(pieces: list[str], **options: Any) -> list[Piece]:
    """The pieces that come out, neighbours of one kind joined."""
    text_filter = TextFilter(**({"think_tags": "line", "leaks": True, "schemas": {}} | options))
    found = [piece for text in pieces for piece in text_filter.feed(text)] + text_filter.close()
    joined: list[Piece] = []
    for piece in found:
        last = joined[-1] if joined else None
        if isinstance(piece, Said) and isinstance(last, Said):
            joined[-1] = Said(last.text + piece.text)
        elif isinstance(piece, Thought) and isinstance(last, Thought):
            joined[-1] = Thought(last.text + piece.text)
        else:
            joined.append(piece)
    return joined


FRAGMENTS = st.sampled_from(
    [
        *("<think>", "</think>", "<thinking>", "<", "</", ">", "|", "｜", "DSML", "\n", "`", "```", " ", "word", "{}"),
        *("<｜DSML｜function_calls>", "</｜DSML｜function_calls>", '<｜DSML｜invoke name="f">', "</｜DSML｜invoke>"),
        *('<｜DSML｜parameter name="k" string="true">', "</｜DSML｜parameter>", "<|DSML|", "<div>", "a < b"),
        *("<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"),
        *("<|tool_calls_section_end|>", "<|open|>tools<|sep|>", "<|close|>tools<|sep|>", "<|end_of_msg|>", "f:0"),
        *("<minimax:tool_call>", "</minimax:tool_call>", "<｜tool▁calls▁begin｜>", "<|im_end|>", "</thought>"),
    ]
)
TEXTS = st.lists(FRAGMENTS | st.text(max_size=3), max_size=12).map("".join)


@given(TEXTS, st.data(), st.sampled_from(["off", "line", "anywhere"]), st.booleans())
def test_the_cut_does_not_matter(text: str, data: st.DataObject, think_tags: str, leaks: bool) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    options = {"think_tags": think_tags, "leaks": leaks}
    assert sort(pieces, **options) == sort([text], **options) == sort(list(text), **options)


@given(TEXTS)
def test_a_filter_that_looks_for_nothing_changes_nothing(text: str) -> None:
    assert sort(list(text), think_tags="off", leaks=False) == ([Said(text)] if text else [])


@given(TEXTS.filter(lambda text: not re.search(r"(?i)dsml|tool|<\W{0,6}(think|thought|open|close|end_of)", text)))
def test_text_without_markers_is_kept_to_the_letter(text: str) -> None:
    assert sort(list(text)) == ([Said(text)] if text else [])


@given(TEXTS)
def test_no_whole_marker_outside_of_quotes_is_shown(text: str) -> None:
    shown = [piece.text for piece in sort(list(text)) if isinstance(piece, Said)]
    if "`" not in text:
        assert not any(re.search(r"<[|｜]DSML[|｜]\w+[^<>]*>|<[|｜]tool\w+[|｜]>", said) for said in shown)


@given(TEXTS)
def test_words_are_kept_or_the_answer_is_asked_for_again(text: str) -> None:
    """Every word is said, thought, or inside markup that became a call or a reason to retry."""
    pieces = sort(list(text))
    kept = "".join(piece.text for piece in pieces if isinstance(piece, Said | Thought))
    if not any(isinstance(piece, Leaked | BrokenLeak) for piece in pieces):
        assert kept.count("word") == text.count("word")


@pytest.mark.parametrize(
    ("text", "shown_before_its_end"),
    [("a < b", "a < b"), ("x <div", "x <div"), ("if (a<", "if (a"), ("see <th", "see "), ("<|DS", ""), ("<｜to", "")],
)
def test_only_what_may_become_a_marker_is_held_back(text: str, shown_before_its_end: str) -> None:
    text_filter = TextFilter(think_tags="line", leaks=True, schemas={})
    shown = "".join(piece.text for piece in text_filter.feed(text) if isinstance(piece, Said))
    assert shown == shown_before_its_end
    assert text_filter.close() == ([Said(text[len(shown) :])] if shown != text else [])


def test_a_tag_opens_a_thought_at_the_start_of_a_line_only() -> None:
    text = "a <think> b\n <think>\n\nhm\n\n</think>\n\nc `</think>` d"
    assert sort([text]) == [Said("a <think> b\n "), Thought("hm"), Said("c `</think>` d")]


def test_a_closing_tag_makes_a_thought_of_what_came_before() -> None:
    assert sort(["the user ", "says hi\n</think>\n\nHello"]) == [
        Said("the user says hi\n"),
        ThoughtAllAlong(),
        Said("Hello"),
    ]


CALLS = Leaked(
    (LeakedCall(name="read_file", raw='{"path":"a","limit":3}'), LeakedCall(name="list_files", raw="{}")),
)


@pytest.mark.parametrize("markup", [DSML, DSML.replace("｜", "|"), DSML.replace(' string="true"', "")])
def test_text_around_a_leak_is_kept(markup: str) -> None:
    assert sort([f"{markup}\n\nAnd <b>then</b>."]) == [Said("I'll look.\n\n"), CALLS, Said("And <b>then</b>.")]


def test_text_after_a_leak_without_a_block_is_kept() -> None:
    bare = DSML.replace("<｜DSML｜function_calls>\n", "").replace("\n</｜DSML｜function_calls>", "\nDone.")
    assert sort([bare]) == [Said("I'll look.\n\n"), CALLS, Said("Done.")]


def test_a_leak_in_a_fence_or_a_code_span_is_talk() -> None:
    quoted = f"Like this:\n```\n{DSML}\n```\nor `<|tool_call_begin|>`."
    assert sort([quoted]) == [Said(quoted)]


@pytest.mark.parametrize("half", ["<｜DSML｜", "<|DSML|invoke nam", "<|tool_calls_sec"])
def test_a_tag_that_the_end_cut_in_half_is_not_shown(half: str) -> None:
    assert sort([f"I'll look. {half}"]) == [Said("I'll look. "), BrokenLeak(half)]


def test_two_leaks_in_one_text() -> None:
    kimi = LeakedCall(name="read_file", raw='{"path": "a", "limit": 3}')
    assert sort([f"{DSML}\n{KIMI}"]) == [
        Said("I'll look.\n\n"),
        CALLS,
        Said("I'll look.\n\n"),
        Leaked((kimi, CALLS.calls[1])),
    ]


def test_closing_tags_that_were_left_behind_are_dropped() -> None:
    text = "Done.</｜DSML｜invoke></｜DSML｜function_calls><|tool_calls_section_end|><|close|>message<|sep|>"
    assert sort([text]) == [Said("Done.")]
