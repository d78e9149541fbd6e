"""How much may be done unasked, and is this directory trusted?"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from helloclaw.settings.trust import is_trusted, trusted
from helloclaw.storage.paths import Home
from tests.support.terminal_window import DOWN, ENTER, ESC, TerminalWindow

MODE = """
import asyncio, os
from helloclaw.i18n import choose, texts
from helloclaw.repl.first_start.questions import ask_mode, remember_mode
from helloclaw.storage.paths import find_home
mode = asyncio.run(ask_mode(texts(choose(None, os.environ)), "default"))
if mode:
    remember_mode(find_home(os.environ), mode, os.environ)
print("mode", mode, ".")
"""
TRUST = """
import asyncio, os
from pathlib import Path
from helloclaw.i18n import choose, texts
from helloclaw.repl.first_start.questions import ask_trust
from helloclaw.storage.paths import find_home
from helloclaw.repl.menu import Interrupted
try:
    trusted = asyncio.run(ask_trust(texts(choose(None, os.environ)), find_home(os.environ), Path("work")))
except Interrupted:
    trusted = False
print("trusted", trusted, ".")
"""


class Person:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = Home(root / ".helloclaw")
        self.work = root / "work"
        self.work.mkdir()

    def runs(self, program: str, columns: int = 80, **environ: str) -> TerminalWindow:
        env = {"HOME": str(self.root), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", **environ}
        env |= {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}
        return TerminalWindow([sys.executable, "-c", program], cwd=self.root, env=env, columns=columns)

    def answers(self, key: str) -> bool:
        with self.runs(TRUST) as window:
            window.until("Do you trust")
            window.type(key)
            return "trusted True ." in window.until(_answered)

    def is_asked(self) -> bool:
        with self.runs(TRUST) as window:
            asked = "Do you trust" in window.until(lambda seen: "Do you trust" in seen.text or _answered(seen))
            window.type("\x03")
            window.until(_answered)
            return asked


def _answered(window: TerminalWindow) -> bool:
    return any(row in {"trusted True .", "trusted False ."} for row in window.rows)


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


def test_a_mode_is_chosen_and_remembered(person: Person) -> None:
    with person.runs(MODE) as window:
        assert "❯ 1. default  asks before it changes" in window.until("Enter choose")
        window.type(DOWN + ENTER)
        window.until("mode plan .")
    assert json.loads(person.home.config.read_text()) == {"permissions": {"mode": "plan"}}


def test_a_mode_left_open_is_not_remembered(person: Person) -> None:
    with person.runs(MODE, columns=40, LANG="zh_CN.UTF-8") as window:
        window.until("只读或在沙箱内的操作直接通过")
        window.type(ESC)
        window.until("mode None .")
    assert not person.home.root.exists()


def test_nothing_waits_so_nothing_is_asked(person: Person) -> None:
    assert not person.is_asked()
    assert not person.home.root.exists()


def test_what_waits_is_listed_and_enter_means_no(person: Person) -> None:
    (person.work / ".hooks.json").write_text("{}")
    (person.work / ".env").write_text("A=1")
    with person.runs(TRUST) as window:
        shown = window.until("1. No").splitlines()
        assert shown[1:5] == [
            "It brings its own settings, which can run programs or allow commands:",
            "  .env  settings",
            "  .hooks.json  programs that run at every step",
            "❯ 1. No   work here without them; asked again when they change",
        ]
        window.type(ENTER)
        window.until("trusted False .")
    assert not is_trusted(person.home, person.work)
    assert not person.is_asked()
    (person.work / ".env").write_text("A=2")
    assert person.is_asked()


def test_yes_is_kept(person: Person) -> None:
    (person.work / ".hooks.json").write_text("{}")
    assert person.answers("y")
    assert trusted(person.home) == [str(person.work)]
    assert not person.is_asked()


def test_leaving_is_no_for_this_time(person: Person) -> None:
    (person.work / ".hooks.json").write_text("{}")
    assert not person.answers(ESC)
    assert person.is_asked()


ALL = """
import asyncio, os
from pathlib import Path
from helloclaw.i18n import choose, texts
from helloclaw.repl.first_start.questions import ask_what_is_due
from helloclaw.settings.source import SettingsSource
from helloclaw.storage.paths import find_home
home = find_home(os.environ)
source = SettingsSource(home, os.environ)
say = texts(choose(None, os.environ))
due = ask_what_is_due(home=home, environ=os.environ, source=source, say=say, workdir=Path("work"))
print("go on", asyncio.run(due), source.current().permissions.mode, ".")
"""


def test_what_is_due_is_asked_once(person: Person) -> None:
    (person.work / ".env").write_text("A=1")
    with person.runs(ALL, LLM_MODEL_ID="local") as window:
        window.until("How much may HelloClaw do")
        window.type("3")
        window.until("Mode auto, from now on.")
        window.until("Do you trust")
        window.type("n")
        window.until("go on True auto .")
        assert "Not trusted. helloclaw trust does it later." in window.text
    with person.runs(ALL, LLM_MODEL_ID="local") as window:
        assert window.until("go on True auto .") == "go on True auto ."


def test_leaving_a_question_with_ctrl_c_is_leaving(person: Person) -> None:
    with person.runs(ALL, LLM_MODEL_ID="local") as window:
        window.until("How much may HelloClaw do")
        window.type("\x03")
        window.until("go on False default .")
    assert not person.home.root.exists()
