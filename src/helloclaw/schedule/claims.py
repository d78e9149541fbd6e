"""Which occurrences were claimed, and which of these were delivered: an append-only file beside the schedules.

A claim is on disk before anything comes of it. Whoever claims looks at the file while nobody else can write it, so that
an occurrence has one claimant, whatever became of other locks.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from helloclaw.schedule.job import Past
from helloclaw.storage.atomic import PRIVATE_FILE, private_directory, replace_file
from helloclaw.storage.locks import hold

NAME = "cron.claims.jsonl"
_LOCK_WAIT_S = 10.0
_KEPT_OF_EACH = 64
_REWRITTEN_AT_BYTES = 256 * 1024


class Line(Struct, frozen=True, omit_defaults=True):
    """`at` is the occurrence's instant. `delivered`: a model call that carried it has begun."""

    id: str
    at: float
    is_: Literal["claimed", "delivered"] = "claimed"
    missed: int = 0
    late: bool = False


class Claims:
    """Of one directory. Methods raise `OSError`, `Busy`."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME

    def pasts(self) -> dict[str, Past]:
        """By job."""
        found: dict[str, list[float]] = {}
        for line in self._lines():
            if line.is_ == "claimed":
                found.setdefault(line.id, []).append(line.at)
        return {job: Past(claimed=tuple(sorted(set(instants))[-_KEPT_OF_EACH:])) for job, instants in found.items()}

    def claim(self, line: Line) -> bool:
        """False if somebody has it."""
        with self._alone() as lines:
            if any(each.id == line.id and each.at == line.at for each in lines):
                return False
            self._append(line)
            return True

    def deliver(self, job: str, at: float) -> None:
        """Note that a claimed occurrence has reached its model."""
        with self._alone():
            self._append(Line(job, at, "delivered"))

    def undelivered(self) -> list[Line]:
        """What was claimed and has reached nobody: whoever claimed it is gone, or about to deliver it."""
        delivered: set[tuple[str, float]] = set()
        claimed: dict[tuple[str, float], Line] = {}
        for line in self._lines():
            key = (line.id, line.at)
            if line.is_ == "delivered":
                delivered.add(key)
            else:
                claimed[key] = line
        return [line for key, line in claimed.items() if key not in delivered]

    def forget(self, jobs: Iterable[str]) -> None:
        """Drop what is known of jobs that are gone, when the file has grown long."""
        if not self._path.exists() or self._path.stat().st_size < _REWRITTEN_AT_BYTES:
            return
        gone = set(jobs)
        with self._alone() as lines:
            latest: dict[str, list[Line]] = {}
            for line in lines:
                if line.id not in gone:
                    latest.setdefault(line.id, []).append(line)
            kept = [line for each in latest.values() for line in each[-2 * _KEPT_OF_EACH :]]
            replace_file(self._path, b"".join(map(_encoded, kept)), mode=PRIVATE_FILE)

    @contextmanager
    def _alone(self) -> Generator[list[Line]]:
        private_directory(self._path.parent)
        lock = hold(self._path.with_suffix(".lock"), timeout_s=_LOCK_WAIT_S)
        try:
            yield list(self._lines())
        finally:
            lock.release()

    def _lines(self) -> Iterator[Line]:
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return
        for raw in data.splitlines():
            try:
                yield msgspec.json.decode(raw, type=Line)
            except msgspec.MsgspecError:  # half a line of a crash
                continue

    def _append(self, line: Line) -> None:
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), PRIVATE_FILE)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            os.write(handle, (b"\n" if torn else b"") + _encoded(line))
            os.fsync(handle)
        finally:
            os.close(handle)


def _encoded(line: Line) -> bytes:
    return msgspec.json.encode(line) + b"\n"
