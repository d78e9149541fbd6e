"""The history file: exact, private, shared by processes, kept short, and never in the way."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.repl.compose.history import KEPT, FileHistory, decoded, encoded, looks_secret

_ANY = st.text(alphabet=st.characters(exclude_categories=()))


async def read(path: Path) -> list[str]:
    return [entry async for entry in FileHistory(path).load()]


@given(st.lists(_ANY))
def test_any_text_comes_back_exactly(entries: list[str]) -> None:
    assert list(decoded(b"".join(map(encoded, entries)))) == entries


@given(st.binary())
def test_no_damage_breaks_it(data: bytes) -> None:
    assert [entry for entry in decoded(b'"a"\n' + data + b'\n"b"\n') if entry in "ab"][-1:] == ["b"]


async def test_entries_come_back_latest_first(tmp_path: Path) -> None:
    path = tmp_path / "home" / "history"
    history = FileHistory(path)
    for entry in ("one", "two\nlines", "三 🙂\r\n\u2028\ud800", "three", "three"):
        history.append_string(entry)
    assert await read(path) == ["three", "三 🙂\r\n\u2028\ud800", "two\nlines", "one"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_what_is_typed_while_the_file_is_read_stays_latest(tmp_path: Path) -> None:
    path = tmp_path / "history"
    FileHistory(path).append_string("old")
    history = FileHistory(path)
    reading = asyncio.ensure_future(anext(history.load()))
    await asyncio.sleep(0)
    history.append_string("new")
    await reading
    assert history.get_strings() == ["old", "new"]


@pytest.mark.parametrize(
    "secret",
    [
        "use " + "sk-" + "ant-api03-" + "x" * 20,
        "sk-1234567890abcdef1234567890abcdef",
        "curl -H 'Authorization: Bearer abcdefghijklmnop.qrst'",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAABCDEFGHIJKLMNOP",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc",
        "0123456789abcdef0123456789abcdef.AbCdEfGhIjKlMnOp",
        "-----BEGIN RSA PRIVATE KEY-----",
        "password=hunter22",
        "DEEPSEEK_API_KEY: 'abcdef123456'",
        "psql postgres://me:secret@host/db",
    ],
)
async def test_secrets_stay_in_memory(tmp_path: Path, secret: str) -> None:
    path = tmp_path / "history"
    history = FileHistory(path)
    history.append_string(secret)
    history.append_string("plain")
    assert looks_secret(secret)
    assert history.get_strings() == [secret, "plain"]
    assert await read(path) == ["plain"]


@pytest.mark.parametrize(
    "plain",
    [
        "why does the password check fail?",
        "ask-the-user-for-confirmation-please",
        "the bearer of bad news",
        "see https://example.com/a@b and git@github.com:me/x",
        "task-list-component-for-dashboard",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "密码：不要保存",
    ],
)
def test_plain_words_are_no_secret(plain: str) -> None:
    assert not looks_secret(plain)


async def test_a_torn_last_line_does_not_swallow_the_next_entry(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_bytes(encoded("good") + b'"torn by a cra')
    FileHistory(path).append_string("next")
    assert await read(path) == ["next", "good"]


@pytest.mark.parametrize("damage", [b"\x00\xff\xfe" * 100, b"not json\n{}\n[1]\n12\n", b'"\\ud8"\n"\xff"\n'])
async def test_a_damaged_file_is_read_as_far_as_it_goes(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "history"
    path.write_bytes(encoded("before") + damage + b"\n" + encoded("after"))
    assert await read(path) == ["after", "before"]


async def test_a_file_that_is_a_directory_is_no_history(tmp_path: Path) -> None:
    history = FileHistory(tmp_path)
    history.append_string("kept in memory")
    assert [entry async for entry in history.load()] == ["kept in memory"]


async def test_the_latest_ten_thousand_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_bytes(b"".join(encoded(f"entry {number}") for number in range(KEPT + 2000)))
    expected = [f"entry {number}" for number in range(KEPT + 1999, 1999, -1)]
    assert await read(path) == expected
    assert list(decoded(path.read_bytes())) == expected[::-1]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


_WRITER = """
import sys
from pathlib import Path
from helloclaw.repl.compose.history import FileHistory
history = FileHistory(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for number in range(30):
    history.append_string(f"{sys.argv[2]} {number} " + "长" * 3000)
"""


def test_two_processes_write_at_once_while_a_third_trims(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_bytes(encoded("x") * (KEPT + 2000))
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=dict(os.environ),
        )
        for name in ("one", "two")
    ]
    for writer in writers:
        assert writer.stdout
        assert writer.stdout.readline() == b"ready\n"
    for writer in writers:
        assert writer.stdin
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    asyncio.run(read(path))
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    found = [entry for entry in asyncio.run(read(path)) if entry != "x"]
    for name in ("one", "two"):
        assert [entry for entry in found[::-1] if entry.startswith(name)] == [
            f"{name} {number} " + "长" * 3000 for number in range(30)
        ]
    assert len(found) == 60


@pytest.mark.alone
async def test_ten_thousand_entries_cost_a_start_little(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_bytes(
        b"".join(encoded(f"explain how part {number} of it works, 请用中文" * 2) for number in range(KEPT))
    )
    history = FileHistory(path)
    began = time.perf_counter()
    load = history.load()
    first = asyncio.ensure_future(anext(load))
    await asyncio.sleep(0)
    assert time.perf_counter() - began < 0.05  # until the screen can go on
    await first
    assert time.perf_counter() - began < 1.0
    began = time.perf_counter()
    assert history.latest_with("nothing begins like this") is None
    assert time.perf_counter() - began < 0.02
