"""Commands at random: what passes unasked in `auto` is run for real, watched, and must only have read.

python -m bench.fuzz_permissions [--count N] [--run N] [--seed N]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections import Counter
from pathlib import Path

from msgspec import Struct

from bench.fuzzing.grammar import Grammar, shape
from bench.fuzzing.watch import Violation, available, run_watched
from helloclaw.permissions.decide import decide
from helloclaw.permissions.paths import control_paths
from helloclaw.permissions.rules import RuleSet
from helloclaw.permissions.verdict import Behaviour, Call, Scope
from helloclaw.tools.environment import rebuild

_BATCH = 500


class Outcome(Struct, frozen=True, kw_only=True):
    """Numbers of commands. `shapes`: kinds of allowed ones, of which `executed` were run, one of each kind."""

    generated: int
    allowed: int
    asked: int
    denied: int
    shapes: int
    executed: int
    violations: tuple[Violation, ...]
    judging_s: float
    running_s: float


def make_place(root: Path) -> Scope:
    """A repository with a history, an empty home beside it, and files whose names are options to whoever lists them."""
    root = root.resolve()
    workdir, home = root / "place" / "work", root / "place" / "home"
    for directory in (workdir / "src", workdir / "traps", home):
        directory.mkdir(parents=True)
    (workdir / "README.md").write_text("# foo\n\nbar foo\n")
    (workdir / "src" / "a.py").write_text("import os\n")
    (workdir / "src" / "b.py").write_text("foo = 1\n")
    (workdir / "a b").write_text("1\n")
    (workdir / "link").symlink_to("README.md")
    with tarfile.open(workdir / "a.tar", "w") as plain, tarfile.open(workdir / "a.tgz", "w:gz") as packed:
        plain.add(workdir / "README.md", "README.md")
        packed.add(workdir / "README.md", "README.md")
    with zipfile.ZipFile(workdir / "a.zip", "w") as archive:
        archive.write(workdir / "README.md", "README.md")
    for name in ("-oout", "-o", "--output=out", "-exec", "-delete", "--pre=.", "-i", "x"):
        (workdir / "traps" / name).write_text("foo\n")
    evil = workdir / "evil"
    evil.write_text("#!/bin/sh\necho ran >> ran\n")
    evil.chmod(0o755)
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"], ["tag", "v1"]):
        subprocess.run([*git, *arguments], cwd=workdir, check=True, capture_output=True)
    (workdir / "src" / "a.py").write_text("import sys\n")
    return Scope(
        workdir=workdir,
        cwd=workdir,
        home=home,
        roots=(workdir, home / ".helloclaw" / "workspace"),
        controls=control_paths(workdir, home / ".helloclaw"),
    )


def _programs(root: Path) -> Path:
    """A directory for `rg`, which the system need not have."""
    directory = root / "programs"
    directory.mkdir()
    if found := shutil.which("rg", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}"):
        (directory / "rg").symlink_to(found)
    return directory


def fuzz(count: int, most_run: int, seed: int, root: Path) -> Outcome:
    scope, grammar = make_place(root), Grammar(seed)
    counts: Counter[Behaviour] = Counter()
    kinds: dict[str, str] = {}
    began = time.perf_counter()
    for _ in range(count):
        command = grammar.command()
        call = Call(tool="bash", input={"command": command}, command=command)
        behaviour = decide(call, "auto", RuleSet(), scope).behaviour
        counts[behaviour] += 1
        if behaviour is Behaviour.ALLOW:
            kinds.setdefault(shape(command), command)
    judged = time.perf_counter()
    chosen = list(kinds.values())
    if len(chosen) > most_run:  # evenly, rather than the first
        chosen = [chosen[at * len(chosen) // most_run] for at in range(most_run)]
    violations: list[Violation] = []
    executed = 0
    # The system's own programs: where a name leads elsewhere, such as to a script that chooses a version, is not ours.
    programs = _programs(root)
    environ = rebuild(os.environ) | {"HOME": str(scope.home), "PATH": f"{programs}:/usr/bin:/bin"}
    for at in range(0, len(chosen), _BATCH):
        scratch = Path(tempfile.mkdtemp(prefix="trace-", dir=root))
        found, run = run_watched(chosen[at : at + _BATCH], scope.workdir, scratch, environ)
        violations += found
        executed += run
        for each in scratch.iterdir():
            each.unlink()
    return Outcome(
        generated=count,
        allowed=counts[Behaviour.ALLOW],
        asked=counts[Behaviour.ASK],
        denied=counts[Behaviour.DENY],
        shapes=len(kinds),
        executed=executed,
        violations=tuple(violations),
        judging_s=judged - began,
        running_s=time.perf_counter() - judged,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--run", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if not available():
        raise SystemExit("strace, bwrap, bash and git are needed")
    with tempfile.TemporaryDirectory() as directory:
        outcome = fuzz(given.count, given.run, given.seed, Path(directory))
    print(f"{outcome.generated:9,}  generated and judged in {outcome.judging_s:.0f} s (seed {given.seed})")
    print(f"{outcome.allowed:9,}  allowed, of {outcome.shapes:,} kinds")
    print(f"{outcome.asked:9,}  asked about")
    print(f"{outcome.denied:9,}  denied")
    print(f"{outcome.executed:9,}  of the allowed run under strace in {outcome.running_s:.0f} s, each of another kind")
    print(f"{len(outcome.violations):9,}  did more than read")
    for each in outcome.violations:
        print(f"{each.command!r}\n           {each.what}")


if __name__ == "__main__":
    main()
