"""What a verdict costs in CPU time: on everyday commands, long ones that are meant, and texts made to cost time.

`python -m bench.permissions [CORPUS.jsonl …]` adds the commands of files (`{"cmd": …}` a line) to the everyday ones.
The floor is one tree-sitter parse of the same text in the same run, so that the ratios hold on any machine.
"""

from __future__ import annotations

import gc
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.costly import at_the_limit, families
from bench.everyday import load_day, load_rarities
from helloclaw.permissions.decide import decide
from helloclaw.permissions.paths import control_paths
from helloclaw.permissions.rules import RuleSet, parse_rule
from helloclaw.permissions.verdict import Call, Scope

_TESTS = Path(__file__).resolve().parents[1] / "tests" / "permissions"
ALLOWED = ("Bash(npm run test:*)", "Bash(git push:*)", "Bash(make *)", "Read(~/notes/**)", "Edit(src/**)")
LONG = 200


class Cost(NamedTuple):
    """Microseconds for one text: the verdict, and the parse alone."""

    verdict: float
    floor: float


def everyday() -> list[str]:
    lines = (_TESTS / "commands.jsonl").read_text(encoding="utf-8").splitlines()
    return [*(json.loads(line)["cmd"] for line in lines), *load_rarities(), *load_day(Path("/work"))]


def long_ones(commands: Sequence[str], seed: int = 7) -> list[str]:
    """The longest of a thousand commands put together as agents do: chains, scripts, files and messages."""
    chance = random.Random(seed)

    def some(least: int, most: int) -> list[str]:
        return [each for each in chance.choices(commands, k=chance.randint(least, most)) if "\n" not in each]

    shapes: tuple[Callable[[], str], ...] = (
        lambda: " && ".join(some(3, 12)),
        lambda: "\n".join(some(5, 40)),
        lambda: "cat > notes.md <<'EOF'\n" + "\n".join(some(20, 200)) + "\nEOF\n",
        lambda: "git commit -m \"$(cat <<'EOF'\n" + "\n".join(some(3, 30)).replace("`", "") + '\nEOF\n)"',
        lambda: "for f in src/*.py; do " + "; ".join(some(2, 8)) + "; done",
        lambda: "git add " + " ".join(f"src/module_{number}/part.py" for number in range(chance.randint(20, 150))),
    )
    made = [chance.choice(shapes)() for _ in range(1_000)]
    return sorted(made, key=len)[-LONG:]


def programs() -> list[str]:
    """Python programs fed in by a here-document: what their strings would run is looked at, too."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return [f"python3 - <<'EOF'\n{each.read_text(encoding='utf-8')[:3_000]}\nEOF" for each in sources]


def measure(commands: Sequence[str], scope: Scope, rules: RuleSet, repeat: int) -> list[Cost]:
    """For each command the least of `repeat` runs, which other programs disturb least."""
    import tree_sitter  # not before the first verdict, whose cost includes it
    import tree_sitter_bash

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    costs: list[Cost] = []
    for command in commands:
        call = Call(tool="bash", input={"command": command}, command=command)
        source = command.encode("ascii", "replace")  # the grammar's scanner is not safe beyond
        verdict = min(_clocked(lambda call=call: decide(call, "auto", rules, scope)) for _ in range(repeat))
        costs.append(Cost(verdict, min(_clocked(lambda source=source: parser.parse(source)) for _ in range(repeat))))
    return costs


def _clocked(work: Callable[[], object]) -> float:
    start = time.process_time_ns()
    work()
    return (time.process_time_ns() - start) / 1_000


def row(name: str, costs: Sequence[Cost]) -> str:
    """Median, 99th percentile and most, and how many times the floor the median and the dearest are."""
    verdicts = sorted(cost.verdict for cost in costs)
    dearest = max(costs)
    middle = statistics.median(cost.verdict / cost.floor for cost in costs)
    p99 = verdicts[min(len(verdicts) - 1, len(verdicts) * 99 // 100)]
    return (
        f"{name:40} {len(costs):5} {statistics.median(verdicts):9.0f} {p99:9.0f} {verdicts[-1]:9.0f}"
        f" {middle:9.1f} {dearest.verdict / dearest.floor:9.1f}"
    )


def make_scope(root: Path) -> Scope:
    workdir, home = root / "work", root / "home"
    (workdir / "src").mkdir(parents=True)
    home.mkdir()
    (workdir / "README.md").write_text("# x\n")
    return Scope(
        workdir=workdir,
        cwd=workdir,
        home=home,
        roots=(workdir,),
        controls=control_paths(workdir, home / ".helloclaw"),
        sandboxed=True,
    )


def main(corpora: Sequence[str]) -> None:
    commands = everyday()
    for each in corpora:
        commands += [json.loads(line)["cmd"] for line in Path(each).read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as directory:
        scope = make_scope(Path(directory).resolve())
        rules = RuleSet(allow=tuple(parse_rule(rule, source="user") for rule in ALLOWED))
        first = _clocked(lambda: decide(Call(tool="bash", input={}, command="ls"), "auto", rules, scope))
        gc.collect()
        print(f"{first:.0f} µs for the first verdict, which loads the grammar; then, in µs of CPU time:\n")
        print(f"{'':40} {'texts':>5} {'median':>9} {'p99':>9} {'max':>9} {'× floor':>9} {'of max':>9}")
        print(row("everyday", measure(commands, scope, rules, 5)), flush=True)
        print(row("long and meant", measure(long_ones(commands), scope, rules, 5)), flush=True)
        print(row("Python programs", measure(programs(), scope, rules, 3)), flush=True)
        for name, texts in families().items():
            print(row(f"10,000 characters: {name}", measure(texts, scope, rules, 3)), flush=True)
        for name, texts in families().items():
            print(row(f"just let in: {name}", measure([at_the_limit(text) for text in texts], scope, rules, 3)))


if __name__ == "__main__":
    main(sys.argv[1:])
