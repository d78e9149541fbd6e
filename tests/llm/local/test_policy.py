from __future__ import annotations

import pytest

from helloclaw.llm.local.conversation import Step, Turn
from helloclaw.llm.local.policy import (
    ANSWER,
    MAX_STEPS,
    Choice,
    better_tools,
    chosen,
    instead_of,
    look_first,
    repeated,
    settled,
)
from helloclaw.llm.messages import MalformedCall, ToolCall, ToolSpec


def tool(name: str) -> ToolSpec:
    return ToolSpec(name=name, description="", input_schema={})


READ, WRITE, EDIT, BASH, SEARCH = TOOLS = tuple(
    tool(name) for name in ("read_file", "write_file", "edit_file", "bash", "search_content")
)


def call(name: str, **arguments: str) -> ToolCall:
    return ToolCall(id="1", name=name, input=dict(arguments))


def turn(*steps: Step) -> Turn:
    return Turn(request="go", steps=steps)


GOOD = Step(call=call("bash", command="ls"))
BAD = Step(call=call("bash", command="run"), failed=True)
BAD_EDIT = Step(call=call("edit_file", path="a"), failed=True)
REFUSED = Step(call=call("bash", command="rm"), refused=True)


@pytest.mark.parametrize(
    ("before", "choice"),
    [
        (turn(), None),
        (turn(GOOD), None),
        (turn(BAD, GOOD), None),
        (turn(REFUSED), None),
        (turn(GOOD, BAD), Choice(tools=TOOLS)),
        (turn(BAD, BAD_EDIT), Choice(tools=TOOLS)),
        (turn(BAD, BAD), Choice(tools=(READ, WRITE, EDIT, SEARCH))),
        (turn(BAD, BAD, BAD_EDIT), None),
        (turn(BAD, BAD, BAD_EDIT, BAD), ANSWER),
        (turn(*[GOOD] * MAX_STEPS), ANSWER),
    ],
)
def test_failures_are_tried_again_but_not_for_ever(before: Turn, choice: Choice | None) -> None:
    assert settled(before, TOOLS) == choice


def test_silence_is_no_answer_to_a_question() -> None:
    silent = Step(call=call("bash", command="awk"), result="(no output)")
    assert settled(Turn(request="How old is Bob?", steps=(silent,)), TOOLS) == Choice(tools=(READ, WRITE, EDIT, SEARCH))
    assert settled(Turn(request="删掉 a", steps=(silent,)), TOOLS) is None
    assert settled(Turn(request="How old is Bob?", steps=(silent, silent)), TOOLS) is None


def test_without_tools_there_is_an_answer() -> None:
    assert settled(turn(BAD), ()) == ANSWER


@pytest.mark.parametrize(
    ("before", "odds", "calls"),
    [
        (turn(), 0.39, False),
        (turn(), 0.4, True),
        (Turn(request="看看 说明.md"), 0.04, False),
        (Turn(request="看看 说明.md"), 0.05, True),
        (turn(Step(call=call("read_file", path="a"))), 0.009, False),
        (turn(Step(call=call("search_content", pattern="a"))), 0.01, True),
        (turn(GOOD), 0.49, False),
        (turn(GOOD), 0.5, True),
    ],
)
def test_odds_count_for_more_after_a_look(before: Turn, odds: float, calls: bool) -> None:
    assert chosen(before, TOOLS, odds) == (Choice(tools=TOOLS) if calls else ANSWER)


def test_what_was_refused_is_not_offered_again() -> None:
    assert chosen(turn(REFUSED), TOOLS, 0.9) == Choice(tools=(READ, WRITE, EDIT, SEARCH))


def test_a_file_is_read_before_it_is_edited() -> None:
    edit = call("edit_file", path="a", old_text="x", new_text="y")
    read = call("read_file", path="a")
    unread, was_read = (turn(),), (turn(Step(call=read)), turn())
    assert look_first(edit, unread, TOOLS) == read
    assert look_first(edit, was_read, TOOLS) == edit
    assert look_first(edit, unread, (EDIT,)) == edit
    for command, first in (
        ("ls", None),
        ("sed -i 's/a b/c/' a.txt", "a.txt"),
        ("sed -i s/a/b/ a && ls -l *.txt | wc", None),
    ):
        asked = call("bash", command=command)
        assert look_first(asked, unread, TOOLS) == (call("read_file", path=first) if first else asked)


def test_a_file_is_looked_for_before_it_is_written_unless_it_is_to_be_created() -> None:
    write, read = call("write_file", path="a", content="x"), call("read_file", path="a")
    for request, first in (("Fix a", read), ("Create a", write), ("写一个文件 a", write), ("把 a 修好", read)):
        assert look_first(write, (Turn(request=request),), TOOLS) == first


def test_a_file_that_was_read_is_edited_not_written_anew() -> None:
    write, read = call("write_file", path="a", content="x"), Step(call=call("read_file", path="a"))
    assert better_tools(write, turn(read), TOOLS) == Choice(tools=(READ, EDIT, BASH, SEARCH))
    assert better_tools(write, turn(read, BAD_EDIT), TOOLS) is None
    assert better_tools(write, turn(Step(call=read.call, failed=True)), TOOLS) is None
    assert better_tools(write, turn(read), (READ, WRITE)) is None
    assert better_tools(call("write_file", path="b", content="x"), turn(read), TOOLS) is None
    assert better_tools(call("bash", command="ls"), turn(read), TOOLS) is None


@pytest.mark.parametrize(
    ("request_", "tools"),
    [
        ("Change x to y in a", (EDIT,)),
        ("把 a 里的 x 改成 y", (EDIT,)),
        ("What changed in a?", TOOLS),
        ("Sum up a", TOOLS),
    ],
)
def test_after_reading_what_is_to_be_changed_comes_the_change(request_: str, tools: tuple[ToolSpec, ...]) -> None:
    before = Turn(request=request_, steps=(Step(call=call("read_file", path="a")),))
    assert chosen(before, TOOLS, 0.5) == Choice(tools=tools)


def test_the_same_call_again_is_known_by_its_input() -> None:
    before = turn(GOOD, BAD)
    assert repeated(ToolCall(id="other", name="bash", input={"command": "ls"}), before)
    assert not repeated(call("bash", command="ls -l"), before)
    assert not repeated(MalformedCall(id="1", name="bash", raw="", error=""), before)


def test_instead_of_a_repeated_call_comes_another_tool_or_the_answer() -> None:
    assert instead_of(GOOD.call, turn(BAD), TOOLS) == Choice(tools=(READ, WRITE, EDIT, SEARCH))
    assert instead_of(GOOD.call, turn(GOOD), TOOLS) == ANSWER
    assert instead_of(BAD.call, turn(BAD), (BASH,)) == ANSWER
