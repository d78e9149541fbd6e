"""How often a person is asked on a working day: what is asked about has to be worth it, so that it is read."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from bench.everyday import asked, load, make_project, questions

from helloclaw.permissions.verdict import Behaviour, Scope

_COMMANDS = load()
# A sandbox without a network is of no use for these; and one is denied in any mode.
_NEED_MORE = frozenset({"docker", "kubectl", "curl", "wget", "npx", "pip install", "npm install", "npm ci"})
_NEED_MORE_TOO = frozenset({"pnpm install", "uv sync", "git fetch", "git pull", "git push"})


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Scope:
    return make_project(Path(tmp_path_factory.mktemp("everyday")).resolve())


def test_the_list_is_two_hundred_commands() -> None:
    assert (len(_COMMANDS), len(set(_COMMANDS))) == (200, 200)


def test_with_a_sandbox_only_the_network_is_asked_about(project: Scope) -> None:
    found = asked(_COMMANDS, "auto", msgspec.structs.replace(project, sandboxed=True))
    inside = [
        command
        for command, _ in found
        if not {command.split()[0], " ".join(command.split()[:2])} & (_NEED_MORE | _NEED_MORE_TOO)
    ]
    assert inside == ["rm -r build"]
    assert len(found) <= 26


def test_without_one_half_passes_and_the_rest_is_asked_about_once(project: Scope) -> None:
    found = asked(_COMMANDS, "default", project)
    assert [command for command, verdict in found if verdict.behaviour is Behaviour.DENY] == ["rm -r build"]
    assert len(found) <= 98
    assert questions(_COMMANDS, "default", project) <= 85
    assert questions([*_COMMANDS, *_COMMANDS], "default", project) == questions(_COMMANDS, "default", project)


def test_looking_around_is_free(project: Scope) -> None:
    """What reads the project, in the words in which it mostly is asked for."""
    readers = {"rg", "grep", "ls", "cat", "head", "tail", "wc", "nl", "pwd", "tree", "du", "df", "file", "stat", "diff"}
    looking = [command for command in _COMMANDS if command.split()[0] in readers]
    assert asked(looking, "default", project) == []
