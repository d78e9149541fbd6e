"""Some thousand commands at random: what passes is run, watched by the kernel, and has only read.

`python -m bench.fuzz_permissions` does the same with a hundred thousand.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.fuzz_permissions import fuzz, make_place
from bench.fuzzing.watch import available, run_watched

from tests.permissions.judging import behaviour

pytestmark = [
    pytest.mark.slow,
    # Only the kernel sees all that a command does, and only a sandbox makes it safe to be wrong.
    pytest.mark.skipif(not available(), reason="strace, bwrap and git are needed"),
]


def test_what_passes_only_reads(tmp_path: Path) -> None:
    outcome = fuzz(count=3_000, most_run=150, seed=20, root=tmp_path)
    assert outcome.violations == ()
    assert (outcome.generated, outcome.executed) == (3_000, 150)
    assert outcome.allowed + outcome.asked + outcome.denied == 3_000
    # Were next to nothing allowed, nothing would be tested.
    assert 300 < outcome.allowed < 1_500


@pytest.mark.parametrize(
    "command",
    [
        "touch out",
        "rm README.md",
        "echo x > /proc/not-there",
        "sh -c true",
        "./evil",
        "exec 3<>/dev/tcp/127.0.0.1/1",
        "chmod 600 README.md",
        "sort -o README.md README.md",
        "(sleep 0; touch out) & wait",
        "kill -9 999999",
    ],
)
def test_the_watch_sees_what_does_more(command: str, tmp_path: Path) -> None:
    scope = make_place(tmp_path)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(scope.home)}
    found, run = run_watched(["ls", command, "ls"], scope.workdir, scratch, environ)
    assert run == 3
    assert command in [each.command for each in found]
    assert {each.command for each in found} <= {command, "(one of these)"}
    assert behaviour(command, scope) > behaviour("ls", scope)
