"""Settings from variables: both seeds' names, types read from text, one family at a time."""

from __future__ import annotations

import pytest

from helloclaw.settings.dotenv import Assignment
from helloclaw.settings.environment import Variables, from_environment
from helloclaw.settings.problems import SettingsError
from helloclaw.settings.values import Origin

LLM = {"LLM_MODEL_ID": "glm-4", "LLM_BASE_URL": "https://llm.example/v1", "LLM_API_KEY": "llm-key"}
ANTHROPIC = {"MODEL_ID": "m", "ANTHROPIC_BASE_URL": "https://a.example", "ANTHROPIC_API_KEY": "a-key"}


def found(process: dict[str, str], dotenv: dict[str, str] | None = None) -> dict[str, object]:
    assignments = {name: Assignment(value, line) for line, (name, value) in enumerate((dotenv or {}).items(), start=1)}
    given = from_environment(Variables(process=process, dotenv=assignments, dotenv_name="~/.helloclaw/.env"))
    return {key: each.value for key, each in given.items()}


def connection(model: str, url: str | None, key: str | None) -> dict[str, object]:
    said = {"llm.model_id": model, "llm.base_url": url, "llm.api_key": key}
    return {name: value for name, value in said.items() if value is not None}


FROM_LLM = connection("glm-4", "https://llm.example/v1", "llm-key")
FROM_ANTHROPIC = connection("m", "https://a.example", "a-key")


@pytest.mark.parametrize(
    ("process", "dotenv", "expected"),
    [
        (LLM, {}, FROM_LLM),
        (ANTHROPIC, {}, FROM_ANTHROPIC),
        (LLM | ANTHROPIC, {}, FROM_LLM),
        # The process's model before the file's, and its own family with it.
        (ANTHROPIC, LLM, FROM_ANTHROPIC),
        (LLM, ANTHROPIC, FROM_LLM),
        # An address that is there for another program displaces no model chosen for this one.
        ({"ANTHROPIC_BASE_URL": "https://other.example", "ANTHROPIC_API_KEY": "other"}, LLM, FROM_LLM),
        # One family, from both places.
        ({"MODEL_ID": "m"}, {"ANTHROPIC_BASE_URL": "u", "LLM_API_KEY": "no"}, connection("m", "u", None)),
        ({"MODEL_ID": "m", "ANTHROPIC_AUTH_TOKEN": "t"}, {}, connection("m", None, "t")),
        ({"MODEL_ID": "m", "LLM_MODEL_ID": ""}, {}, connection("m", None, None)),
        ({"LLM_API_KEY": "k", "ANTHROPIC_API_KEY": "a"}, {}, {"llm.api_key": "k"}),
        ({"ANTHROPIC_API_KEY": "a"}, {}, {}),
    ],
)  # fmt: skip
def test_model_address_and_key_come_from_one_family(
    process: dict[str, str], dotenv: dict[str, str], expected: dict[str, object]
) -> None:
    assert found(process, dotenv) == expected


@pytest.mark.parametrize(
    ("name", "text", "key", "value"),
    [
        ("LLM_TIMEOUT", "90", "llm.timeout_s", 90.0),
        ("LLM_TIMEOUT", " 2.5 ", "llm.timeout_s", 2.5),
        ("LLM_STREAM", "False", "llm.stream", False),
        ("LLM_STREAM", "1", "llm.stream", True),
        ("LLM_THINKING", "enabled", "llm.thinking", "enabled"),
        ("LLM_THINKING", "OFF", "llm.thinking", "off"),
        ("LLM_THINKING", "true", "llm.thinking", "enabled"),
        ("LLM_THINKING_BUDGET", "2048", "llm.thinking_budget", 2048),
        ("PORT", "0", "env.port", 0),
        ("NO_COLOR", "0", "env.no_color", True),
        ("BRAVE_API_KEY", "b", "env.brave_api_key", "b"),
        ("TAVILY_API_KEY", "t", "env.tavily_api_key", "t"),
        ("WORKSPACE_PATH", "~/w", "env.workspace_path", "~/w"),
    ],
)
def test_variables_are_read_as_their_settings_type(name: str, text: str, key: str, value: object) -> None:
    assert found({name: text}) == found({}, {name: text}) == {key: value}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("LLM_TIMEOUT", "soon", "a number above 0"),
        ("LLM_TIMEOUT", "0", "a number above 0"),
        ("LLM_TIMEOUT", "inf", "a number above 0"),
        ("LLM_TIMEOUT", "nan", "a number above 0"),
        ("LLM_STREAM", "maybe", "true or false"),
        ("LLM_THINKING", "some", "one of off | enabled"),
        ("LLM_THINKING_BUDGET", "10", "a whole number, at least 1024"),
        ("LLM_THINKING_BUDGET", "1024.5", "a whole number, at least 1024"),
        ("PORT", "70000", "a whole number from 0 to 65535"),
    ],
)
def test_a_bad_value_names_the_variable_and_what_it_must_be(name: str, text: str, expected: str) -> None:
    with pytest.raises(SettingsError) as process:
        found({name: text})
    assert str(process.value) == f'settings: {name}: "{text}" must be {expected}'
    with pytest.raises(SettingsError) as dotenv:
        found({}, {"A": "1", name: text})
    assert str(dotenv.value) == f'settings: ~/.helloclaw/.env line 2: "{text}" must be {expected}'


def test_the_process_comes_before_the_file_and_says_so() -> None:
    variables = Variables(process={"PORT": "1"}, dotenv={"PORT": Assignment("2", 1), "LLM_STREAM": Assignment("no", 2)})
    given = from_environment(variables)
    assert {key: each.origin for key, each in given.items()} == {
        "env.port": Origin("environment", "PORT"),
        "llm.stream": Origin("dotenv", "LLM_STREAM"),
    }
    assert variables.merged() == {"PORT": "1", "LLM_STREAM": "no"}
