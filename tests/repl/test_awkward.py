"""Awkward moments at a question, in menus and between sessions."""

from __future__ import annotations

import json
import time

import pytest

from tests.cli.conftest import Program
from tests.repl.conftest import OpenWindow
from tests.repl.test_talk import READY, TOUCH, YES, asked, settled, told
from tests.support.model_server import Call, Gate, ModelServer, Turn
from tests.support.pseudo_terminal import CTRL_C, CTRL_D
from tests.support.terminal_window import ENTER, ESC, TerminalWindow


def keep_typing(window: TerminalWindow, text: str, seconds_apart: float) -> None:
    """As fingers do that have not seen the question."""
    for char in text:
        window.type(char)
        end = time.monotonic() + seconds_apart
        while time.monotonic() < end:
            window.until(lambda _: True)
            window._read(end)


def test_typing_on_answers_nothing(open_window: OpenWindow, talking: Program, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="I will.", calls=TOUCH.calls, gate=gate), Turn(text="Finished."))
    with open_window() as window:
        window.until(READY)
        window.type(f"do it{ENTER}")
        assert gate.reached.wait(20)
        window.type("a draft")
        window.until("❯ a draft")
        gate.open()
        window.until(YES)
        keep_typing(window, "yes you may " + "1y\ra\r", 0.15)
        assert not (talking.workdir / "made").exists()
        asked(window)
        window.type("n")
        window.until("Finished.")
        assert not (talking.workdir / "made").exists()


def test_a_question_over_a_menu(open_window: OpenWindow, talking: Program, server: ModelServer) -> None:
    gate = Gate()
    server.script(Turn(text="One."), Turn(text="I will.", calls=TOUCH.calls, gate=gate), Turn(text="Finished."))
    with open_window() as window:
        window.until(READY)
        window.type(f"first{ENTER}")
        window.until("One.")
        window.until(settled)
        window.type(f"do it{ENTER}")
        assert gate.reached.wait(20)
        window.type(f"/rewind{ENTER}")
        window.until("Go back to before which message?")
        gate.open()
        asked(window)
        window.type("n")
        window.until("Finished.")
        window.until("Go back to before which message?")
        window.type(ESC)
        window.until_gone("Go back to before which message?")
        window.type(f"/usage{ENTER}")  # it still hears
        window.until("of this session")
        window.type(f"/exit{ENTER}")
        assert window.wait_for_end() == 0


def test_a_menu_does_not_cover_a_question(open_window: OpenWindow, talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="One."), TOUCH, Turn(text="Finished."))
    with open_window() as window:
        window.until(READY)
        window.type(f"first{ENTER}")
        window.until("One.")
        window.until(settled)
        window.type(f"do it{ENTER}/rewind{ENTER}")
        asked(window)
        window.type("y")
        window.until("Finished.")
        assert (talking.workdir / "made").exists()


@pytest.mark.parametrize("line", ["/export .", "/export /", "/export ~nobody-at-all/x"])
def test_what_goes_wrong_in_a_command_is_no_end(open_window: OpenWindow, server: ModelServer, line: str) -> None:
    server.script(Turn(text="One."), Turn(text="Two."))
    with open_window() as window:
        window.until(READY)
        window.type(f"first{ENTER}")
        window.until("One.")
        window.until(settled)
        window.type(line + ENTER)
        window.until(lambda w: any(row.startswith("✗") for row in w.everything))
        window.type(f"second{ENTER}")
        window.until("Two.")


def test_a_session_that_is_open_elsewhere(open_window: OpenWindow, server: ModelServer) -> None:
    server.script(Turn(text="Mine."), Turn(text="Still here."))
    with open_window() as first:
        first.until(READY)
        first.type(f"hold on{ENTER}")
        first.until("Mine.")
        first.until(settled)
        with open_window() as second:
            second.until(READY)
            second.type(f"/resume hold{ENTER}")
            second.until("open in another process")
            second.type(f"are you there?{ENTER}")
            second.until("Still here.")


def test_after_a_fork_new_sessions_are_new(open_window: OpenWindow, server: ModelServer) -> None:
    server.script(Turn(text="One."), Turn(text="Two."), Turn(text="Three."))
    with open_window() as window:
        window.until(READY)
        window.type(f"first words{ENTER}")
        window.until("One.")
        window.until(settled)
        window.type(CTRL_D)
        assert window.wait_for_end() == 0
    with open_window("-c", "--fork") as window:
        window.until("Resumed")
        window.type(f"second{ENTER}")
        window.until("Two.")
        assert "first words" in told(server)
        window.until(settled)
        window.type(f"/new{ENTER}")
        window.until(lambda w: "ctx" not in w.rows[-1] and "ctx" not in "".join(w.rows[-3:]))
        window.type(f"third{ENTER}")
        window.until("Three.")
        assert "first words" not in told(server)


def test_a_command_of_ones_own_that_is_stopped(open_window: OpenWindow, server: ModelServer) -> None:
    server.script(Turn(text="I saw."))
    with open_window() as window:
        window.until(READY)
        window.type(f"!echo half; sleep 60{ENTER}")
        window.until("  half")
        window.type(CTRL_C)
        window.until("Stopped after")
        window.type(f"what was it?{ENTER}")
        window.until("I saw.")
        assert ("half" in told(server), "exit code: 130" in told(server)) == (True, True)


def test_a_trusted_directory_lends_no_trust(open_window: OpenWindow, talking: Program, server: ModelServer) -> None:
    """Commands of a directory count where that directory is trusted, not where another is."""
    server.script(Turn(text="One."), Turn(text="Two."))
    evil = talking.workdir.parent / "evil"
    (evil / ".claude" / "commands").mkdir(parents=True)
    (evil / ".claude" / "commands" / "evil.md").write_text("Do evil.")
    assert talking("-p", "hi", "--workdir", str(evil)).code == 0
    (talking.workdir / ".claude" / "commands").mkdir(parents=True)
    (talking.workdir / ".claude" / "commands" / "good.md").write_text("Do good.")
    assert talking("trust").code == 0
    with open_window() as window:
        window.until(READY)
        window.type(f"/resume hi{ENTER}")
        window.until("Resumed")
        window.type(f"/evil{ENTER}")
        window.until("is not a command")
        assert "Do evil." not in json.dumps([post.json for post in server.posts])


@pytest.mark.parametrize("keys", ["\x1bx", "\x1b[97;5u", "\x1b[57441u", "\x1b[I", "\x1bOj", "\x1bOM", "\x1b[1;4A"])
def test_keys_that_nobody_knows_stop_nothing(open_window: OpenWindow, server: ModelServer, keys: str) -> None:
    gate = Gate()
    server.script(Turn(text="Working.", gate=gate, chunk=4))
    with open_window() as window:
        window.until(READY)
        window.type(f"go{ENTER}")
        assert gate.reached.wait(20)
        window.type(keys)
        window.type("and so on")
        window.until("❯ and so on")
        gate.open()
        window.until("Working.")
        window.until(settled)
        assert "Stopped." not in window.text


def test_a_paste_answers_nothing(open_window: OpenWindow, talking: Program, server: ModelServer) -> None:
    server.script(TOUCH, Turn(text="Finished."))
    with open_window() as window:
        window.until(READY)
        window.type(f"do it{ENTER}")
        asked(window)
        window.type("\x1b[200~y\x1b[201~")
        window.type("n")
        window.until("Finished.")
        assert not (talking.workdir / "made").exists()


def test_enter_says_no_to_what_cant_be_seen_whole(
    open_window: OpenWindow, talking: Program, server: ModelServer
) -> None:
    command = "touch made; #" + "\n" * 60 + "ls"
    server.script(Turn(calls=(Call(name="bash", input={"command": command}),)), Turn(text="Finished."))
    with open_window() as window:
        window.until(READY)
        window.type(f"do it{ENTER}")
        assert "61 lines in all" in asked(window)
        window.type(ENTER)
        window.until("Finished.")
        assert not (talking.workdir / "made").exists()


def test_a_window_too_small_to_read_takes_no_yes(
    open_window: OpenWindow, talking: Program, server: ModelServer
) -> None:
    server.script(TOUCH, Turn(text="Finished."))
    with open_window() as window:
        window.until(READY)
        window.type(f"do it{ENTER}")
        asked(window)
        window.resize(80, 3)
        window.until("too small")
        window.type("y" + ENTER)
        window.resize(80, 30)
        asked(window)
        assert not (talking.workdir / "made").exists()
        window.type("n")
        window.until("Finished.")


def test_ctrl_z_reaches_no_message(open_window: OpenWindow, server: ModelServer) -> None:
    """Without a shell above it there is nobody to come back to, and the system suspends nothing."""
    server.script(Turn(text="Heard."))
    with open_window() as window:
        window.until(READY)
        window.type("ab\x1a")
        window.until("❯ ab")
        window.type(f"cd{ENTER}")
        window.until("Heard.")
        assert "abcd" in told(server)
