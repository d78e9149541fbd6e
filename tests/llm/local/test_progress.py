from __future__ import annotations

from helloclaw.llm.local.progress import Meter, PullProgress


def test_rate_and_time_left_come_from_the_last_seconds() -> None:
    seen: list[PullProgress] = []
    now = 0.0
    meter = Meter(1000, seen.append, clock=lambda: now)
    meter.begin("fetching", "here", 100)
    for now, done in ((0.05, 150), (1.0, 200), (2.0, 300), (20.0, 400), (21.0, 1000)):  # noqa: B007 - read by the clock
        meter.at(done)
    assert [(step.done, step.rate, step.eta_s) for step in seen] == [
        (100, 0.0, None),
        (200, 100.0, 8.0),
        (300, 100.0, 7.0),
        (400, 0.0, None),
        (1000, 600.0, 0.0),
    ]


def test_a_new_source_starts_a_new_rate() -> None:
    seen: list[PullProgress] = []
    now = 0.0
    meter = Meter(1000, seen.append, clock=lambda: now)
    meter.begin("fetching", "first", 0)
    now = 1.0
    meter.at(500)
    meter.begin("fetching", "second", 500)
    assert seen == [
        PullProgress(phase="fetching", source="first", done=0, total=1000),
        PullProgress(phase="fetching", source="first", done=500, total=1000, rate=500.0, eta_s=1.0),
        PullProgress(phase="fetching", source="second", done=500, total=1000),
    ]
