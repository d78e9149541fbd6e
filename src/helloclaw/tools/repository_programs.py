"""The programs that a repository's own Git configuration would run to show a diff, and what to put in their place.

`git diff` may run unasked, yet `diff.external`, `diff.NAME.command` and `diff.NAME.textconv` in a `.git/config` that
came with an archive make it run anything. Git has no variable to ignore them, but one to outrank them. The person's
own (global) configuration stays as it is.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

_MAY_NAME_A_PROGRAM = re.compile(rb"^\s*\[\s*(diff|include)", re.IGNORECASE | re.MULTILINE)
_KEYS = r"^diff\.(external|.*\.(command|textconv))$"
_SAY_SO = "echo 'not shown: the repository names its own diff program; use git diff --no-ext-diff'; :"
_TIMEOUT_S = 2.0


async def neutral_git_config(text: str, cwd: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Git settings that outrank those of the repository around `cwd`; empty when there is nothing to outrank."""
    if "git" not in text or not any(_names_programs(config) for config in _configs(cwd)):
        return {}
    git = shutil.which("git", path=environ.get("PATH"))
    if git is None:
        return {}
    process = await asyncio.create_subprocess_exec(
        git, "config", "--local", "--includes", "--null", "--name-only", "--get-regexp", _KEYS,
        cwd=cwd, env=dict(environ), stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            names, _ = await process.communicate()
    except BaseException:
        process.kill()
        raise
    keys = [name for name in os.fsdecode(names).split("\0") if name]
    return {key: "cat" if key.endswith(".textconv") else _SAY_SO for key in keys}


def _configs(cwd: Path) -> list[Path]:
    """The configuration files of the repository that `cwd` is in."""
    for directory in (cwd, *cwd.parents):
        dot_git = directory / ".git"
        if dot_git.is_dir():
            return [dot_git / "config", dot_git / "config.worktree"]
        if dot_git.is_file():  # a worktree or a submodule, whose configuration is elsewhere: let Git look
            return [dot_git]
    return []


def _names_programs(config: Path) -> bool:
    if not config.is_file():  # a FIFO would be waited for
        return False
    try:
        content = config.read_bytes()
    except OSError:
        return False
    return content.startswith(b"gitdir:") or bool(_MAY_NAME_A_PROGRAM.search(content))
