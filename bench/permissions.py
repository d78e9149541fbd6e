"""What a verdict costs: median microseconds per call, for everyday commands and for the worst that may come.

python -m bench.permissions
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from helloclaw.permissions.decide import decide
from helloclaw.permissions.rules import RuleSet, parse_rule
from helloclaw.permissions.verdict import Call, Scope

EVERYDAY = (
    "ls -la",
    "cat README.md",
    "git status",
    "rg -n 'foo' src | head -5",
    "cd src && ls",
    "find . -type f -name '*.md' -not -path './node_modules/*'",
    "git log --oneline -5 && cat README.md | head -3",
    "npm test",
    "python3 -m pytest -q 2>&1 | tail -20",
    "rm -rf build",
    "git commit -m \"$(cat <<'EOF'\nfix: a thing\nEOF\n)\"",
    "timeout 5 env A=1 sh -c 'sudo id'",
)
WORST = (
    "ls " + "a " * 4_900,
    "ls;" * 3_000,
    "(" * 5_000,
    "$(" * 4_000,
    "sh -c " * 1_600,
    "a=1 " * 2_400,
)
RULES = ("Bash(npm run test:*)", "Bash(git push:*)", "Bash(make *)", "Read(~/notes/**)", "Edit(src/**)")


def median_us(command: str, scope: Scope, rules: RuleSet, repeat: int) -> float:
    call = Call(tool="bash", input={"command": command}, command=command)
    times: list[float] = []
    for _ in range(repeat):
        start = time.perf_counter_ns()
        decide(call, "auto", rules, scope)
        times.append((time.perf_counter_ns() - start) / 1000)
    return statistics.median(times)


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        workdir = Path(directory).resolve()
        (workdir / "src").mkdir()
        (workdir / "README.md").write_text("# x\n")
        scope = Scope(workdir=workdir, cwd=workdir, home=workdir.parent, roots=(workdir,))
        rules = RuleSet(allow=tuple(parse_rule(rule, source="user") for rule in RULES))
        start = time.perf_counter_ns()
        median_us("ls", scope, rules, 1)
        print(f"{(time.perf_counter_ns() - start) / 1000:10.0f} µs  the first verdict, which loads the grammar")
        everyday = [median_us(command, scope, rules, 400) for command in EVERYDAY]
        for command, cost in zip(EVERYDAY, everyday, strict=True):
            print(f"{cost:10.0f} µs  {command.splitlines()[0]}")
        print(f"{statistics.median(everyday):10.0f} µs  median of these")
        for command in WORST:
            cost = median_us(command, scope, rules, 5)
            print(f"{cost:10.0f} µs  {command[:12]}… ({len(command):,} characters)")


if __name__ == "__main__":
    main()
