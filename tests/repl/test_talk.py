"""Dialogues in a real terminal: what is typed, what is seen, what the model hears."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Program
from tests.repl.conftest import OpenWindow
from tests.support.model_server import Call, Gate, ModelServer, Turn
from tests.support.pseudo_terminal import CTRL_C, CTRL_D
from tests.support.terminal_window import DOWN, ENTER, ESC, UP, TerminalWindow

TOUCH = Turn(text="I will.", calls=(Call(name="bash", input={"command": "touch made"}),))
READY = "/help"
YES = "Yes, once"


def told(server: ModelServer) -> str:
    return json.dumps(server.posts[-1].json["messages"], ensure_ascii=False)


def asked(window: TerminalWindow, mark: str = YES) -> str:
    """The question stands on the screen, and the moment in which keys are dropped after typing is over."""
    return window.until(lambda w: mark in "\n".join(w.rows) and "in a moment" not in "\n".join(w.rows))


def settled(window: TerminalWindow) -> bool:
    """Whether nothing runs: no row tells how to stop."""
    return "Esc stops" not in "\n".join(window.rows)


def test_a_conversation(open_window: OpenWindow, server: ModelServer) -> None:
    server.script(Turn(text="Hello \x1b]0;title\x07 you"), Turn(text="好的"))
    with open_window() as window:
        window.until(READY)
        window.type(f"hi{ENTER}")
        window.until(r"Hello \x1b]0;title\x07 you")
        window.type(f"你好{ENTER}")
        window.until("好的")
        assert ("Hello" in told(server), "你好" in told(server)) == (True, True)
        window.until(settled)
        window.type(CTRL_D)
        assert window.wait_for_end() == 0
        assert "helloclaw -r " in window.text


def test_leaving_without_a_word_leaves_nothing(open_window: OpenWindow, talking: Program) -> None:
    with open_window() as window:
        window.until(READY)
        window.type(CTRL_D)
        assert window.wait_for_end() == 0
        assert "helloclaw -r" not in window.text
    assert list((talking.home / "workspace" / "sessions").glob("*.jsonl")) == []


@pytest.mark.parametrize(
    ("keys", "ran", "heard"),
    [
        ("y", True, "(no output)"),
        (ENTER, True, "(no output)"),
        ("n", False, "Permission denied by user for bash"),
        (ESC, False, "Permission denied by user for bash"),
        ("q", False, "Permission denied by user for bash"),
        (CTRL_C, False, "Permission denied by user for bash"),
        (CTRL_D, False, "Permission denied by user for bash"),
        (UP + ENTER, False, "Permission denied by user for bash"),
    ],
)
def test_a_permission_question(
    open_window: OpenWindow, talking: Program, server: ModelServer, keys: str, ran: bool, heard: str
) -> None:
    server.script(TOUCH, Turn(text="Finished."))
    with open_window() as window:
        window.until(READY)
        window.type(f"do it{ENTER}")
        question = asked(window)
        assert "  touch made\n" in question
        assert "touch is not known to only read" in question
        assert "Always in this session: Bash(touch:*)" in question
        window.type(keys)
        if keys == UP + ENTER:  # up from the first row is the last one: no, and a reason
            asked(window, "Why not?")
            window.type(ENTER)
        window.until("Finished.")
        assert ((talking.workdir / "made").exists(), heard in told(server)) == (ran, True)


def test_a_reason_reaches_the_model(open_window: OpenWindow, talking: Program, server: ModelServer) -> None:
    server.script(TOUCH, Turn(text="Finished."))
    with open_window() as window:
        window.until(READY)
        window.type(f"do it{ENTER}")
        asked(window)
        window.type("r")
        asked(window, "Why not?")
        window.type(f"用 make 来做{ENTER}")
        window.until("Finished.")
        assert "Permission denied by user for bash: 用 make 来做" in told(server)
        assert not (talking.workdir / "made").exists()


def test_always_asks_no_more_in_this_session(open_window: OpenWindow, server: ModelServer) -> None:
    server.script(TOUCH, Turn(text="Once."), TOUCH, Turn(text="Twice."))
    with open_window() as window:
        window.until(READY)
        window.type(f"do it{ENTER}")
        asked(window)
        window.type("a")
        window.until("Once.")
        window.type(f"again{ENTER}")
        assert window.until("Twice.").count("HelloClaw wants to run") == 1


def test_a_terminal_that_goes_away_denies(open_window: OpenWindow, talking: Program, server: ModelServer) -> None:
    server.script(TOUCH)
    window = open_window()
    with window:
        window.until(READY)
        window.type(f"do it{ENTER}")
        asked(window)
        window.hang_up()
        assert window.process.wait(20) == 0
    assert not (talking.workdir / "made").exists()


def test_keys_typed_into_a_text_do_not_answer_a_question(
    open_window: OpenWindow, talking: Program, server: ModelServer
) -> None:
    gate = Gate()
    server.script(Turn(text="I will.", calls=TOUCH.calls, gate=gate), Turn(text="Finished."))
    with open_window() as window:
        window.until(READY)
        window.type(f"do it{ENTER}")
        assert gate.reached.wait(20)
        window.type("typ")
        window.until("❯ typ")
        gate.open()
        window.until(YES)
        window.type(f"y{ENTER}")  # what the fingers were about to write
        asked(window)
        assert not (talking.workdir / "made").exists()
        window.type("n")
        window.until("Finished.")
        window.until("❯ typ")  # and the text is as it was


def test_a_message_typed_while_the_agent_works(open_window: OpenWindow, server: ModelServer) -> None:
    gate = Gate()
    calls = (Call(name="bash", input={"command": "echo one"}),)
    server.script(Turn(text="Working.", calls=calls, gate=gate), Turn(text="Heard you."))
    with open_window() as window:
        window.until(READY)
        window.type(f"begin{ENTER}")
        assert gate.reached.wait(20)
        window.type(f"also this{ENTER}")
        window.until("next: also this")
        gate.open()
        window.until("Heard you.")
        assert "also this" in told(server)
        window.until_gone("next: also this")


def test_a_waiting_message_comes_back(open_window: OpenWindow, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="Working on it.", gate=gate))
    with open_window() as window:
        window.until(READY)
        window.type(f"begin{ENTER}")
        assert gate.reached.wait(20)
        window.type(f"also this{ENTER}")
        window.until("next: also this")
        window.type(UP)
        window.until("❯ also this")
        window.until_gone("next: also this")
        gate.open()
        window.until(settled)
        assert "also this" not in told(server)


def test_stopping_gives_waiting_messages_back(open_window: OpenWindow, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="never seen", gate=gate), Turn(text="Still here."))
    with open_window() as window:
        window.until(READY)
        window.type(f"begin{ENTER}")
        assert gate.reached.wait(20)
        window.type(f"also this{ENTER}")
        window.until("next: also this")
        window.type(ESC)
        window.until("Stopped.")
        window.until("❯ also this")
        window.type(ENTER)
        window.until("Still here.")
        assert len(server.posts) == 2


def test_ctrl_c_empties_the_line_then_leaves(open_window: OpenWindow) -> None:
    with open_window() as window:
        window.until(READY)
        window.type("half a thought")
        window.until("❯ half a thought")
        window.type(CTRL_C)
        window.until_gone("❯ half a thought")
        window.type(CTRL_C)
        window.until("Press Ctrl-C again to leave.")
        window.type(CTRL_C)
        assert window.wait_for_end() == 0


def test_a_command_of_ones_own(open_window: OpenWindow, talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="I saw it."))
    with open_window() as window:
        window.until(READY)
        window.type(f"!echo grüße; touch mine; exit 3{ENTER}")
        window.until("grüße\n")
        assert (talking.workdir / "mine").exists()
        window.until(settled)
        assert server.posts == []
        window.type(f"what did it print?{ENTER}")
        window.until("I saw it.")
        assert "grüße" in told(server)


def test_rewind_takes_words_and_files_back(open_window: OpenWindow, talking: Program, server: ModelServer) -> None:
    write = Turn(calls=(Call(name="write_file", input={"path": "note.txt", "content": "second\n"}),))
    (talking.workdir / "note.txt").write_text("first\n")
    read = Turn(calls=(Call(name="read_file", input={"path": "note.txt"}),))
    server.script(read, write, Turn(text="Changed it."), Turn(text="Anew."))
    with open_window() as window:
        window.until(READY)
        window.type(f"change the note{ENTER}")
        asked(window)
        window.type("y")
        window.until("Changed it.")
        window.until(settled)
        window.type(f"/rewind{ENTER}")
        asked(window, "Go back to before which message?")
        window.type(ENTER)
        asked(window, "Only the conversation")
        window.type(DOWN + ENTER)
        window.until("Put back: ")
        assert (talking.workdir / "note.txt").read_text() == "first\n"
        window.until("❯ change the note")
        window.type(f", please{ENTER}")
        window.until("Anew.")
        assert ("Changed it." in told(server), "change the note, please" in told(server)) == (False, True)


def test_resume_by_menu(open_window: OpenWindow, server: ModelServer) -> None:
    server.script(Turn(text="Noted."), Turn(text="Of course."))
    with open_window() as window:
        window.until(READY)
        window.type(f"remember the teapot{ENTER}")
        window.until("Noted.")
        window.until(settled)
        window.type(CTRL_D)
        assert window.wait_for_end() == 0
    with open_window("-r") as window:
        window.until("remember the teapot")
        window.type("teapot")
        window.type(ENTER)
        window.until("Noted.")
        window.until("Resumed")
        window.type(f"go on{ENTER}")
        window.until("Of course.")
        assert "remember the teapot" in told(server)


def test_chinese_in_pieces(open_window: OpenWindow, server: ModelServer) -> None:
    """As an input method sends it: characters as bytes, some of them split between two reads."""
    server.script(Turn(text="收到。"))
    with open_window(columns=40) as window:
        window.until(READY)
        for byte in "请把“你好，世界”写进文件。".encode():
            window.type_bytes(bytes([byte]))
        window.until("❯ 请把“你好，世界”写进文件。")
        window.type("\x1b[D\x1b[D\x7f")  # left twice, then delete what stands before
        window.until("❯ 请把“你好，世界”写进件。")
        window.type(ENTER)
        window.until("收到。")
        assert "请把“你好，世界”写进件。" in told(server)


def test_a_paste_of_ten_thousand_lines(open_window: OpenWindow, server: ModelServer) -> None:
    server.script(Turn(text="That is much."))
    pasted = "\n".join(f"line {number} of it" for number in range(10_000))
    with open_window() as window:
        window.until(READY)
        window.type("Look: ")
        window.type(f"\x1b[200~{pasted}\x1b[201~")
        window.until("10000 lines]")
        window.type(ENTER)
        window.until("That is much.")
        assert json.dumps(f"Look: {pasted}")[1:-1] in told(server)


def test_completion_of_commands_and_files(open_window: OpenWindow, talking: Program, server: ModelServer) -> None:
    (talking.workdir / "读我.md").write_text("the secret word is teapot\n")
    server.script(Turn(text="Read it."))
    with open_window() as window:
        window.until(READY)
        window.type("/ren")
        window.until("/rename")
        window.type(CTRL_C)
        window.type("look at @读")
        window.until(lambda w: any("读我.md" in row and "look at" not in row for row in w.rows))
        window.type("\t")
        window.until("look at @读我.md")
        window.type(ENTER)
        window.type(ENTER)
        window.until("Read it.")
        assert "the secret word is teapot" in told(server)


def test_a_stream_while_the_window_changes(open_window: OpenWindow, server: ModelServer) -> None:
    gate = Gate()
    text = "\n\n".join(f"Paragraph {number} tells of something that takes its time." for number in range(30))
    server.script(Turn(text=text, gate=gate, chunk=8))
    with open_window(columns=100, rows=20) as window:
        window.until(READY)
        window.type(f"tell me{ENTER}")
        assert gate.reached.wait(20)
        window.resize(60, 30)
        window.until("Esc stops")
        window.resize(90, 12)
        gate.open()
        window.until("Paragraph 29")
        window.until(settled)
        assert [f"Paragraph {n} " in window.text for n in range(30)] == [True] * 30
        window.type(f"/exit{ENTER}")
        assert window.wait_for_end() == 0


def test_without_colour(open_window: OpenWindow, server: ModelServer) -> None:
    server.script(Turn(text="**Bold** and `code`"))
    with open_window(NO_COLOR="1") as window:
        window.until(READY)
        window.type(f"hi{ENTER}")
        window.until("Bold and code")
        colours = [
            code for code in window.sgr_codes() if code not in {"0", "1", "2", "3", "4", "7", "22", "23", "24", "27"}
        ]
        assert colours == []


@pytest.mark.parametrize("phase", ["before the first byte", "in the answer", "in a tool", "in a question"])
def test_interrupt_in_every_phase(open_window: OpenWindow, server: ModelServer, phase: str) -> None:
    gate = Gate()
    sleep = Turn(text="I wait.", calls=(Call(name="bash", input={"command": "sleep 60"}),))
    script = {
        "before the first byte": Turn(gate=gate),
        "in the answer": Turn(text="word " * 2000, gate=gate, chunk=64),
        "in a tool": sleep,
        "in a question": TOUCH,
    }[phase]
    server.script(script, Turn(text="Still here."))
    with open_window("--allow", "Bash(sleep:*)") as window:
        window.until(READY)
        window.type(f"go{ENTER}")
        match phase:
            case "in a tool":
                window.until("Running bash")
            case "in a question":
                asked(window)
            case _:
                assert gate.reached.wait(20)
                window.until("Esc stops")
        if phase == "in a question":
            window.type(ESC)
        else:
            window.type(CTRL_C)
            window.until("Stopped.")
        window.until(settled)
        if phase != "in a question":
            window.type(f"and now?{ENTER}")
        window.until("Still here.")


def test_a_plan_is_shown_as_a_list(open_window: OpenWindow, server: ModelServer) -> None:
    items = [
        {"content": "Look", "status": "completed", "activeForm": "Looking"},
        {"content": "写代码", "status": "in_progress", "activeForm": "正在写代码"},
    ]
    server.script(Turn(calls=(Call(name="TodoWrite", input={"items": items}),)), Turn(text="Planned."))
    with open_window() as window:
        window.until(READY)
        window.type(f"plan it{ENTER}")
        assert "  ☑ Look\n  ▶ 写代码\n" in window.until("Planned.")
