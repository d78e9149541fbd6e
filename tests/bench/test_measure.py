"""What a run took is the run's own, whatever the harness and the children are like."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from bench.measure import Sample, run

BURN = "import time\nwhile time.process_time() < 0.2: pass"


def measured(code: str, tmp_path: Path) -> Sample:
    return run([sys.executable, "-I", "-S", "-c", code], cwd=tmp_path, env=dict(os.environ), log=tmp_path / "log.txt")


def test_exit_code_and_output_are_kept(tmp_path: Path) -> None:
    sample = measured("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)", tmp_path)
    assert (sample.exit_code, sorted(sample.output.split())) == (3, ["err", "out"])


def test_memory_of_a_large_harness_is_not_the_childs(tmp_path: Path) -> None:
    ballast = bytearray(100 << 20)
    ballast[::4096] = b"x" * len(ballast[::4096])
    assert measured("pass", tmp_path).peak_mb < 50


def test_cpu_of_a_childs_child_counts(tmp_path: Path) -> None:
    sample = measured(f"import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', {BURN!r}])", tmp_path)
    assert sample.cpu_s >= 0.2
    assert sample.wall_s >= 0.2
