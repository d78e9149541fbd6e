"""How often a person is asked: the share of a working day's commands that don't pass unasked, by mode.

Beside the day, which is the aim, a list of two hundred different commands, most of them rare.

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

_LISTS = Path(__file__).resolve().parents[1] / "tests" / "permissions"
WAYS: tuple[tuple[str, Mode, bool], ...] = (
    ("auto, with a sandbox", "auto", True),
    ("auto, without one", "auto", False),
    ("default", "default", False),
)


def load_day(workdir: Path) -> list[str]:
    """The commands of a day in order, some more than once."""
    _, _, listed = (_LISTS / "everyday.txt").read_text(encoding="utf-8").partition("\n\n")
    commands: list[str] = []
    for line in listed.replace("{workdir}", str(workdir)).splitlines():
        if line.startswith("|"):
            commands[-1] += f"\n{line[1:]}"
        else:
            commands.append(line)
    return commands


def load_rarities() -> list[str]:
    return (_LISTS / "rarities.txt").read_text(encoding="utf-8").splitlines()


_FILES = (
    "src/a.py src/b.py tests/test_a.py README.md package.json Makefile data.csv pyproject.toml CHANGELOG.md Dockerfile "
    ".gitignore src/dates/__init__.py src/dates/parse.py src/dates/format.py tests/test_parse.py tests/test_format.py "
    "docs/dates.md web/package.json web/.eslintrc.json web/vite.config.ts web/src/components/Calendar.tsx "
    "web/src/components/__tests__/Calendar.test.tsx web/src/hooks/useCalendar.ts web/node_modules/.bin/tsc "
    "web/node_modules/vite/index.js "
    "tools/Makefile tools/convert.c data/samples.bin data/index.csv data/expected.csv"
)


def make_project(root: Path) -> Scope:
    """A small repository as these commands expect one, and a home that is somewhere else."""
    workdir = root / "work"
    for name in _FILES.split():
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
    with tempfile.TemporaryDirectory() as directory:
        scope = make_project(Path(directory).resolve())
        for title, commands in (("a day", load_day(scope.workdir)), ("rarities", load_rarities())):
            print(f"{title}: {len(commands)} commands, {len(set(commands))} of them different")
            for name, mode, sandboxed in WAYS:
                _print(commands, name, mode, msgspec.structs.replace(scope, sandboxed=sandboxed))


def _print(commands: Sequence[str], name: str, mode: Mode, scope: Scope) -> None:
    found = asked(commands, mode, scope)
    widest, narrowest = (questions(commands, mode, scope, widest=each) for each in (True, False))
    again = questions([*commands, *commands], mode, scope)
    total = len(commands)
    print(
        f"{len(found) / total:6.1%}  {name}: {len(found)} don't pass; answered with `always`, it is "
        f"{widest / total:.1%} ({widest}) with the widest rule offered, {narrowest / total:.1%} ({narrowest}) "
        f"with the narrowest; {again - widest} more on a second such day"
    )
    if "--asked" in sys.argv[1:]:
        for command, verdict in found:
            print(f"          {command!r}    ({verdict.behaviour.name.lower()}: {verdict.reason})")


if __name__ == "__main__":
    main()
