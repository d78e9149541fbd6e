"""Any history, repaired, is in order; repairing twice changes nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from helloclaw.agent.repair import EMPTY, LOST, Repaired, repair
from helloclaw.llm.messages import (
    Block,
    ImageBlock,
    MalformedCall,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResult,
    user_text,
)


def call(id: str, name: str = "bash") -> ToolCall:
    return ToolCall(id=id, name=name, input={})


def result(id: str, text: str = "ok") -> ToolResult:
    return ToolResult(tool_use_id=id, text=text)


def user(*blocks: Block) -> Message:
    return Message(role="user", content=blocks)


def assistant(*blocks: Block) -> Message:
    return Message(role="assistant", content=blocks)


def text(words: str) -> TextBlock:
    return TextBlock(text=words)


def test_a_right_history_is_left_alone() -> None:
    history = (user_text("hi"), assistant(text("let me see"), call("a")), user(result("a")), assistant(text("done")))
    assert repair(history) == Repaired(history)


def test_a_lost_result_is_filled_in_where_the_api_wants_it() -> None:
    broken = (user_text("hi"), assistant(call("a"), call("b")), user(result("b"), text("go on")))

    repaired = repair(broken)

    lost = ToolResult(tool_use_id="a", text=LOST, is_error=True)
    assert repaired.messages == (*broken[:2], user(lost, result("b"), text("go on")))
    assert repaired.fixes == ("added the missing result of bash (a)",)


def test_a_call_at_the_very_end_gets_its_result() -> None:
    repaired = repair((user_text("hi"), assistant(call("a"))))
    assert repaired.messages[-1] == user(ToolResult(tool_use_id="a", text=LOST, is_error=True))


def test_results_come_first_and_in_the_order_of_their_calls() -> None:
    broken = (user_text("hi"), assistant(call("a"), call("b")), user(text("steer"), result("b", "2"), result("a", "1")))
    assert repair(broken).messages[-1] == user(result("a", "1"), result("b", "2"), text("steer"))


def test_a_late_result_is_moved_to_its_call() -> None:
    broken = (user_text("hi"), assistant(call("a")), user(text("wait")), assistant(text("?")), user(result("a")))
    assert repair(broken).messages == (
        broken[0],
        broken[1],
        user(result("a"), text("wait")),
        assistant(text("?")),
    )


def test_repeated_ids_become_unique_and_keep_their_results() -> None:
    broken = (
        user_text("hi"),
        assistant(call("read_file:0")),
        user(result("read_file:0", "first")),
        assistant(call("read_file:0")),
        user(result("read_file:0", "second")),
    )
    assert repair(broken).messages[3:] == (
        assistant(call("read_file:0_2")),
        user(result("read_file:0_2", "second")),
    )


def test_two_calls_with_one_id_in_one_message_each_keep_their_result() -> None:
    broken = (user_text("hi"), assistant(call("x"), call("x")), user(result("x", "1"), result("x", "2")))
    assert repair(broken).messages[1:] == (
        assistant(call("x"), call("x_2")),
        user(result("x", "1"), result("x_2", "2")),
    )


def test_empty_content_and_an_assistant_at_the_start_are_filled() -> None:
    repaired = repair((assistant(ThinkingBlock(text="hm")), user(text("  "))))
    assert repaired.messages == (
        user(text(EMPTY)),
        assistant(ThinkingBlock(text="hm"), text(EMPTY)),
        user(text(EMPTY)),
    )


ids = st.sampled_from(["a", "b", "c", "", "read_file:0"])
words = st.sampled_from(["", " ", "hello", "你好"])
blocks: st.SearchStrategy[Block] = st.one_of(
    st.builds(TextBlock, text=words),
    st.builds(ThinkingBlock, text=words, signature=st.none() | st.just("sig")),
    st.builds(ToolCall, id=ids, name=st.just("bash"), input=st.just({})),
    st.builds(MalformedCall, id=ids, name=st.just("bash"), raw=st.just("{"), error=st.just("cut off")),
    st.builds(ToolResult, tool_use_id=ids, text=words),
    st.builds(ImageBlock, media_type=st.just("image/png"), data=st.just("aGk=")),
)
histories = st.lists(
    st.builds(
        Message,
        role=st.sampled_from(["user", "assistant"]),
        content=st.lists(blocks, max_size=4).map(tuple),
        origin=st.sampled_from([None, "p/m"]),
    ),
    max_size=8,
)


def problems(messages: tuple[Message, ...]) -> list[str]:
    """What both APIs would refuse, told independently of the repair."""
    found: list[str] = []
    seen: set[str] = set()
    for index, message in enumerate(messages):
        if message.role != ("user", "assistant")[index % 2]:
            found.append(f"{index}: roles do not alternate")
        results = [block.tool_use_id for block in message.content if isinstance(block, ToolResult)]
        first = [block.tool_use_id for block in message.content[: len(results)] if isinstance(block, ToolResult)]
        before = messages[index - 1].content if index else ()
        wanted = [block.id for block in before if isinstance(block, ToolCall | MalformedCall)]
        if results != wanted or first != results:
            found.append(f"{index}: results {results} for calls {wanted}")
        for block in message.content:
            if isinstance(block, ToolCall | MalformedCall):
                if not block.id or block.id in seen:
                    found.append(f"{index}: id {block.id!r} is empty or repeated")
                seen.add(block.id)
            if isinstance(block, TextBlock | ToolResult) and not block.text.strip():
                found.append(f"{index}: empty text")
        if not any(not isinstance(block, ThinkingBlock) for block in message.content):
            found.append(f"{index}: nothing in it")
    last = messages[-1].content if messages else ()
    if any(isinstance(block, ToolCall | MalformedCall) for block in last):
        found.append("a call at the end has no result")
    return found


@given(histories)
def test_any_history_repaired_is_in_order_and_repairing_again_changes_nothing(history: list[Message]) -> None:
    repaired = repair(history)
    assert problems(repaired.messages) == []
    assert repair(repaired.messages) == Repaired(repaired.messages)


@given(histories)
def test_repair_keeps_every_word(history: list[Message]) -> None:
    def spoken(messages: list[Message] | tuple[Message, ...]) -> list[str]:
        texts = [block.text for message in messages for block in message.content if isinstance(block, TextBlock)]
        return sorted(each for each in texts if each.strip() and each != EMPTY)

    assert spoken(repair(history).messages) == spoken(history)
