"""A first start in a terminal, with servers that really answer."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helloclaw.repl.first_start import asks_for_mode, needs_first_start
from helloclaw.settings.environment import Given
from helloclaw.settings.source import SettingsSource
from helloclaw.settings.values import Origin
from helloclaw.storage.paths import Home
from tests.support.model_server import Call, Gate, ModelServer, Turn, json_answer
from tests.support.terminal_window import DOWN, ENTER, ESC, UP, TerminalWindow

ECHO = Turn(calls=(Call(name="echo", input={"word": "claw"}),))
PROGRAM = """
import asyncio, os
from helloclaw.i18n import choose, texts
from helloclaw.llm.local_servers import usual_places
from helloclaw.repl.first_start.wizard import first_start
from helloclaw.settings.source import SettingsSource
from helloclaw.storage.paths import find_home

async def main():
    home = find_home(os.environ)
    source = SettingsSource(home, os.environ)
    places = [place for place in usual_places(os.environ) if place.name == "Ollama"]
    outcome = await first_start(
        home=home, environ=os.environ, source=source, say=texts(choose(None, os.environ)), places=places
    )
    print("outcome", outcome.lang, outcome.go_on, source.current().llm.model_id or "-", ".")

asyncio.run(main())
"""


class Person:
    """Somebody who has just installed it."""

    def __init__(self, root: Path, server: ModelServer) -> None:
        self.root = root
        self.server = server
        self.home = Home(root / ".helloclaw")
        self.environ = {"HOME": str(root), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "OLLAMA_HOST": "127.0.0.1:9"}
        self.environ |= {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}

    def starts(self, columns: int = 100, **environ: str) -> TerminalWindow:
        env = self.environ | environ
        return TerminalWindow([sys.executable, "-c", PROGRAM], cwd=self.root, env=env, columns=columns)

    @property
    def url(self) -> str:
        return f"{self.server.base_url}/v1"

    @property
    def config(self) -> object:
        return json.loads(self.home.config.read_text())

    @property
    def wrote(self) -> list[str]:
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*"))


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    with ModelServer() as server:
        yield Person(tmp_path, server)


def pick(window: TerminalWindow, label: str) -> None:
    """Choose the row of a menu that has this label, by its number or by going there."""
    window.until(label)
    for _ in range(40):
        if any("❯" in row and label in row for row in window.rows):
            window.type(ENTER)
            return
        before = next(row for row in window.rows if "❯" in row)
        window.type(DOWN)
        window.until(lambda seen, before=before: any("❯" in row and row != before for row in seen.rows))
    raise AssertionError(f"no {label!r}")


def test_a_server_on_this_computer_takes_enter_alone(person: Person) -> None:
    person.server.models = ["nomic-embed-text", "qwen3"]
    person.server.script(ECHO)
    with person.starts(OLLAMA_HOST=person.server.base_url) as window:
        assert "❯ 2. English" in window.until("Language")
        window.type(ENTER)
        assert "❯  1. Ollama" in window.until("What should HelloClaw talk to?")
        window.type(ENTER)
        assert "❯ 1. qwen3" in window.until("Which model?")
        window.type(ENTER)
        window.until("outcome en True ollama/qwen3 .")
        assert window.text.splitlines()[0].startswith("✓ connection  ")
        assert '✓ tool call   {"word":"claw"}' in window.text
        assert "ollama/qwen3 is set up, in ~/.helloclaw/config.json." in window.text
    assert person.config == {"llm": {"model_id": "ollama/qwen3", "base_url": person.url}, "ui": {"lang": "en"}}
    assert stat.S_IMODE(person.home.config.stat().st_mode) == 0o600


def test_all_in_chinese_and_in_40_columns(person: Person) -> None:
    person.server.script(ECHO)
    with person.starts(40, OLLAMA_HOST=person.server.base_url, LANG="zh_CN.UTF-8") as window:
        assert "❯ 1. 中文" in window.until("语言 / Language")
        window.type(ENTER)
        window.until("HelloClaw 用哪里的模型？")
        window.type(ENTER)
        window.until("用哪个模型？")
        window.type(ENTER)
        window.until("outcome zh True ollama/scripted .")
        assert "✓ 连接" in window.text
    assert person.config == {"llm": {"model_id": "ollama/scripted", "base_url": person.url}, "ui": {"lang": "zh"}}


def test_a_key_in_the_environment_comes_first_and_stays_there(person: Person) -> None:
    person.server.script(ECHO)
    with person.starts(DEEPSEEK_API_KEY="sk-held", LLM_BASE_URL=person.url) as window:
        window.until("Language")
        window.type(ENTER)
        shown = window.until("DEEPSEEK_API_KEY is set").splitlines()
        assert [row.split()[-4:-2] for row in shown if "is set" in row] == [
            [person.url, "LLM_BASE_URL"],
            ["deepseek", "DEEPSEEK_API_KEY"],
        ]
        pick(window, "deepseek")
        assert "❯ 1. deepseek-v4-flash  usual choice" in window.until("Which model?")
        window.type(ENTER)
        window.until("outcome en True deepseek/deepseek-v4-flash .")
        assert "sk-held" not in window.seen
    assert person.config == {"llm": {"model_id": "deepseek/deepseek-v4-flash"}, "ui": {"lang": "en"}}
    assert person.server.posts[0].headers["authorization"] == "Bearer sk-held"


def test_a_pasted_key_is_hidden_cleaned_and_kept(person: Person) -> None:
    person.server.script(ECHO)
    with person.starts(LLM_BASE_URL=person.url) as window:
        window.until("Language")
        window.type(ENTER)
        pick(window, "zhipu")
        window.until("API key of zhipu")
        window.type('\x1b[200~ "sk-typed"\x1b[201~')
        window.until("> •••")
        window.type(ENTER)
        pick(window, "scripted")
        window.until("outcome en True zhipu/scripted .")
        assert "sk-typed" not in window.seen
    assert person.config == {"llm": {"model_id": "zhipu/scripted", "api_key": "sk-typed"}, "ui": {"lang": "en"}}
    assert person.server.posts[0].headers["authorization"] == "Bearer sk-typed"


def test_an_address_of_ones_own(person: Person) -> None:
    person.server.script(ECHO)
    person.server.models_answer = json_answer({"error": "no"}, status=404)
    with person.starts() as window:
        window.until("Language")
        window.type(ENTER)
        pick(window, "my own address")
        window.until("Base URL")
        window.type("nonsense" + ENTER)
        window.until("is no web address")
        window.type("\x15" + person.url + ENTER)
        window.until("API key for http://")
        window.type(ENTER)
        window.until("The list of models could not be had")
        pick(window, "another name…")
        window.until("Name of the model")
        window.type("scripted" + ENTER)
        window.until("outcome en True scripted .")
    assert person.config == {"llm": {"model_id": "scripted", "base_url": person.url}, "ui": {"lang": "en"}}


def test_what_does_not_work_can_be_tried_again_or_kept(person: Person) -> None:
    refused = json_answer({"error": {"message": "no such key"}}, status=401)
    person.server.script(refused, Turn(text="I can not."))
    with person.starts(OLLAMA_HOST=person.server.base_url) as window:
        for question in ("Language", "What should", "Which model?"):
            window.until(question)
            window.type(ENTER)
        window.until("It does not work as it should.")
        assert "✗ connection" in window.text
        assert person.wrote == []
        window.type(ENTER)
        window.until("✗ tool call")
        pick(window, "Keep it anyway")
        window.until("outcome en True ollama/scripted .")


def test_something_else_can_be_chosen_after_a_failure(person: Person) -> None:
    person.server.script(json_answer({"error": "no"}, status=500))
    with person.starts(OLLAMA_HOST=person.server.base_url) as window:
        for question in ("Language", "What should", "Which model?"):
            window.until(question)
            window.type(ENTER)
        pick(window, "Choose something else")
        window.until("What should HelloClaw talk to?")
        window.type(ESC)
        window.until("Language")
        window.type(ESC)
        window.until("outcome en False - .")
    assert person.wrote == []


@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["ctrl-c", "ctrl-d"])
@pytest.mark.parametrize("answered", range(5))
def test_leaving_anywhere_writes_nothing(person: Person, answered: int, key: str) -> None:
    if answered == 4:
        person.server.script(Turn(calls=ECHO.calls, gate=Gate()))
    questions = (("Language", ENTER), ("zhipu", ""), ("API key of zhipu", "sk" + ENTER), ("Which model?", ""))
    with person.starts(LLM_BASE_URL=person.url) as window:
        for question, answer in questions[:answered]:
            if answer:
                window.until(question)
                window.type(answer)
            else:
                pick(window, question if question != "Which model?" else "scripted")
        window.until(questions[answered][0] if answered < len(questions) else "Trying")
        window.type(key)
        window.until("outcome en False - .")
        assert window.text == "outcome en False - ."
    assert person.wrote == []


def test_esc_goes_back_one_question_at_a_time(person: Person) -> None:
    with person.starts(LLM_BASE_URL=person.url) as window:
        window.until("Language")
        window.type(UP + ENTER)
        pick(window, "zhipu")
        window.until("zhipu 的 API 密钥")
        window.type(ESC)
        assert "❯" in next(row for row in window.until("HelloClaw 用哪里的模型").splitlines() if "zhipu" in row)
        window.type(ESC)
        window.until("❯ 1. 中文")
        window.type(ESC)
        window.until("outcome zh False - .")
    assert person.wrote == []


def test_it_is_due_until_somebody_has_said_something(tmp_path: Path) -> None:
    home = Home(tmp_path)

    def due(config: str = "", flags: dict[str, Given] | None = None, **environ: str) -> tuple[bool, bool]:
        home.config.write_text(config)
        source = SettingsSource(home, environ, flags)
        return needs_first_start(source), asks_for_mode(source)

    assert due() == due(DEEPSEEK_API_KEY="k") == due("// {}\n{}") == (True, True)
    assert due(LLM_MODEL_ID="m") == due(MODEL_ID="m") == (False, True)
    assert due('{"ui": {"lang": "en"}}') == (False, True)
    assert due('{"permissions": {"mode": "plan"}}') == (False, False)
    assert due(flags={"llm.model_id": Given("local", Origin("flag", "--model"))}) == (False, True)
    assert due(flags={"permissions.mode": Given("default", Origin("flag", "--mode"))}) == (True, False)
