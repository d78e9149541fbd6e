"""What this system offers to confine a command with, found out by trying it."""

from __future__ import annotations

import functools
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from msgspec import Struct

from helloclaw.sandbox.launch import Kind

_PATIENCE_S = 5.0


class Offer(Struct, frozen=True, kw_only=True):
    """`program` is bwrap's path, `abi` Landlock's version. `problem` is why there is nothing better, in English."""

    kind: Kind
    program: str = ""
    abi: int = 0
    problem: str = ""


@functools.cache
def probe() -> Offer:
    """The best that works here: bubblewrap, Landlock, or nothing. Tried once in a process; takes some 20 ms."""
    if not sys.platform.startswith("linux"):
        return Offer(kind="none", problem=f"there is no sandbox for {platform.system()} yet")
    program = shutil.which("bwrap")
    problem = try_bubblewrap(program)
    if program is not None and not problem:
        return Offer(kind="bubblewrap", program=program)
    abi, without = try_landlock()
    if not without:
        return Offer(kind="landlock", abi=abi, problem=problem)
    return Offer(kind="none", problem=f"{problem}; {without}")


def try_bubblewrap(program: str | None) -> str:
    """Why bubblewrap can't be used; empty if it can."""
    from helloclaw.sandbox.bubblewrap import plan
    from helloclaw.sandbox.profile import Profile

    if program is None:
        return "bubblewrap (bwrap) is not installed"
    with tempfile.TemporaryDirectory() as scratch:
        profile = Profile(workdir=Path(os.path.realpath(scratch)), temporary=Path(os.path.realpath(scratch)))
        arguments = plan(program, profile, profile.workdir, filter_fd=None, alive_fd=None)
        return _tried("bubblewrap", [*arguments, "/bin/sh", "-c", ": > inside"])


def try_landlock() -> tuple[int, str]:
    """Landlock's version, and why it can't be used; empty if it can."""
    from helloclaw.sandbox import confine
    from helloclaw.sandbox.landlock import LEAST_ABI
    from helloclaw.sandbox.seccomp import socket_filter

    abi = confine.abi()
    if abi < LEAST_ABI:
        return abi, f"Landlock's version is {abi}, and {LEAST_ABI} is needed (Linux 6.2)"
    if socket_filter(platform.machine(), network=False) is None:
        return abi, f"no filter for sockets is known on {platform.machine()}"
    return abi, ""


def _tried(name: str, arguments: list[str]) -> str:
    try:
        done = subprocess.run(
            arguments, capture_output=True, timeout=_PATIENCE_S, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{name} does not run: {error}"
    said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0][:200]
    return f"{name} does not work here: {said or f'exit code {done.returncode}'}" if done.returncode else ""
