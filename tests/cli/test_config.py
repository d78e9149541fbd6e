"""`helloclaw config`."""

from __future__ import annotations

import json
import sys

import pytest

from tests.cli.conftest import Ended, Program


def test_list_says_where_each_value_comes_from_and_shows_no_secret(program: Program) -> None:
    program.home.mkdir()
    (program.home / "config.json").write_text('{\n"llm": {"api_key": "sk-secret",\n"stream": false}}')
    (program.home / ".env").write_text("PORT=9\n")
    code, text, problems = program("config", "list", "--model", "a/b", LLM_TIMEOUT="5", BRAVE_API_KEY="brave-secret")
    assert (code, problems) == (0, "")
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in text.splitlines()}
    assert {
        key: rows[key] for key in ("llm.model_id", "llm.api_key", "llm.stream", "llm.timeout_s", "PORT", "llm.wire")
    } == {
        "llm.model_id": "a/b --model",
        "llm.api_key": "(set; not shown) ~/.helloclaw/config.json:2",
        "llm.stream": "false ~/.helloclaw/config.json:3",
        "llm.timeout_s": "5.0 environment LLM_TIMEOUT",
        "PORT": "9 .env PORT",
        "llm.wire": "auto",
    }
    assert "secret" not in text
    listed = json.loads(program("config", "list", "--json", BRAVE_API_KEY="brave-secret").out)
    assert {
        "key": "llm.api_key",
        "value": {"set": True},
        "source": "file",
        "from": "~/.helloclaw/config.json:2",
    } in listed
    assert {"key": "BRAVE_API_KEY", "value": {"set": True}, "source": "environment", "from": "BRAVE_API_KEY"} in listed
    assert {"key": "agent.language", "value": "auto", "source": "default", "from": None} in listed


@pytest.mark.parametrize(
    ("key", "value", "shown", "written"),
    [
        ("llm.model_id", "deepseek/deepseek-v4-flash", "deepseek/deepseek-v4-flash", '"deepseek/deepseek-v4-flash"'),
        ("model_id", "模型", "模型", '"模型"'),
        ("LLM_TIMEOUT", "2.5", "2.5", "2.5"),
        ("llm.stream", "off", "false", "false"),
        ("llm.stream", "true", "true", "true"),
        ("agent.max_tool_iterations", "null", "(not set)", "null"),
        ("permissions.allow", '["Bash(ls)"]', '["Bash(ls)"]', '["Bash(ls)"]'),
        ("llm.base_url", "", "(not set)", '""'),
        ("ui.lang", "en", "en", '"en"'),
        ("llm.fallback_model_id", "a/b", "a/b", '"a/b"'),
    ],
)
def test_set_writes_what_was_meant(program: Program, key: str, value: str, shown: str, written: str) -> None:
    code, text, problems = program("config", "set", key, value)
    assert (code, text.partition(" = ")[2], problems) == (0, f"{shown}\n", "")
    section, _, name = text.partition(" = ")[0].partition(".")
    config = program.home / "config.json"
    assert json.loads(config.read_text()) == {section: {name: json.loads(written)}}
    assert (config.stat().st_mode & 0o777, program.home.stat().st_mode & 0o777) == (0o600, 0o700)
    assert program("config", "get", key) == Ended(0, f"{shown}\n", "")


def test_a_key_can_be_given_on_standard_input(program: Program) -> None:
    assert program("config", "set", "llm.api_key", "-", stdin=b"sk-1\n") == Ended(
        0, "llm.api_key = (set; not shown)\n", ""
    )
    assert json.loads((program.home / "config.json").read_text()) == {"llm": {"api_key": "sk-1"}}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["get", "modle_id"], 'config: "modle_id" is not a setting; did you mean "llm.model_id"?'),
        (["get", "zzz"], 'config: "zzz" is not a setting; see them with: helloclaw config list'),
        (["set", "llm.stream", "maybe"], 'config: llm.stream must be true or false, not "maybe"'),
        (["set", "llm.wire", "openia"], 'config: llm.wire must be one of auto | anthropic | openai, not "openia"'),
        (["set", "permissions.allow", "Bash(ls)"], "config: permissions.allow must be a list of texts, not Bash(ls)"),
        (["set", "PORT", "1"], "config: PORT belongs in the environment or ~/.helloclaw/.env, not in config.json"),
    ],
)
def test_a_wrong_key_or_value_is_named(program: Program, words: list[str], complaint: str) -> None:
    assert program("config", *words) == Ended(2, "", complaint + "\n")
    assert not (program.home / "config.json").exists()


@pytest.mark.parametrize(
    ("key", "meant"), [("model.x", "llm.model_id"), ("model.name", "llm.model_id"), ("model.api_key", "llm.api_key")]
)
def test_a_key_by_another_name_leads_to_the_right_one(program: Program, key: str, meant: str) -> None:
    complaint = f'config: "{key}" is not a setting; did you mean "{meant}"?\n'
    assert program("config", "set", key, "y") == Ended(2, "", complaint)


def test_a_broken_file_is_named_with_its_line_in_both_languages(program: Program) -> None:
    program.home.mkdir()
    (program.home / "config.json").write_text('{\n  "llm": {\n    "stream": true,\n    "modle_id": "x"\n  }\n}')
    assert program("config", "list") == Ended(
        2, "", 'settings: ~/.helloclaw/config.json line 4: "modle_id" is not a setting; did you mean "model_id"?\n'
    )
    assert program("config", "list", "--lang", "zh") == Ended(
        2, "", "设置：~/.helloclaw/config.json 第 4 行：没有“modle_id”这项设置；你是指“model_id”吗？\n"
    )


def test_path_needs_no_file(program: Program) -> None:
    assert program("config", "path") == Ended(0, f"{program.home}/config.json\n", "")
    assert program("config", "path", HELLOCLAW_HOME="/x") == Ended(0, "/x/config.json\n", "")


def test_edit_opens_the_file_and_checks_it(program: Program) -> None:
    append = f"{sys.executable} -c \"import sys; open(sys.argv[1], 'a').write('// seen')\""
    done = program("config", "edit", EDITOR=append)
    config = program.home / "config.json"
    assert done == Ended(0, f"{config} is good.\n", "")
    assert config.read_text().endswith("}\n// seen")
    broken = f"{sys.executable} -c \"import sys; open(sys.argv[1], 'w').write('{{')\""
    assert program("config", "edit", VISUAL=broken, EDITOR=append).err.startswith(
        "settings: ~/.helloclaw/config.json line 1"
    )
    assert program("config", "edit", EDITOR="/no/such/editor").err == (
        f"config: the editor /no/such/editor can't be started; set EDITOR, or edit {config} yourself\n"
    )


def test_without_a_home_it_says_what_to_set(program: Program) -> None:
    done = program("config", "list", HELLOCLAW_HOME="/proc/none")
    assert done.code == 0
    done = program("config", "set", "llm.stream", "off", HELLOCLAW_HOME="/proc/none")
    assert (done.code, done.out, done.err.count("\n"), "/proc/none" in done.err) == (1, "", 1, True)


def test_who_calls_an_address_is_not_printed(program: Program) -> None:
    url = "https://me:hunter2@gateway.example/v1"
    assert program("config", "set", "llm.base_url", url).out.endswith("https://gateway.example/v1\n")
    assert program("config", "get", "llm.base_url").out == "https://gateway.example/v1\n"
    listed = [program("config", "list", *words).out for words in ((), ("--json",))]
    assert ["hunter2" in each for each in listed] == [False, False]
    assert url in (program.home / "config.json").read_text()
