"""How a download is getting on: bytes, rate and time left, measured over the last seconds. It draws nothing."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Literal

from msgspec import Struct

PullPhase = Literal["resuming", "fetching", "done"]

_WINDOW_S = 8.0
_REPORT_EVERY_S = 0.1


class PullProgress(Struct, frozen=True, kw_only=True):
    """`done` and `total` are bytes of the weights file; `rate` is bytes a second, `eta_s` None while unknown."""

    phase: PullPhase
    source: str
    done: int
    total: int
    rate: float = 0.0
    eta_s: float | None = None


Report = Callable[[PullProgress], None]


def no_report(_: PullProgress) -> None:
    """For callers who draw nothing."""


class Meter:
    """Turns byte counts into `PullProgress`, at most ten a second. `clock` is monotonic seconds."""

    def __init__(self, total: int, report: Report, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._report = report
        self._clock = clock
        self._samples: deque[tuple[float, int]] = deque()
        self._phase: PullPhase = "fetching"
        self._source = ""
        self._most = 0
        self._reported_at = float("-inf")

    def begin(self, phase: PullPhase, source: str, done: int) -> None:
        """A new phase or source: the rate starts afresh."""
        self._phase, self._source = phase, source
        self._samples.clear()
        self._most = 0
        self._reported_at = float("-inf")
        self.at(done)

    def at(self, done: int) -> None:
        """`done` bytes of the file are here now. Never fewer than before: an installer moves what it has fetched."""
        now = self._clock()
        done = self._most = max(done, self._most)
        self._samples.append((now, done))
        while now - self._samples[0][0] > _WINDOW_S:
            self._samples.popleft()
        if now - self._reported_at < _REPORT_EVERY_S and done < self._total:
            return
        self._reported_at = now
        rate = self._rate()
        self._report(
            PullProgress(
                phase=self._phase,
                source=self._source,
                done=done,
                total=self._total,
                rate=rate,
                eta_s=(self._total - done) / rate if rate > 0 else None,
            )
        )

    def _rate(self) -> float:
        (first_at, first), (last_at, last) = self._samples[0], self._samples[-1]
        return max(0.0, (last - first) / (last_at - first_at)) if last_at > first_at else 0.0
