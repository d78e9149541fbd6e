"""`helloclaw model`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helloclaw.llm.events import Usage
from tests.cli.conftest import Ended, Program
from tests.support.model_server import Call, ModelServer, Turn, json_answer
from tests.support.pseudo_terminal import PseudoTerminal

ECHO = Turn(calls=(Call(name="echo", input={"word": "claw"}),))


def checks(program: Program, *words: str, **environ: str) -> tuple[int, dict[str, str], dict[str, str]]:
    """The exit code, each check's state, and what to do about those that failed."""
    ended = program("model", "test", "--json", *words, **environ)
    told = json.loads(ended.out)
    states = {row["name"]: row["state"] for row in told["checks"]}
    assert (told["ok"], ended.err) == ("no" not in states.values(), "")
    return ended.code, states, {row["name"]: row["fix"] for row in told["checks"] if row["fix"]}


def test_a_model_that_does_everything(talking: Program, server: ModelServer) -> None:
    server.script(ECHO, Turn(thinking="Hm.", calls=ECHO.calls))
    all_ok = {"connection": "ok", "streaming": "ok", "tool_call": "ok", "usage": "ok"}
    assert checks(talking) == (0, {**all_ok, "thinking": "off"}, {})
    assert checks(talking, LLM_THINKING="enabled") == (0, {**all_ok, "thinking": "ok"}, {})


def test_what_does_not_work_comes_with_what_to_do(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="I can not.", usage=Usage()), Turn(calls=(Call(name="echo", input='{"word": '),)))
    code, states, fixes = checks(talking, LLM_THINKING="enabled")
    assert (code, states) == (
        1,
        {"connection": "ok", "streaming": "ok", "tool_call": "no", "usage": "no", "thinking": "no"},
    )
    assert fixes["tool_call"] == "it answered without calling the tool; choose a model that can call tools"
    code, states, fixes = checks(talking)
    assert (code, states["tool_call"], fixes.keys()) == (1, "no", {"tool_call"})


@pytest.mark.parametrize(("status", "code"), [(401, 1), (503, 75)])
def test_a_failure_is_told_at_once(talking: Program, server: ModelServer, status: int, code: int) -> None:
    server.script(json_answer({"error": {"message": "no"}}, status=status))
    ended, states, fixes = checks(talking)
    assert (ended, states, fixes.keys(), len(server.posts)) == (code, {"connection": "no"}, {"connection"}, 1)


def test_the_report_for_people(talking: Program, server: ModelServer) -> None:
    server.script(ECHO)
    code, text, problems = talking("model", "test", "--lang", "zh")
    lines = text.splitlines()
    assert (code, problems, lines[0]) == (0, "", f"custom/scripted  {server.base_url}/v1  (openai)")
    assert lines[3] == '  工具调用  可用  {"word":"claw"}'


def test_list_shows_keys_but_never_shows_one(talking: Program, server: ModelServer) -> None:
    server.models = ["alpha", "beta\x1b[31m"]
    told = json.loads(talking("model", "list", "--json", DEEPSEEK_API_KEY="sk-secret").out)
    providers = {row["name"]: (row["key"], row["key_variable"]) for row in told["providers"]}
    assert providers["deepseek"] == ("set", "DEEPSEEK_API_KEY")
    assert providers["openai"] == ("missing", "OPENAI_API_KEY")
    assert providers["local"][0] == "unneeded"
    assert (told["current"], told["endpoint"]["models"]) == ("custom/scripted", server.models)
    text = talking("model", "list", DEEPSEEK_API_KEY="sk-secret").out
    assert text.startswith("Model: custom/scripted\n")
    assert "  beta\\x1b[31m\n" in text
    assert "sk-secret" not in text


def test_list_without_a_network_says_what_is_wrong_and_lists_the_rest(program: Program) -> None:
    code, text, _ = program("model", "list", LLM_MODEL_ID="m", LLM_BASE_URL="http://127.0.0.1:9/v1")
    assert (code, "deepseek" in text, "At http://127.0.0.1:9/v1:" in text) == (0, True, True)
    code, text, _ = program("model", "list", "--model", "deepsek/x")
    assert (code, text.splitlines()[0].startswith('"deepsek" is not a provider. Did you mean')) == (0, True)


def test_use_writes_what_can_be_meant(program: Program) -> None:
    said = "The model is now deepseek/deepseek-v4-flash. Try it with: helloclaw model test\n"
    missing = (
        "helloclaw: deepseek needs an API key and none is set. Set DEEPSEEK_API_KEY, or llm.api_key in the settings.\n"
    )
    assert program("model", "use", "deepseek/deepseek-v4-flash") == Ended(0, said, missing)
    assert json.loads((program.home / "config.json").read_text()) == {"llm": {"model_id": "deepseek/deepseek-v4-flash"}}
    program("config", "set", "llm.api_key", "sk-1")
    assert program("model", "use", "deepseek/other").err == ""


def test_use_leaves_nothing_behind_that_belongs_to_another_provider(program: Program) -> None:
    program("model", "use", "deepseek/one")
    program("config", "set", "llm.api_key", "sk-1")
    dropped = "note: taken out of config.json, as it belongs to another provider: "
    assert program("model", "use", "zhipu/glm-5").err.startswith(f"{dropped}llm.api_key\n")
    program("config", "set", "llm.base_url", "https://api.deepseek.com")
    program("config", "set", "llm.api_key", "sk-2")
    assert program("model", "use", "zhipu/x", ZHIPU_API_KEY="k").err == f"{dropped}llm.base_url, llm.api_key\n"
    stored = json.loads((program.home / "config.json").read_text())["llm"]
    assert {name: value for name, value in stored.items() if value is not None} == {"model_id": "zhipu/x"}
    # What nobody knows as anybody's, say a gateway of one's own, stays.
    program("config", "set", "llm.base_url", "https://gateway.example/v1")
    program("config", "set", "llm.api_key", "sk-3")
    assert program("model", "use", "openai/gpt-5").err == ""
    assert program("model", "use", "plain-name").err == ""


def test_a_name_that_means_nothing_is_not_written(program: Program) -> None:
    ended = program("model", "use", "deepsek/x")
    assert (ended.code, ended.out, ended.err.count("\n"), "deepseek/x" in ended.err) == (2, "", 1, True)
    assert not (program.home / "config.json").exists()


def test_pull_takes_a_file_of_ones_own(program: Program, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(b"GGUF" + bytes(1000))
    ended = program("model", "pull", str(tmp_path / "tiny.gguf"))
    there = program.home / "models/tiny.gguf"
    assert ended == Ended(0, f"local/{there} is ready ({there}).\n", "")
    assert json.loads(program("model", "list", "--json").out)["local"][-1]["name"] == str(there)
    command = program.command("model", "pull", str(tmp_path / "tiny.gguf"))
    with PseudoTerminal(command, cwd=program.workdir, env=program.environ) as screen:
        screen.wait_for("[########################################]  0 / 0 MB")
        assert screen.wait_for_end() == 0


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [("nothing-like-it", 2, "no such weights"), ("/no/such/file.gguf", 2, "/no/such/file.gguf")],
)
def test_what_can_not_be_pulled_is_one_line(program: Program, name: str, code: int, words: str) -> None:
    ended = program("model", "pull", name)
    assert (ended.code, ended.out, ended.err.count("\n"), words in ended.err) == (code, "", 1, True)
