"""A small workspace to judge commands in, and short ways to ask for a verdict."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from helloclaw.permissions.decide import decide
from helloclaw.permissions.paths import control_paths
from helloclaw.permissions.rules import RuleSet, parse_rule
from helloclaw.permissions.verdict import Behaviour, Call, Scope, Verdict
from helloclaw.protocol.events import Mode

NO_RULES = RuleSet()


@dataclass(frozen=True)
class Case:
    """A command, and the verdict it gets (or, for the shared corpus, the loosest it may get)."""

    id: str
    cmd: str
    verdict: Behaviour
    must_allow: bool = False


def load_cases(path: Path) -> list[Case]:
    cases: list[Case] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        entry = json.loads(line)
        verdict = Behaviour[(entry.get("verdict") or entry["loosest_ok"]).upper()]
        cases.append(Case(entry.get("id", str(number)), entry["cmd"], verdict, entry.get("must_allow", False)))
    return cases


def make_scope(root: Path, **changes: object) -> Scope:
    """A workspace below `root`: a readme, some sources, nothing secret; and an empty home beside it."""
    root = Path(os.path.realpath(root))
    workdir, home = root / "work", root / "home"
    for directory in (workdir / "src", workdir / "tests", workdir / "sub", home):
        directory.mkdir(parents=True, exist_ok=True)
    (workdir / "README.md").write_text("# foo\n\nbar foo\n")
    (workdir / "src" / "a.py").write_text("import os\n")
    scope = Scope(
        workdir=workdir,
        cwd=workdir,
        home=home,
        roots=(workdir, home / ".helloclaw" / "workspace"),
        controls=control_paths(workdir, home / ".helloclaw"),
    )
    return msgspec.structs.replace(scope, **changes)


def shell_call(command: str, tool: str = "bash") -> Call:
    return Call(tool=tool, input={"command": command}, command=command)


def judge(command: str, scope: Scope, rules: RuleSet = NO_RULES, mode: Mode = "auto") -> Verdict:
    return decide(shell_call(command), mode, rules, scope)


def behaviour(command: str, scope: Scope, rules: RuleSet = NO_RULES, mode: Mode = "auto") -> Behaviour:
    return judge(command, scope, rules, mode).behaviour


def allowing(*rules: str) -> RuleSet:
    return RuleSet(allow=tuple(parse_rule(rule, source="user") for rule in rules))


def denying(*rules: str) -> RuleSet:
    return RuleSet(deny=tuple(parse_rule(rule, source="user") for rule in rules))


def asking(*rules: str) -> RuleSet:
    return RuleSet(ask=tuple(parse_rule(rule, source="user") for rule in rules))
