"""What looks at a workspace, with a clock that says when."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from helloclaw.workspace.files import Workspace

MOMENT = datetime(2026, 3, 9, 14, 5, 6, tzinfo=UTC).timestamp()


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """One that nothing was made in yet."""
    monkeypatch.setenv("TZ", "UTC")
    return Workspace(tmp_path / "workspace", clock=lambda: MOMENT)
