"""Where the shared corpus lies: beside the repository, or where `HELLOCLAW_CORPUS` says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).resolve().parents[2]


def corpus_file(name: str) -> Path:
    """It is handed out apart from the repository; without it the tests of a module have nothing to compare with."""
    path = Path(os.environ.get("HELLOCLAW_CORPUS") or _REPOSITORY.parent / "shared" / "corpus") / name
    if not path.exists():
        pytest.skip(f"{path} is not there; set HELLOCLAW_CORPUS", allow_module_level=True)
    return path
