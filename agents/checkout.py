"""Run the program from a checkout in which it is not installed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path


def run(words: Sequence[str]) -> int:
    """The program with `words` as its command line; the exit code."""
    if importlib.util.find_spec("helloclaw") is None:
        sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
    from helloclaw.cli.main import entry

    return entry(words)
