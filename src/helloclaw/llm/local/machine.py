"""What this computer can give a model: cores that compute, and memory that is free. Looks, changes nothing."""

from __future__ import annotations

import os
from pathlib import Path

_CPUS = Path("/sys/devices/system/cpu")
_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def compute_threads(cpus: Path = _CPUS, cgroup: Path = _CGROUP) -> int:
    """Physical cores that this process may use: a second thread on a core only takes turns with the first."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    siblings = {_read(cpus / f"cpu{cpu}" / "topology" / "thread_siblings_list") or str(cpu) for cpu in allowed}
    quota, _, period = _read(cgroup / "cpu.max").partition(" ")
    granted = -(-int(quota) // int(period)) if quota.isdigit() and period.isdigit() else len(siblings)
    return max(1, min(len(siblings), granted))


def available_memory(meminfo: Path = _MEMINFO, cgroup: Path = _CGROUP) -> int | None:
    """Bytes that can be taken without pushing anything out, a container's limit counted. None where nobody says."""
    free: int | None = None
    for line in _read(meminfo).splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            free = int(value.split()[0]) * 1024
    limit, used = _read(cgroup / "memory.max"), _read(cgroup / "memory.current")
    if limit.isdigit() and used.isdigit():
        in_container = int(limit) - int(used) + _reclaimable(_read(cgroup / "memory.stat"))
        return in_container if free is None else min(free, in_container)
    return free


def _reclaimable(stat: str) -> int:
    """File pages the kernel gives back when asked: a pulled GGUF may fill a container's limit with them."""
    for line in stat.splitlines():
        name, _, value = line.partition(" ")
        if name == "inactive_file":
            return int(value)
    return 0


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
