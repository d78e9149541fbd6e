"""Notes and conversations are found again: in every script, at once after an edit, whatever became of the index."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.memory.search import Finder
from helloclaw.memory.words import terms

TODAY = date(2026, 3, 9)
MEMORY = """# 记忆

- 用户的猫叫年糕 <!-- by:user -->
- Prefers max_tokens = 4096 and Python v3.12.1
- Écrit du café ☕ with naïve users
- [entity] li.lei@example.com
- [entity] ~~The server is called kestrel~~ <!-- by:tool superseded:2026-01-02 -->
- The server is called merlin

Some prose about PostgreSQL
that spans lines.

```
- not a note, zanzibar
```
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / "sessions").mkdir()
    (tmp_path / "MEMORY.md").write_text(MEMORY, encoding="utf-8")
    for days, text in ((0, "部署延期到周五"), (40, "部署脚本在 scripts 目录"), (400, "deploying on Mondays")):
        write_day(tmp_path, TODAY - timedelta(days=days), text)
    return tmp_path


def write_day(workspace: Path, day: date, *notes: str) -> None:
    text = "\n".join(f"- [fact] {note}" for note in notes)
    (workspace / "memory" / f"{day}.md").write_text(f"# {day}\n\n## 10:00\n\n{text}\n", encoding="utf-8")


def finder(workspace: Path) -> Finder:
    return Finder(workspace, workspace / "sessions", workspace / "cache" / "memory.sqlite", today=lambda: TODAY)


def found(workspace: Path, query: str) -> list[str]:
    return [f"{hit.path}:{hit.first}" for hit in finder(workspace).search(query).hits]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("年糕", "MEMORY.md:3"),
        ("猫", "MEMORY.md:3"),
        ("我的猫叫什么", "MEMORY.md:3"),
        ("那个 merlin 服务器", "MEMORY.md:8"),
        ("max_tokens", "MEMORY.md:4"),
        ("MAX_TOKENS 4096", "MEMORY.md:4"),
        ("v3.12.1", "MEMORY.md:4"),
        ("ecrit cafe", "MEMORY.md:5"),
        ("ＣＡＦＥ", "MEMORY.md:5"),
        ("li.lei@example.com", "MEMORY.md:6"),
        ("server", "MEMORY.md:8"),
        ("kestrel", "MEMORY.md:7"),
        ("postgresql spans", "MEMORY.md:10"),
        ("zanzibar", "MEMORY.md:14"),
        ("deploy monday", "memory/2025-02-02.md:5"),
        ("scripts 目录", "memory/2026-01-28.md:5"),
        ("周五", "memory/2026-03-09.md:5"),
    ],
)
def test_the_first_hit(workspace: Path, query: str, first: str) -> None:
    assert found(workspace, query)[:1] == [first]


@pytest.mark.parametrize("query", ["", " ", "😀", '"', "*", "xyzzy", "年鱼", "糕年"])
def test_what_is_not_there_is_not_found(workspace: Path, query: str) -> None:
    assert found(workspace, query) == []


@pytest.mark.parametrize(
    "query",
    ['" OR words : "', "NEAR(a b)", "server AND NOT merlin", "words:server", "serv*",
     "server'--", "(", "{a b}: x", "-server", "^server"]
)  # fmt: skip
def test_a_query_has_no_syntax(workspace: Path, query: str) -> None:
    assert not finder(workspace).search(query).scanned


@given(st.text(max_size=60))
def test_any_query_is_answered(query: str) -> None:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(words, singles)")
        for term in terms(query):
            connection.execute("SELECT * FROM t WHERE t MATCH ?", (f'words : "{" ".join(term.words)}"',)).fetchall()
    connection.close()


def test_a_long_query_is_cut(workspace: Path) -> None:
    assert found(workspace, "年糕 " * 5_000) == ["MEMORY.md:3"]


def test_later_notes_come_first(workspace: Path) -> None:
    assert found(workspace, "部署") == ["memory/2026-03-09.md:5", "memory/2026-01-28.md:5"]


def test_all_words_come_before_some(workspace: Path) -> None:
    write_day(workspace, TODAY, "the blue kettle", "a red kettle", "a blue door")
    assert found(workspace, "blue kettle")[:1] == ["memory/2026-03-09.md:5"]
    assert len(found(workspace, "blue kettle")) == 3


def test_an_edit_by_hand_is_found_at_once(workspace: Path) -> None:
    searching = finder(workspace)
    assert not searching.search("quokka").hits
    for path in (workspace / "MEMORY.md", workspace / "memory" / "2025-02-02.md"):
        before = path.read_text(encoding="utf-8")
        path.write_text(before + "- quokka\n", encoding="utf-8")
        assert [Path(hit.path).name for hit in searching.search("quokka").hits] == [path.name]
        path.write_text(before, encoding="utf-8")
        assert not searching.search("quokka").hits
    write_day(workspace, TODAY - timedelta(days=1), "quokka")
    assert len(searching.search("quokka").hits) == 1
    (workspace / "memory" / f"{TODAY - timedelta(days=1)}.md").unlink()
    assert not searching.search("quokka").hits


def test_an_edit_in_years_of_days_is_found(workspace: Path) -> None:
    for days in range(1, 700):
        write_day(workspace, TODAY - timedelta(days=days), f"day{days}")
    assert len(finder(workspace).search("day699").hits) == 1
    searching = finder(workspace)
    searching.search("day1")
    write_day(workspace, TODAY - timedelta(days=3), "quokka")
    assert len(searching.search("quokka").hits) == 1
    write_day(workspace, TODAY - timedelta(days=690), "wombat")
    assert len(finder(workspace).search("wombat").hits) == 1


def test_a_deleted_index_is_made_again(workspace: Path) -> None:
    searching = finder(workspace)
    assert searching.search("年糕").hits
    for path in (workspace / "cache").iterdir():
        path.unlink()
    assert searching.search("年糕").hits
    assert not searching.search("年糕").scanned


@pytest.mark.parametrize("damage", [b"", b"garbage" * 1000, b"SQLite format 3\x00" + b"\xff" * 8000])
def test_a_damaged_index_is_made_again(workspace: Path, damage: bytes) -> None:
    assert found(workspace, "年糕")
    for path in (workspace / "cache").iterdir():
        path.unlink()
    (workspace / "cache" / "memory.sqlite").write_bytes(damage)
    result = finder(workspace).search("年糕")
    assert ([hit.first for hit in result.hits], result.scanned) == ([3], False)


def test_without_an_index_the_notes_are_read(workspace: Path) -> None:
    (workspace / "cache").write_text("a file where a directory should be")
    for query in ("年糕", "猫", "max_tokens", "postgresql"):
        result = finder(workspace).search(query)
        assert (len(result.hits), result.scanned) == (1, True)


def test_a_locked_index_does_not_keep_from_searching(workspace: Path) -> None:
    finder(workspace).search("x")
    holder = sqlite3.connect(workspace / "cache" / "memory.sqlite", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    write_day(workspace, TODAY, "quokka")
    result = finder(workspace).search("quokka")
    holder.close()
    assert (len(result.hits), result.scanned) == (1, True)


def said(session: Path, *lines: dict[str, object]) -> None:
    with session.open("a", encoding="utf-8") as stream:
        stream.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def test_conversations_are_found_as_they_grow(workspace: Path) -> None:
    session = workspace / "sessions" / "abc.jsonl"
    said(session, {"v": 1, "id": "abc"}, {"type": "user_message", "seq": 1, "ts": 1773000000.0, "text": "我们聊聊鲸鱼"})
    searching = finder(workspace)
    (hit,) = searching.search("鲸鱼").hits
    assert (hit.path, hit.first, hit.who, hit.is_said) == ("abc", 1, "user", True)
    said(
        session,
        {"type": "assistant_end", "seq": 2, "ts": 1773000001.0, "text": "鲸鱼 are whales"},
        {"type": "tool_end", "seq": 3, "ts": 1773000002.0, "output": "whales whales"},
        {"type": "user_message", "seq": 4, "ts": 1773000003.0, "text": "whales reminder", "source": "reminder"},
    )
    with session.open("a") as stream:
        stream.write('{"type": "user_message", "seq": 5, "text": "whales to')
    assert [hit.first for hit in searching.search("whales").hits] == [2]
    with session.open("a") as stream:
        stream.write('rn", "ts": 1773000004.0}\n')
    assert [hit.first for hit in searching.search("whales").hits] == [5, 2]
    assert searching.search("whales", where="notes").hits == ()
    session.unlink()
    assert searching.search("whales").hits == ()


def test_files_that_are_none_are_passed_over(workspace: Path) -> None:
    (workspace / "memory" / "2026-01-01.md").symlink_to("/etc/passwd")
    (workspace / "memory" / "secret.md").write_text("- quokka")
    (workspace / "memory" / "2026-01-02.md").mkdir()
    (workspace / "memory" / "2026-01-03.md").write_bytes(b"- quokka \xff\xfe caf\xe9\n")
    assert [hit.text for hit in finder(workspace).search("quokka").hits] == ["quokka ?? caf?"]
    assert found(workspace, "root") == []


SEARCHER = """
import sys
from pathlib import Path
from helloclaw.memory.search import Finder
workspace = Path(sys.argv[1])
result = Finder(workspace, workspace / "sessions", workspace / "cache" / "memory.sqlite").search("number")
assert len(result.hits) == 10, result
"""


def test_many_processes_make_the_index_at_once(workspace: Path) -> None:
    write_day(workspace, TODAY, *(f"number {number}" for number in range(200)))
    searching = [subprocess.Popen([sys.executable, "-c", SEARCHER, str(workspace)]) for _ in range(4)]
    assert [each.wait(60) for each in searching] == [0] * 4
