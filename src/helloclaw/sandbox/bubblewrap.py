"""The arguments of `bwrap` for a profile: every namespace of its own, no network, no privileges. Pure."""

from __future__ import annotations

import os
from pathlib import Path

from helloclaw.sandbox.profile import Profile, keepers

_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - names of mount points
# What the kernel is set by. Root may write it even without a privilege, and bwrap covers only what looks writable.
_OF_THE_KERNEL = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "driver", "mtrr")
OWN_FILES = Path(__file__).resolve().parents[1]


def plan(
    program: str,
    profile: Profile,
    cwd: Path,
    *,
    filter_fd: int | None,
    alive_fd: int | None,
    own: Path = OWN_FILES,
) -> tuple[str, ...]:
    """What to put before a command's own arguments. Later mounts lie over earlier ones.

    `filter_fd` is an open file with a system call filter. `alive_fd` is held open as long as anything runs inside.
    `own` is where this program's files are.
    """
    arguments = [
        program,
        *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
        # Root would keep its privileges otherwise, and could undo the mounts.
        *("--die-with-parent", "--cap-drop", "ALL"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *(each for name in _OF_THE_KERNEL for each in ("--ro-bind-try", f"/proc/{name}", f"/proc/{name}")),
        # Sockets of services.
        *("--tmpfs", "/run"),
    ]
    for place in _TEMPORARY:
        if os.path.isdir(place):
            arguments += ["--bind", str(profile.temporary), place]
    if any(own.is_relative_to(place) for place in _TEMPORARY):
        # A shell reads a file of ours as it starts, wherever we are installed.
        arguments += ["--ro-bind", str(own), str(own)]
    for path in profile.hidden:
        arguments += ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", "/dev/null", str(path)]
    for path in (profile.workdir, *keepers(profile)):
        arguments += ["--bind", str(path), str(path)]
    for path in (*profile.protected, *profile.missing):
        arguments += ["--ro-bind", str(path), str(path)]
    arguments += ["--chdir", str(cwd), "--setenv", "TMPDIR", _TEMPORARY[0]]
    if filter_fd is not None:
        arguments += ["--seccomp", str(filter_fd)]
    if alive_fd is not None:
        arguments += ["--sync-fd", str(alive_fd)]
    return (*arguments, "--")
