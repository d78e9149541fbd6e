"""Trust in directories: who has it, what takes it away, and what is asked again."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from helloclaw.settings.problems import SettingsError
from helloclaw.settings.trust import (
    decline,
    is_trusted,
    question_due,
    trust,
    trusted,
    untrust,
    what_waits,
)
from helloclaw.storage.paths import Home

ALLOWING = '{"allow": ["Bash(make:*)"]}'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    return Home(tmp_path / "person" / ".helloclaw")


def project(root: Path, **files: str) -> Path:
    """A repository with files."""
    (root / ".git").mkdir(parents=True)
    write(root, files)
    return root


def write(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


EVERYTHING = {
    ".env": "A=1",
    ".hooks.json": "{}",
    ".claude/permissions.json": ALLOWING,
    ".claude/scheduled_tasks.json": "[]",
    ".mcp.json": "{}",
    ".claude/commands/ship.md": "ship it",
    ".claude/skills/a/SKILL.md": "a",
    "skills/b/SKILL.md": "b",
}


def test_everything_that_waits_is_named(tmp_path: Path) -> None:
    write(tmp_path, EVERYTHING | {"README.md": "not this"})
    assert what_waits(tmp_path) == [
        ".env",
        ".hooks.json",
        ".claude/permissions.json",
        ".claude/scheduled_tasks.json",
        ".mcp.json",
        ".claude/commands/",
        ".claude/skills/",
        "skills/",
    ]


def test_rules_that_only_forbid_and_empty_directories_wait_for_nothing(tmp_path: Path) -> None:
    write(tmp_path, {".claude/permissions.json": '{"deny": ["Bash"], "allow": []}', "skills/x": ""})
    (tmp_path / "skills" / "x").unlink()
    assert what_waits(tmp_path) == []


def test_a_rule_file_that_cannot_be_understood_waits(tmp_path: Path) -> None:
    write(tmp_path, {".claude/permissions.json": "{"})
    assert what_waits(tmp_path) == [".claude/permissions.json"]


def test_trust_is_kept_in_a_private_file_and_taken_back(home: Home, tmp_path: Path) -> None:
    here = project(tmp_path / "here", **{".env": "A=1"})
    assert not is_trusted(home, here)
    assert trust(home, here) == [".env"]
    assert (is_trusted(home, here), trusted(home)) == (True, [str(here)])
    assert stat.S_IMODE(home.trust.stat().st_mode) == 0o600
    assert (untrust(home, here), untrust(home, here), is_trusted(home, here)) == (True, False, False)


@pytest.mark.parametrize(
    ("name", "content"),
    [(".env", "A=2"), ("skills/b/run.sh", "rm -rf x"), (".claude/commands/new.md", "x"), (".mcp.json", "[1]")],
)
def test_what_changes_is_not_trusted_any_more(home: Home, tmp_path: Path, name: str, content: str) -> None:
    here = project(tmp_path / "here", **EVERYTHING)
    trust(home, here)
    assert is_trusted(home, here)
    write(here, {name: content})
    assert not is_trusted(home, here)


def test_a_script_that_becomes_executable_is_a_change(home: Home, tmp_path: Path) -> None:
    here = project(tmp_path / "here", **{"skills/run.sh": "x"})
    trust(home, here)
    (here / "skills" / "run.sh").chmod(0o755)
    assert not is_trusted(home, here)


def test_what_goes_takes_no_trust_away(home: Home, tmp_path: Path) -> None:
    here = project(tmp_path / "here", **EVERYTHING)
    trust(home, here)
    (here / ".env").unlink()
    assert is_trusted(home, here)


def test_a_link_to_a_trusted_directory_is_that_directory(home: Home, tmp_path: Path) -> None:
    here = project(tmp_path / "here", **{".env": "A=1"})
    (tmp_path / "link").symlink_to(here)
    trust(home, tmp_path / "link")
    assert (is_trusted(home, here), trusted(home)) == (True, [str(here)])
    other = project(tmp_path / "other", **{".env": "A=1"})
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to(other)
    assert not is_trusted(home, tmp_path / "link")


def test_a_link_inside_counts_with_what_it_leads_to(home: Home, tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    write(tmp_path, {"elsewhere/run.sh": "1"})
    (here / "skills").symlink_to(tmp_path / "elsewhere")
    (here / "skills" / "round").symlink_to(here / "skills")
    trust(home, here)
    assert is_trusted(home, here)
    write(tmp_path, {"elsewhere/run.sh": "2"})
    assert not is_trusted(home, here)


def test_a_moved_directory_and_one_in_its_place_are_not_trusted(home: Home, tmp_path: Path) -> None:
    here = project(tmp_path / "here", **{".env": "A=1"})
    trust(home, here)
    here.rename(tmp_path / "moved")
    project(tmp_path / "here", **{".env": "A=1"})
    assert (is_trusted(home, tmp_path / "moved"), is_trusted(home, here)) == (False, False)
    assert question_due(home, here).keys() == {".env"}


def test_trust_reaches_down_within_the_repository_but_not_to_what_nobody_saw(home: Home, tmp_path: Path) -> None:
    here = project(tmp_path / "here", **{"sub/deep/code.py": "", "unseen/.env": "A=1", ".env": "A=1"})
    project(here / "vendored")
    trust(home, here)
    reached = {name: is_trusted(home, here / name) for name in ("sub", "sub/deep", "unseen", "vendored")}
    assert reached == {"sub": True, "sub/deep": True, "unseen": False, "vendored": False}
    write(here, {".env": "A=2"})
    assert not is_trusted(home, here / "sub")


def test_without_a_repository_trust_does_not_reach_down(home: Home, tmp_path: Path) -> None:
    (tmp_path / "plain" / "sub").mkdir(parents=True)
    trust(home, tmp_path / "plain")
    assert (is_trusted(home, tmp_path / "plain"), is_trusted(home, tmp_path / "plain" / "sub")) == (True, False)


def test_the_persons_home_is_trusted_only_by_name(home: Home, tmp_path: Path) -> None:
    person = project(tmp_path / "person", **{"work/code.py": ""})
    trust(home, person)
    assert (is_trusted(home, person), is_trusted(home, person / "work")) == (True, False)


def test_a_refusal_is_remembered_until_something_changes(home: Home, tmp_path: Path) -> None:
    here = project(tmp_path / "here", **{".env": "A=1"})
    seen = question_due(home, here)
    assert seen.keys() == {".env"}
    decline(home, here, seen)
    assert (question_due(home, here), is_trusted(home, here)) == ({}, False)
    write(here, {".env": "A=2"})
    assert question_due(home, here).keys() == {".env"}
    trust(home, here)
    assert question_due(home, here) == {}


def test_what_was_seen_is_trusted_not_what_came_since(home: Home, tmp_path: Path) -> None:
    here = project(tmp_path / "here", **{".env": "A=1"})
    seen = question_due(home, here)
    write(here, {".env": "A=2"})
    trust(home, here, seen)
    assert not is_trusted(home, here)


def test_a_fifo_is_never_trusted_nor_waited_for(home: Home, tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    os.mkfifo(here / ".env")
    assert what_waits(here) == [".env"]
    with pytest.raises(SettingsError, match=r"\.env"):
        trust(home, here)
    assert not is_trusted(home, here)


def test_a_broken_trust_file_trusts_nothing_and_is_not_overwritten(home: Home, tmp_path: Path) -> None:
    here = project(tmp_path / "here", **{".env": "A=1"})
    trust(home, here)
    home.trust.write_text("{")
    assert (is_trusted(home, here), question_due(home, here).keys()) == (False, {".env"})
    with pytest.raises(SettingsError, match=r"trust\.json"):
        trust(home, here)
    assert home.trust.read_text() == "{"
