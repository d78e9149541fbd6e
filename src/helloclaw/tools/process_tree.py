"""Find and end everything a command started, also what left its session, its parent or its environment behind.

A command is known by three marks its descendants inherit: its session, a variable in their environment, and an open
anonymous file. A process would have to shed all of them to be missed; only a process namespace catches even that.
Without `/proc` (macOS) there is just the process group.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
import time
from collections.abc import Iterator

from msgspec import Struct

MARK_VARIABLE = "HELLOCLAW_COMMAND"
# SIGTERM first, so that programs can tidy up; what is left after this time gets SIGKILL. A cancel is over in 300 ms.
TERM_GRACE_S = 0.15
_POLL_S = 0.01
# A process in an uninterruptible wait (a dead network disk) survives SIGKILL for a while; it is not waited for longer.
_KILL_PATIENCE_S = 0.25


class ProcessTree(Struct, frozen=True, kw_only=True):
    """What marks one command's processes. `root` is its first process, the leader of its session, until that is reaped.

    `mark` begins the value of `MARK_VARIABLE` and the anonymous file's name. It ends with a dot, so that none begins
    another by chance: `SESSION.` marks all commands of a session, `SESSION.7.` one of them.
    """

    root: int | None
    mark: str


class _Process(Struct, frozen=True):
    pid: int
    parent: int
    group: int
    session: int
    born: int


def mark_file(mark: str) -> int:
    """An anonymous file whose name in `/proc/PID/fd` shows the mark. The caller closes it."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create(f"{MARK_VARIABLE}={mark}")
    with tempfile.TemporaryFile() as unnamed:
        return os.dup(unnamed.fileno())


def living(tree: ProcessTree, since: int = 0) -> set[int]:
    """The pids that belong to the command now, zombies left out. None was born before `since`, in clock ticks."""
    own = os.getpid()
    processes = {process.pid: process for process in _processes() if process.pid != own and process.born >= since}
    # A child of ours that is not the root may be another command between fork and exec: it still has our open files.
    found = {pid for pid, process in processes.items() if _belongs(process, tree, own)}
    while True:
        more = {pid for pid, process in processes.items() if process.parent in found} - found
        if not more:
            return found
        found |= more


async def end_tree(tree: ProcessTree) -> None:
    """SIGTERM, then SIGKILL to all of the command's processes, until none is left. If cancelled, SIGKILL at once."""
    # No descendant is older than the root, so that not every process of the machine has to be looked into.
    root = _process(str(tree.root)) if tree.root is not None else None
    since = root.born if root else 0
    try:
        if _signal_all(tree, since, signal.SIGTERM):
            # A stopped process takes SIGTERM only once it goes on.
            _signal_all(tree, since, signal.SIGCONT)
            await _until_gone(tree, since)
    finally:
        _kill(tree, since)


async def _until_gone(tree: ProcessTree, since: int) -> None:
    deadline = time.monotonic() + TERM_GRACE_S
    while time.monotonic() < deadline and _any_left(tree, since):  # noqa: ASYNC110 - the system tells of no stranger's end
        await asyncio.sleep(_POLL_S)


def _kill(tree: ProcessTree, since: int) -> None:
    """Again and again, since a process may fork between being seen and being killed. Not to be interrupted."""
    deadline = time.monotonic() + _KILL_PATIENCE_S
    while _signal_all(tree, since, signal.SIGKILL) and time.monotonic() < deadline:
        time.sleep(0.001)


def _any_left(tree: ProcessTree, since: int) -> bool:
    if not shows_marks():
        return tree.root is not None and _signal_group(tree.root, 0)
    return bool(living(tree, since))


def _signal_all(tree: ProcessTree, since: int, number: signal.Signals) -> bool:
    """Send a signal to the whole tree; whether there was anyone to get it."""
    if not shows_marks():
        return tree.root is not None and _signal_group(tree.root, number)
    pids = living(tree, since)
    # Parents first: a shell whose child is ended before itself would go on with its next command.
    for pid in sorted(pids, key=lambda pid: (pid != tree.root, pid)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
    return bool(pids)


def _signal_group(group: int, number: int) -> bool:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _belongs(process: _Process, tree: ProcessTree, own: int) -> bool:
    if tree.root is not None and tree.root in (process.pid, process.session, process.group):
        return True
    return process.parent != own and (_has_variable(process.pid, tree.mark) or _has_file(process.pid, tree.mark))


def _has_variable(pid: int, mark: str) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as stream:
            return f"{MARK_VARIABLE}={mark}".encode() in stream.read()
    except OSError:
        return False


def _has_file(pid: int, mark: str) -> bool:
    wanted = f"/memfd:{MARK_VARIABLE}={mark}"
    try:
        return any(os.readlink(f"/proc/{pid}/fd/{name}").startswith(wanted) for name in os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return False


def _processes() -> Iterator[_Process]:
    """All processes that `/proc` shows, zombies left out."""
    for name in os.listdir("/proc"):
        if name.isdigit() and (process := _process(name)):
            yield process


def _process(pid: str) -> _Process | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            stat = stream.read()
    except OSError:  # it has ended
        return None
    # The name in parentheses may hold anything, blanks and parentheses too; what follows the last one is regular.
    fields = stat[stat.rindex(b")") + 2 :].split()
    if fields[0] in (b"Z", b"X"):
        return None
    return _Process(int(pid), int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]))


def shows_marks() -> bool:
    """Whether this system lets us see marks at all, so that a command can be found once its root is gone."""
    return os.path.exists("/proc/self/stat")
