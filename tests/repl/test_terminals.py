"""The conversation in other terminals: tmux, a dumb one, pipes, narrow ones, one that only knows ASCII."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from helloclaw.wording.width import columns
from tests.cli.conftest import Program
from tests.repl.conftest import OpenWindow
from tests.support.model_server import Call, Gate, ModelServer, Turn
from tests.support.pseudo_terminal import CTRL_D, PseudoTerminal
from tests.support.terminal_window import ENTER

MIXED = """# 标题 and title

A paragraph that is long enough to be wrapped, 中文也要换行，而且标点不能跑到行首。

| 名称 | value |
| --- | --- |
| 苹果 | 12 |

```python
def a_function_with_a_long_name(argument: int, another_argument: str) -> dict[str, int]:
    return {another_argument: argument}
```

- one
- two
"""


@pytest.mark.parametrize("width", [20, 40])
def test_narrow_terminals(open_window: OpenWindow, server: ModelServer, width: int) -> None:
    server.script(
        Turn(text=MIXED), Turn(calls=(Call(name="bash", input={"command": "touch " + "x" * 70}),)), Turn(text="No.")
    )
    with open_window(columns=width, rows=50, LC_ALL="zh_CN.UTF-8") as window:
        window.until("❯")
        window.type(f"说点什么{ENTER}")
        window.until("• two")
        window.until(lambda w: not any("Esc" in row for row in w.rows))
        assert max(columns(row) for row in window.everything) <= width
        window.type(f"再来{ENTER}")
        window.until("1. 是")
        assert window.text.replace("\n", "").replace(" ", "").count("x" * 70) >= 1
        window.until(lambda w: "稍候" not in w.text or "稍候" not in "\n".join(w.rows))
        window.type("n")
        window.until("No.")


def test_a_dumb_terminal_gets_lines_and_no_escapes(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="**Hello**"))
    env = talking.environ | {"TERM": "dumb"}
    with PseudoTerminal(talking.command(), cwd=talking.workdir, env=env) as screen:
        screen.wait_for("> ")
        screen.type("hi\n")
        screen.wait_for("Hello")
        screen.type("/help\n")
        screen.wait_for("/rewind")
        screen.type("/exit\n")
        assert screen.wait_for_end() == 0
        assert "\x1b" not in screen.seen


def test_lines_from_a_pipe_are_said_one_after_the_other_and_nothing_is_asked(
    talking: Program, server: ModelServer
) -> None:
    touch = Turn(calls=(Call(name="bash", input={"command": "touch made"}),))
    server.script(Turn(text="One."), touch, Turn(text="Two."))
    ended = talking(stdin=b"first\n\nsecond\ny\n"[:14] + b"\n")
    assert (ended.code, ended.out.count("One."), ended.out.count("Two.")) == (0, 1, 1)
    assert not (talking.workdir / "made").exists()


def test_ascii_only(open_window: OpenWindow, server: ModelServer) -> None:
    server.script(Turn(text="Plain words."))
    with open_window(LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0") as window:
        window.until("/help")
        window.type(f"hi{ENTER}")
        window.until("Plain words.")
        window.until(lambda w: not any("Esc stops" in row for row in w.rows))
        window.type(CTRL_D)
        assert window.wait_for_end() == 0
        assert window.seen.isascii()


class Tmux:
    """A tmux server of its own with one window."""

    def __init__(self, root: Path) -> None:
        self.socket = str(root / "tmux.sock")

    def __call__(self, *words: str) -> str:
        command = ["tmux", "-S", self.socket, "-f", "/dev/null", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout

    def pane(self) -> str:
        return self("capture-pane", "-p", "-S", "-")

    def until(self, text: str) -> str:
        deadline = time.monotonic() + 20
        while text not in (seen := self.pane()):
            assert time.monotonic() < deadline, f"no {text!r} in:\n{seen}"
            time.sleep(0.05)
        return seen


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    tmux = Tmux(tmp_path)
    yield tmux
    subprocess.run(["tmux", "-S", tmux.socket, "kill-server"], check=False, capture_output=True)


def test_in_tmux_with_windows_that_change(tmux: Tmux, talking: Program, server: ModelServer) -> None:
    gate = Gate()
    paragraphs = [f"Paragraph {number} says something of its own that is long enough to wrap." for number in range(20)]
    server.script(Turn(text="\n\n".join(paragraphs), gate=gate, chunk=16))
    words = [str(word) for word in talking.command("--mode", "default")]
    settings = [f"{name}={value}" for name, value in talking.environ.items()]
    command = shlex.join(["env", *settings, f"TMUX_TMPDIR={os.fspath(talking.person)}", *words])
    tmux("new-session", "-d", "-x", "90", "-y", "24", "-c", str(talking.workdir), command)
    tmux.until("/help")
    tmux("send-keys", "tell me", "Enter")
    assert gate.reached.wait(20)
    for width, height in (("50", "24"), ("100", "30"), ("60", "15")):
        tmux("resize-window", "-x", width, "-y", height)
        tmux.until("Esc stops")
    gate.open()
    seen = tmux.until("Paragraph 19")
    flat = " ".join(seen.split())
    assert [number for number in range(20) if flat.count(f"Paragraph {number} says") != 1] == []
