"""`config.json`: what it says, and what is said about it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from helloclaw.settings.environment import Given
from helloclaw.settings.files import config_values, dotenv_values, short, snapshot
from helloclaw.settings.peek import language_setting
from helloclaw.settings.problems import SettingsError
from helloclaw.settings.table import all_settings
from helloclaw.settings.values import Origin
from helloclaw.settings.write import template

NAME = "~/.helloclaw/config.json"
SECTIONS = "llm, agent, permissions, memory, heartbeat, web, mcp_servers, ui"


def test_the_files_values_with_their_lines() -> None:
    text = (
        '{\n  "llm": {"model_id": "a/b", "timeout_s": 5,\n    "stream": false},\n'
        '  "mcp_servers": {"x": {"command": "y"}}\n}'
    )
    assert config_values(text.encode(), NAME) == {
        "llm.model_id": Given("a/b", Origin("file", f"{NAME}:2")),
        "llm.timeout_s": Given(5.0, Origin("file", f"{NAME}:2")),
        "llm.stream": Given(False, Origin("file", f"{NAME}:3")),
        "mcp_servers": Given({"x": {"command": "y"}}, Origin("file", f"{NAME}:4")),
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"llm": {}, "agent": null}',
        '{"llm": {"model_id": "", "api_key": "", "base_url": ""}}',
        '{"llm": {"stream": null}}',
        '\ufeff{"ui": {}}',
    ],
)
def test_empty_texts_and_null_say_nothing(text: str) -> None:
    assert config_values(text.encode(), NAME) == {}


def test_the_template_shows_every_setting_and_sets_none() -> None:
    assert config_values(template().encode(), NAME) == {}
    for setting in all_settings().values():
        assert (f'// "{setting.name}": ' in template()) == setting.in_file
    assert config_values(template().replace("// ", "").encode(), NAME).keys() >= {"llm.stream", "agent.token_threshold"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            '{\n  "llm": {\n\n    "modle_id": "x"\n  }\n}',
            f'settings: {NAME} line 4: "modle_id" is not a setting; did you mean "model_id"?',
        ),
        ('{"lmm": {}}', f'settings: {NAME} line 1: "lmm" is not a setting; did you mean "llm"?'),
        (
            '{"env": {}}',
            f'settings: {NAME} line 1: "env" is not a setting; there are: {SECTIONS}',
        ),
        ('{"web": {"port": 1}}', f'settings: {NAME} line 1: "port" is not a setting; there are: search_provider'),
        ('{"llm": 3}', f'settings: {NAME} line 1: "llm" must be an object'),
        ('{"llm":\n{"timeout_s": "60"}}', f'settings: {NAME} line 2: "timeout_s" must be a number above 0'),
        ('{"llm": {"timeout_s": true}}', f'settings: {NAME} line 1: "timeout_s" must be a number above 0'),
        ('{"llm": {"wire": "openia"}}', f'settings: {NAME} line 1: "wire" must be one of auto | anthropic | openai'),
        ('{"llm": {"stream": 1}}', f'settings: {NAME} line 1: "stream" must be true or false'),
        ('{"permissions": {"allow": "x"}}', f'settings: {NAME} line 1: "allow" must be a list of texts'),
        ('{"mcp_servers": []}', f'settings: {NAME} line 1: "mcp_servers" must be an object'),
        (
            '{"llm": {}\n"ui": {}}',
            f"settings: {NAME} line 2: not valid JSON (Expecting ',' delimiter); fix it with: helloclaw config edit",
        ),
        ("[]", f"settings: {NAME} line 1: not valid JSON (Expecting an object); fix it with: helloclaw config edit"),
    ],
)  # fmt: skip
def test_complaints_name_the_line_and_what_was_meant(text: str, complaint: str) -> None:
    with pytest.raises(SettingsError) as error:
        config_values(text.encode(), NAME)
    assert str(error.value) == complaint


def test_other_encodings_are_named() -> None:
    with pytest.raises(SettingsError) as error:
        config_values('{\n"ui": {"theme": "暗"}}'.encode("gb18030"), NAME)
    assert str(error.value) == f"settings: {NAME} line 2: not UTF-8; save the file as UTF-8"


def test_a_broken_dotenv_line_is_named() -> None:
    with pytest.raises(SettingsError) as error:
        dotenv_values(b"A=1\nB\n", "~/.helloclaw/.env")
    assert str(error.value) == "settings: ~/.helloclaw/.env line 2: not NAME=value; a comment begins with #"


def test_an_unreadable_file_is_no_missing_one(tmp_path: Path) -> None:
    assert snapshot(tmp_path / "none", tmp_path / "none").config is None
    with pytest.raises(SettingsError) as error:
        snapshot(tmp_path, tmp_path / "none")
    assert str(error.value) == f"settings: {tmp_path} can't be read ({os.strerror(21)}); correct its permissions"


def test_a_fifo_or_device_in_a_files_place_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "zero").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "config.json")
    for path in (tmp_path / "config.json", tmp_path / "zero"):
        with pytest.raises(SettingsError) as error:
            snapshot(tmp_path / "none", path)
        assert str(error.value) == (
            f"settings: {path} can't be read (it is a FIFO or a device, not a file); correct its permissions"
        )
    assert language_setting({"HELLOCLAW_HOME": str(tmp_path)}) is None


def test_paths_are_shown_as_people_write_them() -> None:
    environ = {"HOME": "/home/ada"}
    paths = [Path("/home/ada/.helloclaw/x"), Path("/home/adam/x"), Path("/x")]
    assert [short(path, environ) for path in paths] == ["~/.helloclaw/x", "/home/adam/x", "/x"]
