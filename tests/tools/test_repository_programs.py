"""A repository's own configuration starts nothing when Git only reads."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.tools.conftest import Bench


@pytest.fixture
def repository(bench: Bench) -> Path:
    """A repository with a change, whose configuration names a program for everything that a read might start."""
    workdir = bench.workdir
    evil = workdir.parent / "evil.sh"
    evil.write_text(f'#!/bin/sh\ntouch {workdir.parent}/EVIL\ncat "$1" 2>/dev/null\n')
    evil.chmod(0o755)
    for arguments in (
        "init -q .",
        "config user.email a@example.org",
        "config user.name a",
        "add .",
        "commit -qm first",
        f"config core.fsmonitor {evil}",
        f"config core.pager {evil}",
        f"config pager.log {evil}",
        f"config diff.external {evil}",
        f"config diff.odd.textconv {evil}",
        f"config diff.Own.command {evil}",
        "config log.showSignature true",
        f"config gpg.program {evil}",
    ):
        (workdir / "f.txt").write_text("one\n")
        (workdir / "g.odd").write_text("one\n")
        (workdir / "h.own").write_text("one\n")
        (workdir / ".gitattributes").write_text("*.odd diff=odd\n*.own diff=Own\n")
        subprocess.run(["git", *arguments.split()], cwd=workdir, check=True)
    for name in ("f.txt", "g.odd", "h.own"):
        (workdir / name).write_text("two\n")
    (workdir.parent / "EVIL").unlink(missing_ok=True)
    return workdir


@pytest.mark.parametrize(
    "command", ["git status --short", "git diff", "git log -p", "git show", "git diff HEAD", "git blame f.txt"]
)
async def test_a_read_starts_no_program(bench: Bench, repository: Path, command: str) -> None:
    assert await bench.text("bash", command=command)
    assert not (repository.parent / "EVIL").exists()


async def test_the_model_is_told_how_to_see_the_diff(bench: Bench, repository: Path) -> None:
    (repository / "sub").mkdir()
    await bench.text("bash", command="cd sub")
    assert "use git diff --no-ext-diff" in await bench.text("bash", command="git diff")
    text = await bench.text("bash", command="git diff --no-ext-diff --no-textconv")
    assert text.count("-one\n+two") == 3
    assert not (repository.parent / "EVIL").exists()


async def test_a_plain_repository_shows_its_diff(bench: Bench) -> None:
    await bench.text("bash", command="git init -q .; echo one > f; git add .; echo two > f")
    assert (await bench.text("bash", command="git diff")).endswith("@@ -1 +1 @@\n-one\n+two")
