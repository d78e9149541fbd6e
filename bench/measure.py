"""Run a command and say what it took: wall time, CPU time and peak memory, its own children included."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TIMEOUT_S = 300

# On Linux a new program inherits the peak memory of the process that started it, so a large harness would hide what a
# small program takes. This launcher is about as small as a Python can be, and it also does the waiting and the clock.
LAUNCHER = """
import json, os, sys, time
start = time.perf_counter()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(pid, 0)
print(json.dumps({
    "wall_s": time.perf_counter() - start,
    "cpu_s": used.ru_utime + used.ru_stime,
    "peak_mb": used.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10),
    "exit_code": os.waitstatus_to_exitcode(status),
}), file=os.fdopen(3, "w"))
"""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """What one run of a command took."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    exit_code: int
    output: str
    """Its standard output and error, to explain a failure."""


def run(command: Sequence[str], *, cwd: Path, env: Mapping[str, str], log: Path) -> Sample:
    """Run `command` with no standard input; its output goes to `log`, so that no pipe can hold it up."""
    report = log.with_suffix(".json")
    # fd 3 is the report's. The shell opens it, since Python could only pass one on under a number of its own choice.
    launch = ["/bin/sh", "-c", 'report=$1; shift; exec "$@" 3>"$report"', "sh", str(report)]
    launch += [sys.executable, "-I", "-S", "-c", LAUNCHER, *command]
    with log.open("wb") as out:
        subprocess.run(
            launch, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=True, timeout=TIMEOUT_S
        )
    return Sample(**json.loads(report.read_text()), output=log.read_text(encoding="utf-8", errors="replace"))
