from __future__ import annotations

import os
from pathlib import Path

import pytest

from helloclaw.llm.local.machine import available_memory, compute_threads
from helloclaw.llm.local.server import ServerFailed, fit_memory

CPUS = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def siblings(root: Path, text: str) -> Path:
    for cpu in CPUS:
        file = root / f"cpu{cpu}" / "topology" / "thread_siblings_list"
        file.parent.mkdir(parents=True)
        file.write_text(text.format(cpu=cpu))
    return root


def test_threads_of_one_core_count_once(tmp_path: Path) -> None:
    assert compute_threads(siblings(tmp_path / "one", "0-63"), tmp_path) == 1
    assert compute_threads(siblings(tmp_path / "own", "{cpu}"), tmp_path) == len(CPUS)


def test_a_quota_of_a_container_counts(tmp_path: Path) -> None:
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    assert compute_threads(siblings(tmp_path / "cpus", "{cpu}"), tmp_path) == 1
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert compute_threads(siblings(tmp_path / "more", "{cpu}"), tmp_path) == len(CPUS)


def test_nothing_known_is_one_thread_a_cpu(tmp_path: Path) -> None:
    assert compute_threads(tmp_path, tmp_path) == len(CPUS)


def test_free_memory_is_what_computer_and_container_both_have(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    assert available_memory(meminfo, tmp_path) is None
    meminfo.write_text("MemTotal:       16000 kB\nMemAvailable:   8000 kB\n")
    assert available_memory(meminfo, tmp_path) == 8000 * 1024
    (tmp_path / "memory.max").write_text("4000000\n")
    (tmp_path / "memory.current").write_text("3500000\n")
    (tmp_path / "memory.stat").write_text("anon 5\ninactive_file 1000000\n")
    assert available_memory(meminfo, tmp_path) == 1_500_000


@pytest.mark.parametrize(("free", "frugal"), [(None, False), (3_000_000_000, False), (1_800_000_000, True)])
def test_with_little_memory_it_is_frugal(free: int | None, frugal: bool) -> None:
    assert fit_memory(1_117_320_768, free) is frugal


def test_with_too_little_it_is_refused() -> None:
    with pytest.raises(ServerFailed, match=r"needs 1\.5 GB of memory, 1\.2 GB are free"):
        fit_memory(1_117_320_768, 1_200_000_000)
