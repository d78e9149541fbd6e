"""The journal keeps whole lines whatever happens to the process or the disk."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.storage.journal import Journal, JournalError, Scan, last_seq, scan
from helloclaw.storage.locks import Busy, hold

HEADER = {"id": "abc", "workdir": "/w"}


def line(seq: int, text: str = "x") -> bytes:
    return msgspec.json.encode({"type": "notice", "seq": seq, "text": text})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions" / "abc.jsonl"


def test_lines_come_back_in_order_with_their_header(path: Path) -> None:
    journal = Journal.create(path, HEADER)
    journal.append(line(1, "你好"))
    journal.append(line(2))
    journal.close()

    found = scan(path)

    assert found == Scan(
        header={"v": 1, **HEADER}, lines=[line(1, "你好"), line(2)], size=path.stat().st_size, torn=b"", damaged=0
    )
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


@given(cut=st.integers(min_value=0, max_value=200))
def test_a_journal_cut_anywhere_reopens_with_every_whole_line(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cut") / "s.jsonl"
    journal = Journal.create(path, HEADER)
    header_size = path.stat().st_size
    for seq in range(1, 5):
        journal.append(line(seq))
    journal.close()
    size = max(header_size, path.stat().st_size - cut)
    os.truncate(path, size)
    whole = (size - header_size) // (len(line(1)) + 1)

    found = scan(path)
    again = Journal.reopen(path, found)
    again.append(line(again.next_seq))
    again.close()

    assert len(found.lines) == whole
    assert [msgspec.json.decode(each)["seq"] for each in scan(path).lines] == list(range(1, whole + 2))


def test_a_file_that_is_no_journal_is_named(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"\x00\x01 not json\n")
    with pytest.raises(JournalError, match=r"abc\.jsonl: not a session journal"):
        scan(path)


def test_a_fifo_or_device_is_not_read(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)
    (path.parent / "zero.jsonl").symlink_to("/dev/zero")
    for each in (path, path.parent / "zero.jsonl"):
        with pytest.raises(JournalError, match=r"\.jsonl: not a session journal \(it is a FIFO or a device\)"):
            scan(each)


def test_a_newer_format_is_refused_not_misread(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b'{"v":99}\n')
    with pytest.raises(JournalError, match="written in format 99"):
        scan(path)


def test_damage_in_the_middle_is_skipped_and_counted(path: Path) -> None:
    journal = Journal.create(path, HEADER)
    journal.append(line(1))
    journal.append(b"\x00\x00garbage")
    journal.append(line(3))
    journal.close()

    found = scan(path)

    assert (found.lines, found.damaged, last_seq(found.lines)) == ([line(1), line(3)], 1, 3)


def test_a_full_disk_loses_only_the_line_that_did_not_fit(path: Path) -> None:
    """RLIMIT_FSIZE stands for the disk: a write past it stores what fits, then fails."""
    journal = Journal.create(path, HEADER)
    journal.append(line(1))
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 10, old[1]))
        with pytest.raises(JournalError, match=r"abc\.jsonl: File too large"):
            journal.append(line(2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, ignored)
    journal.append(line(2, "fits now"))
    journal.close()

    assert scan(path).lines == [line(1), line(2, "fits now")]


def test_a_lock_is_exclusive_between_processes_and_freed_by_kill(tmp_path: Path) -> None:
    lock_path = tmp_path / "locks" / "s.lock"
    code = textwrap.dedent(
        f"""
        import sys, pathlib
        from helloclaw.storage.locks import hold
        lock = hold(pathlib.Path({str(lock_path)!r}))
        print("held", flush=True)
        sys.stdin.read()
        """
    )
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(Busy):
        hold(lock_path)

    holder.kill()
    holder.wait()

    hold(lock_path, timeout_s=5).release()


def test_a_line_written_during_an_fsync_waits_for_the_next_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal.create(path, HEADER)
    synced: list[int] = []

    def fsync(handle: int) -> None:
        synced.append(os.fstat(handle).st_size)
        if len(synced) == 1:
            journal.append(line(1))

    monkeypatch.setattr(os, "fsync", fsync)
    journal.sync()
    journal.sync()
    journal.sync()
    journal.close()
    assert len(synced) == 2
    assert synced[1] == path.stat().st_size


def test_a_journal_that_cannot_be_started_leaves_no_file(path: Path) -> None:
    class Unwritable:
        pass

    with pytest.raises(TypeError):
        Journal.create(path, {"id": Unwritable()})
    assert list(path.parent.iterdir()) == []


def test_a_disk_that_is_full_from_the_start_is_named(path: Path) -> None:
    script = f"""
        import resource, signal
        from pathlib import Path
        from helloclaw.storage.journal import Journal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        try:
            Journal.create(Path({str(path)!r}), {{"id": "abc"}})
        except OSError as error:
            print(error.filename)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, list(path.parent.iterdir())) == (f"{path}\n", "", [])


def test_a_lock_taken_in_one_thread_is_released_in_another(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as threads:
        lock = threads.submit(hold, tmp_path / "a.lock").result()
    with pytest.raises(Busy):
        hold(tmp_path / "a.lock")
    lock.release()
    hold(tmp_path / "a.lock").release()
