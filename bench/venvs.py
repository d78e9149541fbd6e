"""A virtual environment for each subject, outside the checkout, kept from run to run, its bytecode compiled."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from bench.subjects import Subject

ROOT = Path(__file__).resolve().parent.parent


def cache_dir() -> Path:
    """Where the environments and the subjects' homes are."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "helloclaw/bench"


def _uv(*arguments: str) -> None:
    command = [os.environ.get("UV") or "uv", *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")


def make_venv(subject: Subject, *, started_at: float) -> Path:
    """Make or reuse the subject's environment. HelloClaw is built and installed anew, as its users would get it, unless
    that was done after `started_at` (a Unix time).

    Raises SystemExit with uv's words if that fails.
    """
    wanted = subject.requirement or "helloclaw"
    python = f"py{sys.version_info[0]}.{sys.version_info[1]}"
    plain = "-".join([*re.findall(r"[\w.-]+", wanted), python])  # mini-swe-agent reads a path with "=" as a setting
    venv = cache_dir() / "venvs" / plain
    mark = venv / ".installed"
    if mark.exists() and (subject.requirement or mark.stat().st_mtime >= started_at):
        return venv
    print(f"Installing {wanted} …", file=sys.stderr)
    _uv("venv", "--quiet", "--clear", "--python", sys.executable, str(venv))
    into = ("pip", "install", "--quiet", "--compile-bytecode", "--python", str(venv))
    if subject.requirement:
        _uv(*into, subject.requirement)
    else:
        wheels = cache_dir() / "wheels"
        for old in wheels.glob("*.whl"):
            old.unlink()
        _uv("build", "--quiet", "--wheel", "--out-dir", str(wheels))
        _uv(*into, *map(str, wheels.glob("*.whl")))
    mark.touch()
    return venv
