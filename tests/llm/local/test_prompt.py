from __future__ import annotations

from helloclaw.llm.local.conversation import Step, Turn
from helloclaw.llm.local.prompt import (
    LEAN_TOOLS,
    RESULT_CHARACTERS,
    conversation,
    examples,
    offered,
    speaks_only_latin,
    system_text,
)
from helloclaw.llm.messages import MalformedCall, Message, TextBlock, ToolCall, ToolSpec, text_of, user_text
from helloclaw.tools.registry import default_tools, lean_tools

LEAN = tuple(tool.spec for tool in lean_tools())
MANY = tuple(tool.spec for tool in default_tools())


def said(text: str) -> Message:
    return Message(role="assistant", content=(TextBlock(text=text),))


def test_of_many_tools_the_lean_ones_are_offered() -> None:
    assert sorted(tool.name for tool in offered(MANY)) == sorted(LEAN_TOOLS)
    own = tuple(ToolSpec(name=f"own_{index}", description="", input_schema={}) for index in range(9))
    assert (offered(LEAN), offered(own)) == (LEAN, own[:8])


def test_the_system_text_lists_the_tools_after_the_callers_words() -> None:
    own = ToolSpec(
        name="weather",
        description="Tell the weather. Anywhere.\nMore.",
        input_schema={"properties": {"city": {"type": "string"}, "day": {}}, "required": ["city"]},
    )
    free = ToolSpec(name="list_things", description="All of them.", input_schema={"properties": {"kind": {}}})
    text = system_text("You are Claw.", (LEAN[0], own, free))
    assert text.startswith(
        "You are Claw.\n\n"
        "Tools:\n"
        "- read_file(path): read a text file\n"
        "- weather(city): Tell the weather\n"
        "- list_things(kind?): All of them.\n\n"
        "To use a tool, reply with only one JSON object:\n"
    )


def test_a_long_system_text_is_cut() -> None:
    assert len(system_text("x" * 100_000, LEAN)) < 4000


def test_a_turn_is_written_as_text() -> None:
    turn = Turn(
        request="把 x 改成 y",
        steps=(
            Step(call=ToolCall(id="1", name="read_file", input={"path": "文.txt"}), result=" 9\tx\n10\t1\tz"),
            Step(call=ToolCall(id="2", name="edit_file", input={"path": "文.txt"}), result="not there", failed=True),
            Step(call=MalformedCall(id="3", name="bash", raw='{"name": "ba', error=""), result="cut off"),
        ),
        answer="好了。",
    )
    assert conversation([turn]) == (
        user_text("把 x 改成 y"),
        said('{"name": "read_file", "arguments": {"path": "文.txt"}}'),
        user_text("Result:\nx\n1\tz\n\n(用中文回答)"),
        said('{"name": "edit_file", "arguments": {"path": "文.txt"}}'),
        user_text("Result:\nError: not there\n\n(That failed. The request is: 把 x 改成 y)\n(用中文回答)"),
        said('{"name": "ba'),
        user_text("Result:\ncut off\n\n(用中文回答)"),
        said("好了。"),
    )


def test_a_long_result_keeps_its_ends() -> None:
    turn = Turn(request="go", steps=(Step(call=ToolCall(id="1", name="bash", input={}), result=f"a{'x' * 10_000}z"),))
    result = text_of(conversation([turn])[-1])
    assert len(result) < RESULT_CHARACTERS + 100
    assert result.startswith("Result:\naxx")
    assert result.endswith("xz\n\n(Answer in English)")


def test_examples_use_only_what_is_offered() -> None:
    few = examples(tuple(tool for tool in LEAN if tool.name == "read_file"))
    assert not any('"bash"' in text_of(message) or '"edit_file"' in text_of(message) for message in few)
    assert any('"read_file"' in text_of(message) for message in few)
    assert len(examples(LEAN)) > len(few) > len(examples(()))


def test_what_gives_a_reason_to_write_chinese() -> None:
    listed = Step(call=ToolCall(id="1", name="bash", input={"command": "ls"}), result="问候.txt")
    assert speaks_only_latin([Turn(request="List the files.", answer="There are none."), Turn(request="And now?")])
    assert not speaks_only_latin([Turn(request="列出文件")])
    assert not speaks_only_latin([Turn(request="List the files.", steps=(listed,))])
    assert not speaks_only_latin([Turn(request="How do you say cat in Chinese?")])
