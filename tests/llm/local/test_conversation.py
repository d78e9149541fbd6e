from __future__ import annotations

from helloclaw.llm.local.conversation import NO_IMAGE, NO_RESULT, Step, Turn, turns_of
from helloclaw.llm.messages import (
    ImageBlock,
    MalformedCall,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResult,
    user_text,
)

LIST = ToolCall(id="1", name="bash", input={"command": "ls"})
READ = ToolCall(id="2", name="read_file", input={"path": "a"})


def said(*blocks: TextBlock | ToolCall | MalformedCall | ThinkingBlock) -> Message:
    return Message(role="assistant", content=blocks)


def results(*blocks: ToolResult | TextBlock) -> Message:
    return Message(role="user", content=blocks)


def test_a_history_is_turns_of_steps() -> None:
    history = [
        user_text("look"),
        said(TextBlock(text="I will."), LIST, READ),
        results(ToolResult(tool_use_id="1", text="a\nb\n"), ToolResult(tool_use_id="2", text="no", is_error=True)),
        said(ThinkingBlock(text="hm"), TextBlock(text="There are a and b.")),
        user_text("thanks"),
    ]
    assert turns_of(history) == (
        Turn(
            request="look",
            steps=(Step(call=LIST, result="a\nb"), Step(call=READ, result="no", failed=True)),
            answer="There are a and b.",
        ),
        Turn(request="thanks"),
    )


def test_text_beside_results_is_a_wish_of_its_own() -> None:
    history = [
        user_text("look"),
        said(LIST),
        results(ToolResult(tool_use_id="1", text="a"), TextBlock(text="and be quick")),
    ]
    assert turns_of(history) == (
        Turn(request="look", steps=(Step(call=LIST, result="a"),)),
        Turn(request="and be quick"),
    )


def test_a_refusal_is_no_failure() -> None:
    denied = ToolResult(tool_use_id="1", text="Permission denied by user for bash", is_error=True)
    (turn,) = turns_of([user_text("go"), said(LIST), results(denied)])
    assert turn.steps == (Step(call=LIST, result="Permission denied by user for bash", refused=True),)


def test_what_is_missing_has_a_place() -> None:
    broken = MalformedCall(id="3", name="bash", raw="{", error="cut off")
    image = ToolResult(tool_use_id="2", text="", images=(ImageBlock(media_type="image/png", data=""),))
    history = [user_text("go"), said(LIST, READ, broken), results(image)]
    assert turns_of(history) == (
        Turn(
            request="go",
            steps=(Step(call=LIST, result=NO_RESULT), Step(call=READ, result=NO_IMAGE), Step(call=broken)),
        ),
    )


def test_date_and_directory_are_left_out_and_the_mode_is_not() -> None:
    note = "<environment>\nDate: Monday\nWorking directory: /w{}\n</environment>"
    (plain,) = turns_of([Message(role="user", content=(TextBlock(text="hi"), TextBlock(text=note.format(""))))])
    (plan,) = turns_of([user_text(f"{note.format(chr(10) + 'Mode: plan. Only read.')}\n\nhi")])
    assert (plain.request, plan.request) == ("hi", "Mode: plan. Only read.\nhi")


def test_nothing_said_is_no_turn() -> None:
    assert turns_of([]) == ()
