"""`helloclaw trust`, and what it switches on."""

from __future__ import annotations

import json

from tests.cli.conftest import Ended, Program
from tests.cli.test_permissions import check


def test_trusting_shows_what_takes_effect_and_lets_project_rules_allow(program: Program) -> None:
    rules = program.workdir / ".claude/permissions.json"
    rules.parent.mkdir()
    rules.write_text('{"allow": ["Bash(touch:*)"]}')
    assert check(program, "touch x")[0] == "ask"
    assert program("trust") == Ended(
        0,
        f"These would take effect in {program.workdir}:\n"
        "  .claude/permissions.json  commands that run without a question\n"
        f"{program.workdir} is trusted now, with these as they are. What changes is asked about again.\n",
        "",
    )
    assert check(program, "touch x")[:2] == ("allow", "Bash(touch:*)")
    assert json.loads(program("permissions", "--json").out) == [
        {"behaviour": "allow", "rule": "Bash(touch:*)", "place": str(rules)}
    ]
    rules.write_text('{"allow": ["Bash(touch:*)", "Bash(make:*)"]}')
    assert check(program, "touch x")[0] == "ask"
    assert program("trust", "--list").out == f"{program.workdir}  (changed since)\n"


def test_json_list_and_removal(program: Program) -> None:
    here = str(program.workdir)
    assert program("trust", "--list") == Ended(0, "", "No directory is trusted.\n")
    assert json.loads(program("trust", here, "--json").out) == {
        "trusted": here,
        "waits": [],
        "instructions": [],
    }
    assert json.loads(program("trust", "--list", "--json").out) == [{"directory": here, "unchanged": True}]
    assert json.loads(program("trust", "--remove", here, "--json").out) == {"removed": here}
    ended = program("trust", "--remove", here)
    assert ended == Ended(2, "", f"{here} is not trusted; helloclaw trust --list shows what is.\n")


def test_a_directory_that_is_not_there_is_said_in_ones_language(program: Program) -> None:
    code, out, problem = program("trust", "nowhere", "--lang", "zh")
    assert (code, out, problem.count("\n"), "nowhere" in problem) == (2, "", 1, True)


def test_a_broken_trust_file_is_named(program: Program) -> None:
    program.home.mkdir()
    (program.home / "trust.json").write_text("[]")
    code, _, problem = program("trust")
    assert (code, str(program.home / "trust.json") in problem) == (2, True)
