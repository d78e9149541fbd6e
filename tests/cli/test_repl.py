"""The plain REPL, in a real terminal."""

from __future__ import annotations

import json
import signal

import pytest

from tests.cli.conftest import Program
from tests.support.model_server import Call, Gate, ModelServer, Turn
from tests.support.pseudo_terminal import CTRL_C, CTRL_D, PseudoTerminal

TOUCH = Turn(text="I will.", calls=(Call(name="bash", input={"command": "touch made"}),))


def started(program: Program, *words: str) -> PseudoTerminal:
    return PseudoTerminal(program.command(*words), cwd=program.workdir, env=program.environ)


def told(server: ModelServer) -> str:
    return json.dumps(server.posts[-1].json["messages"], ensure_ascii=False)


def test_a_conversation(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="Hello \x1b]0;title\x07 you"), Turn(text="好的"))
    with started(talking) as screen:
        screen.wait_for("mode default · /help\n> ")
        screen.type("hi\n")
        assert "Hello \\x1b]0;title\\x07 you\n> " in screen.wait_for("you\n> ")
        screen.type("你好\n")
        screen.wait_for("好的\n> ")
        assert ("Hello" in told(server), "你好" in told(server)) == (True, True)
        screen.type("/exit\n")
        assert screen.wait_for_end() == 0


@pytest.mark.parametrize(
    ("typed", "ran", "model_hears"),
    [
        ("y\n", True, "(no output)"),
        ("n\n", False, "Permission denied by user for bash"),
        ("n use make\n", False, "Permission denied by user for bash: use make"),
        ("what?\ny\n", True, "(no output)"),
    ],
)
def test_a_permission_question(talking: Program, server: ModelServer, typed: str, ran: bool, model_hears: str) -> None:
    server.script(TOUCH, Turn(text="Finished."))
    with started(talking) as screen:
        screen.wait_for("> ")
        screen.type("do it\n")
        asked = screen.wait_for("180 s: ")
        assert "HelloClaw wants to run bash(touch made):\n    touch made\n  Why it asks: " in asked
        for line in typed.splitlines():
            screen.type(f"{line}\n")
        screen.wait_for("Finished.\n> ")
        assert ((talking.workdir / "made").exists(), model_hears in told(server)) == (ran, True)


def test_always_asks_no_more_in_this_session(talking: Program, server: ModelServer) -> None:
    server.script(TOUCH, Turn(text="Once."), TOUCH, Turn(text="Twice."))
    with started(talking) as screen:
        screen.wait_for("> ")
        screen.type("do it\n")
        screen.wait_for("always: ")
        screen.type("a\n")
        screen.wait_for("Once.\n> ")
        screen.type("again\n")
        assert "wants to run" not in screen.wait_for("Twice.\n> ")


def test_ctrl_c_stops_the_turn_and_twice_leaves(talking: Program, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="never seen", gate=gate), Turn(text="still here"))
    with started(talking) as screen:
        screen.wait_for("> ")
        screen.type("hi\n")
        assert gate.reached.wait(20)
        screen.type(CTRL_C)
        screen.wait_for("Stopped.\n> ")
        screen.type("and now?\n")
        screen.wait_for("still here\n> ")
        screen.type(CTRL_C)
        screen.wait_for("Press Ctrl-C again to leave.\n> ")
        screen.type(CTRL_C)
        assert screen.wait_for_end() == 0


def test_ctrl_c_at_a_question_runs_nothing(talking: Program, server: ModelServer) -> None:
    server.script(TOUCH)
    with started(talking) as screen:
        screen.wait_for("> ")
        screen.type("do it\n")
        screen.wait_for("180 s: ")
        screen.type(CTRL_C)
        screen.wait_for("Stopped.\n> ")
        screen.type(CTRL_D)
        assert screen.wait_for_end() == 0
    assert not (talking.workdir / "made").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_closed_terminal_ends_it_in_order(talking: Program, server: ModelServer, number: signal.Signals) -> None:
    gate = Gate()
    server.script(Turn(text="never seen", gate=gate))
    with started(talking) as screen:
        screen.wait_for("> ")
        screen.type("hi\n")
        assert gate.reached.wait(20)
        screen.process.send_signal(number)
        assert screen.wait_for_end() == 0
    (journal,) = (talking.home / "workspace/sessions").glob("*.jsonl")
    assert '"reason":"interrupted"' in journal.read_text().splitlines()[-1]


def test_slash_commands(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="first"), Turn(text="second"))
    with started(talking, "repl", "--mode", "plan", "--lang", "zh") as screen:
        screen.wait_for("模式 plan · /help\nplan> ")
        screen.type("/mode auto\n")
        screen.wait_for("模式：auto\nauto> ")
        screen.type("/mode yolo\n")
        screen.wait_for("没有“yolo”这个模式；可用的有 default、plan、auto\n")
        screen.type("/halp\n")
        screen.wait_for("没有 /halp 这个命令；你是指 /help 吗？")
        screen.type("/help\n")
        screen.wait_for("/rewind [NUMBER [files]]")
        screen.wait_for("auto> ")
        screen.type("zebra\n")
        screen.wait_for("first\nauto> ")
        screen.type("/clear\n")
        screen.wait_for("对话从这里重新开始")
        screen.type("two\n")
        screen.wait_for("second\n")
        assert "zebra" not in told(server)


def test_a_session_is_chosen_from_a_menu(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="blue"), Turn(text="as I said"))
    talking("-p", "which colour?")
    with started(talking, "-r") as screen:
        assert "which colour?" in screen.wait_for("Which one (1-1, Enter for none)? ")
        screen.type("7\n")
        screen.wait_for("? ")
        screen.type("1\n")
        screen.wait_for("> ")
        screen.type("again?\n")
        screen.wait_for("as I said\n")
        assert "which colour?" in told(server)
    with started(talking, "-r") as screen:
        screen.wait_for("? ")
        screen.type("\n")
        screen.wait_for("session: none was chosen\n")
        assert screen.wait_for_end() == 2


def test_chat_works_in_the_home_workspace(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="here"))
    with started(talking, "chat") as screen:
        screen.wait_for("> ")
        screen.type("where?\n")
        screen.wait_for("here\n> ")
    assert f"Working directory: {talking.home}/workspace" in told(server)


def test_an_answer_is_shown_as_it_comes(talking: Program, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="one two three four", gate=gate, chunk=8))
    with started(talking, "-p", "count") as screen:
        screen.wait_for("one")
        assert not screen.process.poll()
        gate.open()
        screen.wait_for(" four\n")
        assert screen.wait_for_end() == 0
