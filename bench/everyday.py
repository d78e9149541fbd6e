"""How often a person is asked: the share of a working day's commands that don't pass unasked, by mode.

python -m bench.everyday [--asked]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from helloclaw.permissions.decide import decide
from helloclaw.permissions.paths import control_paths
from helloclaw.permissions.rules import RuleSet, parse_rule
from helloclaw.permissions.verdict import Behaviour, Call, Scope, Verdict
from helloclaw.protocol.events import Mode

COMMANDS = Path(__file__).resolve().parents[1] / "tests" / "permissions" / "everyday.txt"
WAYS: tuple[tuple[str, Mode, bool], ...] = (
    ("auto, with a sandbox", "auto", True),
    ("auto, without one", "auto", False),
    ("default", "default", False),
)


def load() -> list[str]:
    return COMMANDS.read_text(encoding="utf-8").splitlines()


def make_project(root: Path) -> Scope:
    """A small repository as these commands expect one, and a home that is somewhere else."""
    workdir = root / "work"
    for name in ("src/a.py", "src/b.py", "tests/test_a.py", "README.md", "package.json", "Makefile", "data.csv"):
        path = workdir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("foo\n")
    (workdir / ".git").mkdir()
    (workdir / ".git" / "config").write_text("[core]\n\tbare = false\n")
    home = Path("/home/somebody")
    return Scope(
        workdir=workdir,
        cwd=workdir,
        home=home,
        roots=(workdir, home / ".helloclaw" / "workspace"),
        controls=control_paths(workdir, home / ".helloclaw"),
    )


def asked(commands: Sequence[str], mode: Mode, scope: Scope) -> list[tuple[str, Verdict]]:
    """The commands that don't pass, each with its verdict."""
    verdicts = [
        (each, decide(Call(tool="bash", input={"command": each}, command=each), mode, RuleSet(), scope))
        for each in commands
    ]
    return [(command, verdict) for command, verdict in verdicts if verdict.behaviour is not Behaviour.ALLOW]


def questions(commands: Sequence[str], mode: Mode, scope: Scope, *, widest: bool = True) -> int:
    """How many are put to somebody who answers each with `always`, with the widest rule offered or the narrowest."""
    count, rules, at = 0, RuleSet(), -1 if widest else 0
    for each in commands:
        verdict = decide(Call(tool="bash", input={"command": each}, command=each), mode, rules, scope)
        if verdict.behaviour is Behaviour.ASK:
            count += 1
            granted = tuple(parse_rule(text, source="session") for text in verdict.suggested_rules[at:][:1])
            rules = msgspec.structs.replace(rules, allow=(*rules.allow, *granted))
    return count


def main() -> None:
    commands = load()
    with tempfile.TemporaryDirectory() as directory:
        scope = make_project(Path(directory).resolve())
        for name, mode, sandboxed in WAYS:
            where = msgspec.structs.replace(scope, sandboxed=sandboxed)
            found, answered = asked(commands, mode, where), questions(commands, mode, where)
            again = questions([*commands, *commands], mode, where)
            print(
                f"{len(found) / len(commands):6.1%}  {name}: {len(found)} of {len(commands)} distinct commands; "
                f"{answered} questions if each is answered with `always`, {again - answered} more on the next day"
            )
            if "--asked" in sys.argv[1:]:
                for command, verdict in found:
                    print(f"          {command}    ({verdict.behaviour.name.lower()}: {verdict.reason})")


if __name__ == "__main__":
    main()
