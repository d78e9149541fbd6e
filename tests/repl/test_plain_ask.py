"""The permission question: everything that would run is on the screen, and only a plain yes is one."""

from __future__ import annotations

import pytest

from helloclaw.i18n import texts
from helloclaw.protocol.commands import Answer
from helloclaw.protocol.events import PermissionAsk
from helloclaw.repl.plain_ask import question, read_answer

ASK = PermissionAsk(
    ask_id="1",
    tool_name="bash",
    tool_input={"command": "rm -r build\n\x1b]52;c;eA==\x07 # \u202esafe"},
    reason="it removes files",
    suggested_rules=("Bash(rm -r build)",),
    timeout_sec=90,
)


def test_the_whole_command_is_shown_and_nothing_in_it_reaches_the_terminal() -> None:
    assert question(ASK, texts("en")) == (
        "HelloClaw wants to run bash(rm -r build \\x1b]52;c;eA==\\x07 # \\u202esafe):\n"
        "    rm -r build\n"
        "    \\x1b]52;c;eA==\\x07 # \\u202esafe\n"
        "  Why it asks: it removes files\n"
        "  y once · n no (n REASON tells the model why) · a always: Bash(rm -r build) · 90 s: "
    )


def test_without_a_rule_nothing_can_be_always() -> None:
    ask = PermissionAsk(ask_id="1", tool_name="x", tool_input={"a": 1}, reason="r")
    assert question(ask, texts("zh")) == (
        'HelloClaw 想运行 x({"a": 1})：\n    {\n      "a": 1\n    }\n  询问的原因：r\n'
        "  y 这一次 · n 不（n 原因 会告诉模型）· 180 秒： "
    )
    assert read_answer(ask, "a") is None


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("y", Answer(ask_id="1", decision="allow")),
        (" YES ", Answer(ask_id="1", decision="allow")),
        ("是", Answer(ask_id="1", decision="allow")),
        ("n", Answer(ask_id="1", decision="deny")),
        ("n use make clean", Answer(ask_id="1", decision="deny", reason="use make clean")),
        ("a", Answer(ask_id="1", decision="always", rule="Bash(rm -r build)")),
        ("", None),
        ("y but not really", None),
        ("yy", None),
        ("ok", None),
        ("always do it", None),
        ("n\x00", None),
    ],
)
def test_lines(line: str, answer: Answer | None) -> None:
    assert read_answer(ASK, line) == answer
