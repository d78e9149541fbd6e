"""`helloclaw permissions`."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Ended, Program


def check(program: Program, *words: str) -> tuple[str, str | None, list[str]]:
    told = json.loads(program("permissions", "check", "--json", *words).out)
    assert {"behaviour", "reason", "step", "rule", "parts"} <= told.keys()
    return told["behaviour"], told["rule"], [f"{part['text']}: {part['behaviour']}" for part in told["parts"]]


@pytest.mark.parametrize(
    ("words", "behaviour"),
    [
        (["git status"], "allow"),
        (["touch x"], "ask"),
        (["touch x", "--mode", "plan"], "deny"),
        (["sudo ls"], "deny"),
        (["touch x", "--allow", "Bash(touch x)"], "allow"),
        (["--", "-x"], "ask"),
        ([""], "ask"),
    ],
)
def test_check_is_the_verdict_and_never_a_failure(program: Program, words: list[str], behaviour: str) -> None:
    ended = program("permissions", "check", "--json", *words)
    assert (ended.code, json.loads(ended.out)["behaviour"], ended.err) == (0, behaviour, "")


def test_check_explains_every_part(program: Program) -> None:
    assert check(program, "ls && rm -rf /") == ("deny", None, ["ls: allow", "rm -rf /: deny"])
    ended = program("permissions", "check", "ls && touch x", "--lang", "zh")
    lines = ended.out.splitlines()
    assert lines[0].startswith("询问: ")
    assert lines[1].startswith("  ls  →  放行: ")
    assert lines[2].startswith("  touch x  →  询问: ")
    assert lines[3].startswith("  选“总是”会保存：Bash(")


def test_rules_from_settings_and_file_count_and_are_listed(program: Program) -> None:
    assert program("permissions") == Ended(0, "", "There are no rules besides the built-in ones.\n")
    program("config", "set", "permissions.deny", '["Bash(curl:*)"]')
    saved = program.home / "permissions.json"
    saved.write_text('{"allow": ["Bash(npm test:*)"]}')
    project = program.workdir / ".claude/permissions.json"
    project.parent.mkdir()
    project.write_text('{"allow": ["Bash"], "deny": ["Bash(make)"]}')
    assert check(program, "curl x")[0] == check(program, "make")[0] == "deny"
    assert check(program, "npm test -- -v")[:2] == ("allow", "Bash(npm test:*)")
    assert check(program, "touch x")[0] == "ask"
    assert json.loads(program("permissions", "list", "--json").out) == [
        {"behaviour": "deny", "rule": "Bash(curl:*)", "place": str(program.home / "config.json")},
        {"behaviour": "allow", "rule": "Bash(npm test:*)", "place": str(saved)},
        {"behaviour": "deny", "rule": "Bash(make)", "place": str(project)},
    ]
    near = "permissions: no saved rule Bash(npm tset:*); did you mean Bash(npm test:*)?\n"
    assert program("permissions", "rm", "Bash(npm tset:*)") == Ended(2, "", near)
    removed = f"Bash(npm test:*) is removed from {saved}.\n"
    assert program("permissions", "rm", "Bash(npm test:*)") == Ended(0, removed, "")
    assert check(program, "npm test")[0] == "ask"
    stands = (
        f"permissions: Bash(curl:*) stands in {program.home}/config.json; take it out with: helloclaw config edit\n"
    )
    assert program("permissions", "rm", "Bash(curl:*)") == Ended(2, "", stands)


def test_a_rule_that_can_not_be_read_is_named_and_nothing_passes(program: Program) -> None:
    program.home.mkdir()
    (program.home / "permissions.json").write_text('{"allow": ["Bash("]}')
    ended = program("permissions", "check", "ls")
    assert (ended.code, ended.out, ended.err.count("\n"), "'Bash('" in ended.err) == (2, "", 1, True)
