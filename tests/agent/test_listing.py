"""The list of sessions: right after every change, cheap where nothing changed, and made anew from the journals."""

from __future__ import annotations

from pathlib import Path

import msgspec

from helloclaw.agent.catalog import delete_session, list_sessions
from helloclaw.protocol import events as out
from helloclaw.storage.journal import Journal, scan
from helloclaw.storage.paths import Home


def make(home: Home, name: str, *events: out.Base, padding: int = 0) -> Path:
    path = home.sessions / f"{name}.jsonl"
    lines = [msgspec.json.encode(msgspec.structs.replace(event, seq=n)) for n, event in enumerate(events, start=1)]
    big = msgspec.json.encode(out.AssistantEnd(text="x" * padding, seq=len(lines) + 1))
    Journal.create(path, {"id": name, "workdir": "/w", "created_at": 5.0}, [*lines, big]).close()
    return path


def add(path: Path, event: out.Base) -> None:
    found = scan(path)
    journal = Journal.reopen(path, found)
    journal.append(msgspec.json.encode(msgspec.structs.replace(event, seq=journal.next_seq)))
    journal.close()


def titles(home: Home) -> dict[str, str]:
    return {info.id: info.title for info in list_sessions(home)}


def test_titles_follow_every_renaming_also_of_long_sessions(tmp_path: Path) -> None:
    home = Home(tmp_path)
    long = make(home, "long", out.UserMessage(text="first\n words"), padding=1 << 21)
    short = make(home, "short", out.UserMessage(text="<x>", source="command"), out.UserMessage(text="这是 第一句"))
    assert titles(home) == {"long": "first words", "short": "这是 第一句"}
    kept = home.cache / "sessions.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    add(long, out.SessionUpdated(title="named"))
    add(short, out.SessionUpdated(mode="plan"))
    assert titles(home) == {"long": "named", "short": "这是 第一句"}
    add(long, out.SessionUpdated(title=""))
    assert titles(home) == {"long": "first words", "short": "这是 第一句"}


def test_an_unchanged_journal_is_not_read_again(tmp_path: Path) -> None:
    home = Home(tmp_path)
    make(home, "long", out.UserMessage(text="first words"), padding=1 << 21)
    before = list_sessions(home)
    kept = home.cache / "sessions.json"
    kept.write_bytes(kept.read_bytes().replace(b"first words", b"from the list"))
    assert [info.title for info in list_sessions(home)] == ["from the list"]
    kept.unlink()
    assert list_sessions(home) == before


def test_a_broken_list_is_made_anew_and_one_that_cannot_be_written_does_without(tmp_path: Path) -> None:
    home = Home(tmp_path)
    make(home, "long", out.UserMessage(text="first words"), padding=1 << 21)
    home.cache.write_text("no directory")
    assert titles(home) == {"long": "first words"}
    home.cache.unlink()
    home.cache.mkdir()
    (home.cache / "sessions.json").write_text('{"long": [1, 2]}')
    assert titles(home) == {"long": "first words"}


def test_nothing_is_kept_of_a_deleted_session(tmp_path: Path) -> None:
    home = Home(tmp_path)
    make(home, "gone", out.UserMessage(text="a secret"), padding=1 << 21)
    make(home, "stays", out.UserMessage(text="words"))
    assert titles(home) == {"gone": "a secret", "stays": "words"}
    delete_session(home, "gone")
    assert b"a secret" not in (home.cache / "sessions.json").read_bytes()
    assert titles(home) == {"stays": "words"}
