"""How often a person is asked on a working day: what is asked about has to be worth it, so that it is read."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from bench.everyday import asked, load_day, load_rarities, make_project, questions

from helloclaw.permissions.verdict import Behaviour, Scope

_RARITIES = load_rarities()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Scope:
    return make_project(Path(tmp_path_factory.mktemp("everyday")).resolve())


@pytest.fixture(scope="module")
def day(project: Scope) -> list[str]:
    return load_day(project.workdir)


def test_both_lists_are_two_hundred_commands(day: list[str]) -> None:
    assert (len(day), len(_RARITIES), len(set(_RARITIES))) == (200, 200, 200)
    assert [command for command in day if command.startswith("#") or "{workdir}" in command] == []


def test_of_a_day_in_a_sandbox_only_what_leads_out_is_asked_about(project: Scope, day: list[str]) -> None:
    found = asked(day, "auto", msgspec.structs.replace(project, sandboxed=True))
    assert [(command, verdict.behaviour) for command, verdict in found] == [
        ("git push origin main", Behaviour.ASK),
        ("cd web && npm install", Behaviour.ASK),
        ("cd web && npm run dev > /tmp/dev.log 2>&1 &", Behaviour.ASK),
        ("curl -s http://localhost:5173/ | head -20", Behaviour.ASK),
        ("git push -u origin week-numbers", Behaviour.ASK),
        ("gh pr create --fill", Behaviour.ASK),
        ("pip install build", Behaviour.ASK),
        ("docker build -t dates:1.5.0 . 2>&1 | tail -20", Behaviour.ASK),
        ('docker run --rm dates:1.5.0 python -c "import dates; print(dates.__version__)"', Behaviour.ASK),
        ("docker images | head -5", Behaviour.ASK),
        ("git push origin main --tags", Behaviour.ASK),
        ("curl -s https://pypi.org/pypi/dates/json | jq -r .info.version", Behaviour.ASK),
        ("rm -rf dist build", Behaviour.DENY),
    ]


def test_without_one_what_only_reads_passes_and_the_rest_is_asked_about_once(project: Scope, day: list[str]) -> None:
    found = asked(day, "default", project)
    assert [command for command, verdict in found if verdict.behaviour is Behaviour.DENY] == ["rm -rf dist build"]
    assert len(found) <= 104
    assert questions(day, "default", project) <= 71
    assert questions([*day, *day], "default", project) == questions(day, "default", project)


def test_rarities_are_not_asked_about_more_than_they_were(project: Scope) -> None:
    sandboxed = msgspec.structs.replace(project, sandboxed=True)
    assert len(asked(_RARITIES, "auto", sandboxed)) <= 26
    assert len(asked(_RARITIES, "default", project)) <= 88


def test_looking_around_is_free(project: Scope, day: list[str]) -> None:
    """What reads the project, in the words in which it mostly is asked for."""
    readers = {"rg", "grep", "ls", "cat", "head", "tail", "wc", "nl", "pwd", "tree", "du", "df", "file", "stat", "diff"}
    looking = [command for command in (*day, *_RARITIES) if command.split()[0] in readers]
    writing = [
        command for command in looking if ">" in command.replace("2>", "") or "/tmp" in command or "<(" in command
    ]
    assert asked([command for command in looking if command not in writing], "default", project) == []
