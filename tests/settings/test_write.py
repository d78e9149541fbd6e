"""Changing `config.json` from the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from helloclaw.settings.problems import SettingsError
from helloclaw.settings.table import all_settings
from helloclaw.settings.write import create_config, write_setting
from helloclaw.storage.paths import Home


def write(home: Home, key: str, value: object) -> None:
    write_setting(home, all_settings()[key], value, {"HOME": str(home.root.parent)})


def test_a_value_is_written_privately_and_the_rest_kept(tmp_path: Path) -> None:
    home = Home(tmp_path / ".helloclaw")
    write(home, "llm.model_id", "a/b")
    home.config.write_text(home.config.read_text().replace("{", "{ // mine", 1))
    write(home, "llm.stream", False)
    write(home, "llm.model_id", None)
    assert home.config.read_text() == ('{ // mine\n  "llm": {\n    "stream": false,\n    "model_id": null\n  }\n}\n')
    assert (home.root.stat().st_mode & 0o777, home.config.stat().st_mode & 0o777) == (0o700, 0o600)


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("llm.timeout_s", -1, "config: llm.timeout_s must be a number above 0, not -1"),
        ("llm.api_key", 5, "config: llm.api_key must be text in quotes, not …"),
        (
            "agent.compression_threshold",
            2,
            "config: agent.compression_threshold must be a number above 0, at most 1, not 2",
        ),
    ],
)  # fmt: skip
def test_a_bad_value_changes_nothing(tmp_path: Path, key: str, value: object, complaint: str) -> None:
    home = Home(tmp_path)
    with pytest.raises(SettingsError) as error:
        write(home, key, value)
    assert (str(error.value), home.config.exists()) == (complaint, False)


def test_a_broken_file_is_left_alone(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.config.write_text("{")
    with pytest.raises(SettingsError, match="line 1: not valid JSON"):
        write(home, "llm.stream", False)
    assert home.config.read_text() == "{"


def test_the_template_never_replaces_a_file(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.config.write_text("{}")
    create_config(home)
    assert home.config.read_text() == "{}"
