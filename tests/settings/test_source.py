"""Which source wins, what changes while the program runs, and where a model's connection comes from."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from helloclaw.llm.providers import UnknownModel
from helloclaw.settings.endpoint import endpoint_from
from helloclaw.settings.environment import Given
from helloclaw.settings.problems import SettingsError
from helloclaw.settings.source import SettingsSource
from helloclaw.settings.values import LlmSettings, Origin, Settings
from helloclaw.storage.paths import Home

DEEPSEEK = (
    '{"llm": {"model_id": "deepseek/deepseek-v4-flash", "base_url": "https://api.deepseek.com", "api_key": "ds"}}'
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / ".helloclaw")
    home.root.mkdir()
    return home


def source(home: Home, environ: dict[str, str] | None = None, model: str | None = None) -> SettingsSource:
    flags = {"llm.model_id": Given(model, Origin("flag", "--model"))} if model else {}
    return SettingsSource(home, {"HOME": str(home.root.parent)} | (environ or {}), flags)


def endpoint(
    home: Home, environ: dict[str, str] | None = None, model: str | None = None, fallback: str | None = None
) -> tuple[str, str, str, str, str]:
    settings = source(home, environ, model)
    found = endpoint_from(settings.current(), settings.environ, model_id=fallback)
    return found.profile.name, found.model, found.base_url, found.api_key, found.wire


def test_nothing_said_is_all_defaults_and_the_embedded_model(home: Home) -> None:
    assert source(home).current() == Settings()
    assert endpoint(home)[:2] == ("local", "local")
    claude_code = {"ANTHROPIC_BASE_URL": "https://proxy.example", "ANTHROPIC_AUTH_TOKEN": "t"}
    assert endpoint(home, {"DEEPSEEK_API_KEY": "k"})[0] == endpoint(home, {"ANTHROPIC_API_KEY": "k"})[0] == "local"
    assert source(home, claude_code).current().llm.model_id == ""


def test_flag_before_file_before_environment_before_dotenv_before_default(home: Home) -> None:
    home.config.write_text('{"llm": {"model_id": "file", "stream": false}}')
    home.dotenv.write_text("LLM_MODEL_ID=dotenv\nLLM_TIMEOUT=5\nLLM_STREAM=true\nPORT=7\n")
    read = source(home, {"LLM_MODEL_ID": "environment", "PORT": "8"}, "flag").current()
    assert read.llm == LlmSettings(model_id="flag", stream=False, timeout_s=5.0)
    assert (read.env.port, read.agent) == (8, Settings().agent)
    assert read.origins == {
        "llm.model_id": Origin("flag", "--model"),
        "llm.stream": Origin("file", "~/.helloclaw/config.json:1"),
        "llm.timeout_s": Origin("dotenv", "LLM_TIMEOUT"),
        "env.port": Origin("environment", "PORT"),
    }


def test_a_changed_file_counts_at_the_next_turn(home: Home) -> None:
    settings = source(home)
    first = settings.current()
    assert settings.reload() is first
    home.config.write_text('{"llm": {"model_id": "a/b"}}')
    assert settings.current() is first
    changed = settings.reload()
    assert isinstance(changed, Settings)
    assert (changed.llm.model_id, settings.current() is changed) == ("a/b", True)
    # Same size, same times: the content decides.
    times = (home.config.stat().st_atime_ns, home.config.stat().st_mtime_ns)
    home.config.write_text('{"llm": {"model_id": "a/c"}}')
    os.utime(home.config, ns=times)
    assert settings.reload() == Settings(
        llm=LlmSettings(model_id="a/c"), origins={"llm.model_id": Origin("file", "~/.helloclaw/config.json:1")}
    )
    home.dotenv.write_text("DEEPSEEK_API_KEY=k")
    settings.reload()
    assert settings.environ["DEEPSEEK_API_KEY"] == "k"
    home.config.unlink()
    assert settings.reload() == Settings()


@pytest.mark.parametrize("broken", ["{", '{"llm": {"stream": 3}}', '{"lmm": {}}'])
def test_a_broken_file_keeps_the_last_good_settings_and_says_so_once(home: Home, broken: str) -> None:
    home.config.write_text('{"llm": {"model_id": "good"}}')
    settings = source(home)
    good = settings.current()
    home.config.write_text(broken)
    problem = settings.reload()
    assert isinstance(problem, SettingsError)
    assert str(problem).startswith("settings: ~/.helloclaw/config.json line 1: ")
    assert str(problem).endswith(" (the last good settings stay in force)")
    assert settings.current() is settings.reload() is good
    home.config.write_text(broken + " ")
    assert isinstance(settings.reload(), SettingsError)
    home.config.write_text('{"llm": {"model_id": "better"}}')
    assert settings.reload() == settings.current()
    assert settings.current().llm.model_id == "better"


def test_a_file_that_becomes_unreadable_keeps_the_last_good_settings(home: Home) -> None:
    settings = source(home)
    good = settings.current()
    home.config.mkdir()
    assert isinstance(settings.reload(), SettingsError)
    assert settings.reload() is good
    home.config.rmdir()
    assert settings.reload() == good


def test_a_broken_file_at_the_start_is_an_error(home: Home) -> None:
    home.config.write_text('{\n\n"llm": {"modle_id": "x"}}')
    settings = source(home)
    for _ in range(2):
        with pytest.raises(SettingsError) as problem:
            settings.current()
        expected = 'settings: ~/.helloclaw/config.json line 3: "modle_id" is not a setting; did you mean "model_id"?'
        assert str(problem.value) == expected


GATEWAY = "http://127.0.0.1:9/v1"
BY_VARIABLES = {"LLM_BASE_URL": GATEWAY, "LLM_API_KEY": "k"}
BY_ANTHROPIC_VARIABLES = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": "k"}
ZHIPU = "https://open.bigmodel.cn/api/paas/v4"
FROM_FILE = ("deepseek", "deepseek-v4-flash", "https://api.deepseek.com", "ds", "openai")


@pytest.mark.parametrize(
    ("model", "environ", "expected"),
    [
        (None, {}, FROM_FILE),
        (None, BY_VARIABLES, FROM_FILE),
        ("deepseek/other", {}, ("deepseek", "other", "https://api.deepseek.com", "ds", "openai")),
        ("bare", {}, ("deepseek", "bare", "https://api.deepseek.com", "ds", "openai")),
        (
            "anthropic/c",
            {"ANTHROPIC_API_KEY": "a"},
            ("anthropic", "c", "https://api.anthropic.com", "a", "anthropic"),
        ),
    ],
)
def test_another_providers_model_takes_no_address_and_no_key_along(
    home: Home, model: str | None, environ: dict[str, str], expected: tuple[str, ...]
) -> None:
    home.config.write_text(DEEPSEEK)
    assert endpoint(home, environ, model) == expected


def test_the_embedded_model_needs_no_address_and_no_key(home: Home) -> None:
    home.config.write_text(DEEPSEEK)
    nothing_around = endpoint(Home(home.root / "empty"), {}, "local")
    assert endpoint(home, BY_VARIABLES, "local") == nothing_around
    assert (nothing_around[0], nothing_around[3]) == ("local", "")


@pytest.mark.parametrize(
    ("environ", "model", "expected"),
    [
        # An unknown address is a gateway: it is meant for whatever model is asked for.
        (BY_VARIABLES, "zhipu/glm-5", ("zhipu", "glm-5", GATEWAY, "k", "openai")),
        (BY_ANTHROPIC_VARIABLES, "zhipu/glm-5", ("zhipu", "glm-5", "http://127.0.0.1:9", "k", "anthropic")),
        ({"LLM_API_KEY": "k"}, "zhipu/glm-5", ("zhipu", "glm-5", ZHIPU, "k", "openai")),
        # A key on its own gives way to the provider's, and one said with another provider's model stays with that.
        ({"LLM_API_KEY": "k", "ZHIPU_API_KEY": "z"}, "zhipu/glm-5", ("zhipu", "glm-5", ZHIPU, "z", "openai")),
        (
            {"LLM_MODEL_ID": "deepseek/x", "LLM_API_KEY": "ds", "ZHIPU_API_KEY": "z"},
            "zhipu/glm-5",
            ("zhipu", "glm-5", ZHIPU, "z", "openai"),
        ),
    ],
)
def test_what_a_variable_says_of_the_connection_counts_where_it_may_be_meant(
    home: Home, environ: dict[str, str], model: str, expected: tuple[str, ...]
) -> None:
    assert endpoint(home, environ, model) == expected


def test_a_fallback_of_another_provider_goes_to_its_own_address(home: Home) -> None:
    home.config.write_text(DEEPSEEK)
    found = endpoint(home, {"ANTHROPIC_API_KEY": "a"}, fallback="anthropic/claude")
    assert found == ("anthropic", "claude", "https://api.anthropic.com", "a", "anthropic")
    found = endpoint(home, fallback="deepseek/other")
    assert found == ("deepseek", "other", "https://api.deepseek.com", "ds", "openai")


@pytest.mark.parametrize("environ", [{"LLM_BASE_URL": "http://127.0.0.1:9"}, {"LLM_API_KEY": "k"}])
def test_an_address_or_a_key_without_a_model_is_a_question_not_a_guess(home: Home, environ: dict[str, str]) -> None:
    with pytest.raises(UnknownModel, match="no model is chosen"):
        endpoint(home, environ)


def test_what_is_said_in_the_program_counts_before_flags_and_files(home: Home) -> None:
    said = source(home, model="openai/gpt-5")
    said.override("ui.lang", "zh")  # before anything was read
    assert (said.current().ui.lang, said.current().llm.model_id) == ("zh", "openai/gpt-5")
    said.override("llm.model_id", "deepseek/deepseek-v4-flash")
    assert said.current().llm.model_id == "deepseek/deepseek-v4-flash"
    assert said.current().origins["llm.model_id"] == Origin("flag", "/model")
    home.config.write_text('{"llm": {"model_id": "openai/gpt-5"}, "ui": {"theme": "dark"}}')
    reloaded = said.reload()
    assert isinstance(reloaded, Settings)
    assert (reloaded.llm.model_id, reloaded.ui.theme) == ("deepseek/deepseek-v4-flash", "dark")


def test_what_is_said_counts_also_while_a_file_is_broken(home: Home) -> None:
    home.config.write_text('{"ui": {"theme": "dark"}}')
    said = source(home)
    said.current()
    home.config.write_text("{broken")
    said.override("ui.lang", "zh")
    assert (said.current().ui.lang, said.current().ui.theme) == ("zh", "dark")
    assert isinstance(said.reload(), SettingsError)


def test_what_the_settings_refuse_changes_nothing(home: Home) -> None:
    said = source(home)
    before = said.current()
    with pytest.raises(msgspec.ValidationError):
        said.override("ui.lang", "klingon")
    assert (said.current(), said.reload()) == (before, before)
