"""Schedules on disk: claimed once whoever looks, edited by many, nothing lost, nothing run untrusted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helloclaw.schedule.claims import Claims, Line
from helloclaw.schedule.expression import BadExpression
from helloclaw.schedule.schedules import LOCK, Schedules
from helloclaw.schedule.store import NAME, ScheduleError, Store

START = datetime(2026, 3, 9, 8, 0, 30, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


def schedules(workdir: Path, clock: Clock, *, trusted: bool = True) -> Schedules:
    return Schedules(workdir, trusted=lambda: trusted, now=clock, zone=lambda: UTC)


def fired(each: Schedules) -> list[tuple[str, str]]:
    return [(firing.job.prompt, firing.kind) for firing in each.tick().firings]


def test_what_is_due_fires_once(tmp_path: Path) -> None:
    clock = Clock()
    one = schedules(tmp_path, clock)
    one.create("7 * * * *", "hourly")
    one.create("8 * * * *", "once", recurring=False)
    one.create("7 * * * *", "kept", durable=True)
    assert fired(one) == []
    clock.now += timedelta(minutes=7)
    assert fired(one) == [("hourly", "due"), ("kept", "due")]
    assert fired(one) == []
    clock.now += timedelta(minutes=1)
    assert fired(one) == [("once", "due")]
    clock.now += timedelta(minutes=59)
    assert [prompt for prompt, _ in fired(one)] == ["hourly", "kept"]
    assert [entry.job.prompt for entry in one.listing()] == ["hourly", "kept"]
    one.close()


def test_listing_changes_nothing(tmp_path: Path) -> None:
    clock = Clock()
    one = schedules(tmp_path, clock)
    one.create("7 * * * *", "kept", durable=True)
    before = {path: path.read_bytes() for path in (tmp_path / ".claude").iterdir()}
    for _ in range(50):
        clock.now += timedelta(seconds=61)
        one.listing()
    assert {path: path.read_bytes() for path in (tmp_path / ".claude").iterdir()} == before


def test_what_was_claimed_and_not_delivered_comes_to_the_next(tmp_path: Path) -> None:
    clock = Clock()
    one = schedules(tmp_path, clock)
    one.create("7 * * * *", "kept", durable=True)
    clock.now += timedelta(minutes=7)
    assert len(one.tick().firings) == 1
    one.close()  # it died before its model was called
    two = schedules(tmp_path, clock)
    (again,) = two.tick().firings
    assert again.job.prompt == "kept"
    two.delivered(again)
    two.close()
    three = schedules(tmp_path, clock)
    assert fired(three) == []
    three.close()


def test_a_single_one_is_gone_once_it_is_delivered(tmp_path: Path) -> None:
    clock = Clock()
    one = schedules(tmp_path, clock)
    one.create("7 * * * *", "single", recurring=False, durable=True)
    clock.now += timedelta(minutes=7)
    (firing,) = one.tick().firings
    assert len(one.listing()) == 1
    one.delivered(firing)
    assert one.listing() == ()
    one.close()


def test_missed_while_nobody_was_there(tmp_path: Path) -> None:
    clock = Clock()
    schedules(tmp_path, clock).create("7 * * * *", "kept", durable=True)
    clock.now += timedelta(hours=5)
    one = schedules(tmp_path, clock)
    (firing,) = one.tick().firings
    assert (firing.kind, firing.missed) == ("missed", 5)
    one.close()


def test_a_week_and_a_warning(tmp_path: Path) -> None:
    clock = Clock()
    one = schedules(tmp_path, clock)
    one.create("7 3 * * *", "kept", durable=True)
    clock.now += timedelta(days=6, hours=1)
    assert [each.key for each in one.tick().notices] == ["cron.expires"]
    assert one.tick().notices == ()
    clock.now += timedelta(days=1)
    assert [each.key for each in one.tick().notices] == ["cron.expired"]
    assert one.listing() == ()
    one.close()


def test_an_untrusted_directory_starts_nothing(tmp_path: Path) -> None:
    clock = Clock()
    Store(tmp_path).add(schedules(tmp_path, clock).create("7 * * * *", "trap").job)
    one = schedules(tmp_path, clock, trusted=False)
    with pytest.raises(ScheduleError):
        one.create("7 * * * *", "kept", durable=True)
    clock.now += timedelta(minutes=7)
    assert (fired(one), one.listing()) == ([], ())
    assert not (tmp_path / ".claude" / LOCK).exists()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"tasks": [{"id": 7}]}', b"\xff\xfe", b"x" * 2_000_000])
def test_a_broken_file_is_kept_aside_and_the_rest_goes_on(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / NAME).write_bytes(content)
    one = schedules(tmp_path, Clock())
    assert [each.key for each in one.tick().notices] == ["cron.corrupt"]
    (aside,) = (tmp_path / ".claude").glob(f"{NAME}.corrupt-*")
    assert aside.read_bytes() == content
    one.create("7 * * * *", "kept", durable=True)
    assert one.tick().notices == ()
    one.close()


def test_a_hostile_entry_is_passed_over(tmp_path: Path) -> None:
    jobs = [
        {"id": "a", "cron": "nonsense", "prompt": "x", "created_at": 1},
        {"id": "b", "cron": "7 * * * *", "prompt": "y", "created_at": START.timestamp(), "tz": "No/Where"},
    ]
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / NAME).write_text(json.dumps({"tasks": jobs}))
    clock = Clock()
    one = schedules(tmp_path, clock)
    clock.now += timedelta(minutes=7)
    assert fired(one) == [("y", "due")]
    one.close()


@pytest.mark.parametrize(
    ("cron", "prompt", "tz"), [("nonsense", "x", ""), ("7 * * * *", " ", ""), ("7 * * * *", "x", "No/Where")]
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, cron: str, prompt: str, tz: str) -> None:
    with pytest.raises((ScheduleError, BadExpression)):
        schedules(tmp_path, Clock()).create(cron, prompt, tz=tz)


def test_a_claim_has_one_owner_and_survives_half_a_line(tmp_path: Path) -> None:
    claims = Claims(tmp_path / ".claude")
    assert claims.claim(Line("a", 1.0))
    assert not claims.claim(Line("a", 1.0))
    path = tmp_path / ".claude" / "cron.claims.jsonl"
    with path.open("ab") as stream:
        stream.write(b'{"id":"a","at":2')
    assert claims.claim(Line("a", 3.0))
    assert claims.pasts()["a"].claimed == (1.0, 3.0)
    claims.deliver("a", 1.0)
    assert [line.at for line in claims.undelivered()] == [3.0]


# ── many processes ──

PROGRAM = """
import sys, time
from datetime import UTC, datetime
from pathlib import Path
from helloclaw.schedule.schedules import Schedules
workdir, log = Path(sys.argv[1]), Path(sys.argv[2])
offset = float(sys.argv[3])
schedules = Schedules(workdir, trusted=lambda: True, zone=lambda: UTC,
                      now=lambda: datetime.fromtimestamp(time.time() + offset, UTC))
print("up", flush=True)
while True:
    for firing in schedules.tick().firings:
        with log.open("a") as stream:
            stream.write(f"{firing.job.id} {firing.at:.0f} {firing.kind}\\n")
        schedules.delivered(firing)
        print("fired", flush=True)
    time.sleep(0.05)
"""


def start(workdir: Path, log: Path, offset: float) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(workdir), str(log), str(offset)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    return process


def wait_for(log: Path, count: int) -> list[str]:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        lines = log.read_text().splitlines() if log.exists() else []
        if len(lines) >= count:
            return lines
        time.sleep(0.02)
    raise AssertionError(f"{count} firings were waited for: {log.read_text() if log.exists() else 'none'}")


@pytest.mark.slow
def test_of_ten_processes_one_fires_and_another_takes_over(tmp_path: Path) -> None:
    workdir, log = tmp_path / "work", tmp_path / "log"
    workdir.mkdir()
    now = datetime.now(UTC)
    # Their clocks stand a second before a full minute, in which something is due.
    minute = now.replace(second=0, microsecond=0) + timedelta(minutes=1)
    offset = (minute - now).total_seconds() - 8
    maker = Schedules(workdir, trusted=lambda: True, zone=lambda: UTC, now=lambda: now - timedelta(minutes=30))
    job = maker.create("* * * * *", "kept", durable=True).job
    processes = [start(workdir, log, offset) for _ in range(10)]
    try:
        wait_for(log, 2)  # what was missed, and the minute that has come
        holder = next(each for each in processes if _holds(each.pid, workdir / ".claude" / LOCK))
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        died = time.monotonic()
        while not any(_holds(each.pid, workdir / ".claude" / LOCK) for each in processes if each is not holder):
            assert time.monotonic() - died < 5
            time.sleep(0.02)
        (workdir / ".claude" / LOCK).unlink()  # and somebody removes the file
        time.sleep(0.5)
    finally:
        for each in processes:
            each.kill()
            each.wait()
    lines = log.read_text().splitlines()
    assert len(set(lines)) == len(lines)
    instants = [line.split()[1] for line in lines if line.startswith(job.id)]
    assert len(set(instants)) == len(instants)


def _holds(pid: int, path: Path) -> bool:
    try:
        inode = path.stat().st_ino
    except FileNotFoundError:
        return False
    rows = Path("/proc/locks").read_text().splitlines()
    return any(row.split()[4] == str(pid) and row.split()[5].endswith(f":{inode}") for row in rows)


EDITOR = """
import sys
from pathlib import Path
from datetime import UTC
from helloclaw.schedule.schedules import Schedules
schedules = Schedules(Path(sys.argv[1]), trusted=lambda: True, zone=lambda: UTC)
for number in range(5):
    entry = schedules.create("7 3 * * *", f"{sys.argv[2]} {number}", durable=True)
    if number == 0:
        schedules.remove(entry.job.id)
"""


def test_the_edits_of_ten_processes_survive(tmp_path: Path) -> None:
    editors = [subprocess.Popen([sys.executable, "-c", EDITOR, str(tmp_path), str(number)]) for number in range(10)]
    assert [editor.wait(60) for editor in editors] == [0] * 10
    prompts = {job.prompt for job in Store(tmp_path).jobs()}
    assert prompts == {f"{editor} {number}" for editor in range(10) for number in range(1, 5)}
    assert oct(os.stat(tmp_path / ".claude" / NAME).st_mode & 0o777) == "0o600"
