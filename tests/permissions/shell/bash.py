"""Asking bash itself what it makes of words, many at a time."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path


def words_of(texts: Sequence[str], cwd: Path, home: Path) -> list[list[str] | None]:
    """For each text, the words that bash passes on for it; None where bash finds it ill-formed."""
    results: list[list[str] | None] = []
    for text in texts:
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-c", f"printf '%s\\0' {text}"],
            cwd=cwd,
            env={"HOME": str(home), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        failed = done.returncode != 0 or done.stderr
        results.append(None if failed else done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1])
    return results
