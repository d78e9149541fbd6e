"""Cards as they stand in the scrollback, in both languages, and that none is too wide or can steer the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from helloclaw.i18n import Lang, texts
from helloclaw.llm.messages import ImageBlock
from helloclaw.protocol import events
from helloclaw.repl.output.cards import Cards
from helloclaw.repl.output.painter import Painter
from helloclaw.repl.output.rows import columns
from helloclaw.repl.output.theme import palette_for


def cards(width: int = 60, lang: Lang = "en", *, ascii: bool = False) -> Cards:
    return Cards(Painter(width, "none", palette_for("auto", {}), ascii=ascii), texts(lang), ascii=ascii)


def use(name: str = "bash", **arguments: Any) -> events.ToolUse:
    return events.ToolUse(id="1", name=name, input=arguments)


def end(output: str = "", **fields: Any) -> events.ToolEnd:
    return events.ToolEnd(id="1", name="bash", duration_ms=312, output_preview="", output=output, **fields)


def keeper() -> tuple[list[str], Callable[[str], int]]:
    kept: list[str] = []

    def fold(text: str) -> int:
        kept.append(text)
        return len(kept)

    return kept, fold


def test_a_tool_at_work_shows_the_last_of_its_progress() -> None:
    assert cards().tool_running("bash", {"command": "make"}, 12.4, "one\ntwo\x1b[31m\nthree\nfour\n").splitlines() == [
        "○ bash(make) · 12 s",
        "    two\\x1b[31m",
        "    three",
        "    four",
    ]


def test_short_output_is_shown_whole() -> None:
    kept, fold = keeper()
    assert cards().tool_done(use(command="git status"), end("clean  \n\tyes\n"), fold).splitlines() == [
        "● bash(git status) · 0.3 s",
        "    clean",
        "        yes",
    ]
    assert kept == []


def test_long_output_is_folded_and_kept() -> None:
    kept, fold = keeper()
    output = "".join(f"line {number}\n" for number in range(126))
    assert cards().tool_done(use(command="seq"), end(output), fold).splitlines() == [
        "● bash(seq) · 0.3 s",
        *(f"    line {number}" for number in range(6)),
        "    … 120 more rows (/show 1, or Ctrl-O for the last)",
    ]
    assert kept == [output]


def test_a_failure_is_told_by_its_mark() -> None:
    _, fold = keeper()
    assert cards(40, "zh", ascii=True).tool_done(use(command="x"), end("no such thing", error="no"), fold) == (
        "x bash(x) - 0.3 秒\n    no such thing\n"
    )


def test_a_command_of_several_lines_stands_below() -> None:
    _, fold = keeper()
    command = "cat <<E\n  one\nE\n" + "".join(f"echo {number}\n" for number in range(6))
    assert cards().tool_done(use(command=command), end(), fold).splitlines() == [
        "● bash · 0.3 s",
        "    cat <<E",
        "      one",
        "    E",
        "    echo 0",
        "    echo 1",
        "    echo 2",
        "    …",
    ]


def test_an_edit_shows_its_diff() -> None:
    kept, fold = keeper()
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"
    assert cards().tool_done(use("edit", path="x.py"), end("done", diff=diff), fold).splitlines() == [
        "● edit(x.py) · 0.3 s",
        "x.py",
        "  1 - a = 1",
        "  1 + a = 2",
    ]
    long = "--- a/x.py\n+++ b/x.py\n@@ -0,0 +1,100 @@\n" + "+x\n" * 100
    rows = cards().tool_done(use("edit", path="x.py"), end("done", diff=long), fold).splitlines()
    assert (len(rows), rows[-1]) == (62, "    … 41 more rows (/show 1, or Ctrl-O for the last)")
    assert kept == [long]


def test_a_denied_call_says_why() -> None:
    denied = events.ToolDenied(
        id="1", name="bash", input={"command": "rm -rf /"}, reason="it removes everything", output="", source="user"
    )
    assert cards().tool_denied(denied) == "⊘ bash(rm -rf /) · not run\n    it removes everything\n"


def test_what_a_person_says_has_room_around_it() -> None:
    image = ImageBlock(media_type="image/png", data="")
    message = events.UserMessage(text="你好\nand a second line that is too long for one row", images=(image,))
    assert cards(30).user_message(message).splitlines() == [
        "",
        "❯ 你好",
        "  and a second line that is",
        "  too long for one row",
        "  [image]",
        "",
    ]
    long = cards(30).user_message(events.UserMessage(text="\n".join(map(str, range(99)))))
    assert long.splitlines()[-3:] == ["  29", "  …", ""]


def test_the_rest() -> None:
    shown = cards(40, "zh")
    assert [
        shown.thinking_folded(3.4, 812, 2),
        shown.notice("A notice that is too long for a row of forty columns", "warning"),
        shown.error("Bad: \x1b[2J"),
        shown.notice(""),
        shown.compacted(events.Compacted(summary="", keep_from=1, before_tokens=9000, after_tokens=100)),
        shown.echo("/help"),
        shown.output("a\tb\n"),
        shown.own_command_done(1, 1.2),
        shown.todo_list([("completed", "read"), ("in_progress", "write"), ("pending", "test")]),
        cards(ascii=True).todo_list([("completed", "read"), ("in_progress", "write"), ("pending", "test")]),
    ] == [
        "✻ 思考了 3 秒，812 字（/show 2 查看）\n",
        "· A notice that is too long for a row of\n  forty columns\n",
        "✗ Bad: \\x1b[2J\n",
        "",
        "· 对话已压缩：9000 → 100 个 token\n",
        "\n❯ /help\n",
        "  a   b\n",
        "· 1.2 秒后以代码 1 退出；模型会看到输\n  出。\n",
        "  ☑ read\n  ▶ write\n  ☐ test\n",
        "  [x] read\n  [>] write\n  [ ] test\n",
    ]


ANY = st.text(max_size=60) | st.sampled_from(["\x1b]0;x\x07" * 9, "长" * 40, "x" * 90, "\t\t👩‍👩‍👧⚠️", "a\nb\rc"])


@given(ANY, ANY, st.sampled_from([20, 33, 80]), st.sampled_from(["en", "zh"]))
@settings(deadline=None)
def test_no_card_is_too_wide_or_steers_the_terminal(name: str, text: str, width: int, lang: str) -> None:
    shown = cards(width, "zh" if lang == "zh" else "en")
    _, fold = keeper()
    arguments = {"command": text}
    for card in (
        shown.tool_running(name, arguments, 1e5, text),
        shown.tool_done(use(name, **arguments), end(text * 9), fold),
        shown.tool_done(use(name, path=text), end(text, diff=text), fold),
        shown.tool_denied(
            events.ToolDenied(id="", name=name, input=arguments, reason=text, output="", source="permission")
        ),
        shown.user_message(events.UserMessage(text=text)),
        shown.thinking_folded(1e6, 10**9, 10**6),
        *(shown.notice(text), shown.error(text), shown.echo(text), shown.output(text), shown.todo_list([(name, text)])),
    ):
        assert card == "" or card.endswith("\n")
        for row in card.split("\n"):
            assert columns(row) <= width, row
            assert row == row.rstrip()
            assert not re.search(r"[\x00-\x1f\x7f-\x9f]", row)
