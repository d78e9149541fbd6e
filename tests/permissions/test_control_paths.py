"""The agent's own controls, wherever the product's home is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from helloclaw.permissions.files import OsFiles
from helloclaw.permissions.paths import control_paths, is_control
from helloclaw.permissions.rule_syntax import BadRule
from helloclaw.permissions.rules import load_rules
from helloclaw.permissions.verdict import Scope


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/data/Claw/config.json", True),
        ("/data/Claw/CONFIG.json", True),  # the same file on macOS
        ("/data/claw/.ENV", True),
        ("/data/Claw/config.json.md", False),
        ("/data/Claw/workspace/MEMORY.md", False),
    ],
)
def test_another_case_of_a_name_is_the_same_control(path: str, expected: bool) -> None:
    work, home = Path("/work"), Path("/data/Claw")
    scope = Scope(workdir=work, cwd=work, home=Path("/home/ada"), roots=(work,), controls=control_paths(work, home))
    assert is_control(path, scope) is expected


def test_a_fifo_has_no_text_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config")
    assert OsFiles().text(str(tmp_path / "config")) is None


def test_a_rule_file_that_is_a_device_is_refused(tmp_path: Path) -> None:
    (tmp_path / "permissions.json").symlink_to("/dev/zero")
    with pytest.raises(BadRule, match="the file is a FIFO or a device"):
        load_rules(tmp_path / "permissions.json", "project")
