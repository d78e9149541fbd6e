"""The memory on disk: added once, corrected, forgotten for good, whatever others do to it meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helloclaw.memory.note import Note, Source, parse, render
from helloclaw.memory.pages import BadPage
from helloclaw.memory.store import Memory, NoSuchNote

BY_CAPTURE = Source(session="s1", seq=7, by="capture")
BY_PERSON = Source(by="user")


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 9, 14, 5, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    return Memory(tmp_path, now=clock)


def today(memory: Memory) -> str:
    return (memory.workspace / "memory" / "2026-03-09.md").read_text(encoding="utf-8")


def test_a_days_page(memory: Memory, clock: Clock) -> None:
    memory.add("User likes tea", "preference", BY_CAPTURE)
    memory.add("Ana leads the team", "entity", BY_CAPTURE)
    clock.now += timedelta(minutes=3)
    memory.add("周五上线", "decision", BY_PERSON)
    assert today(memory) == (
        "# 2026-03-09\n\n## 14:05\n\n"
        "- [preference] User likes tea <!-- s:s1 seq:7 by:capture -->\n"
        "- [entity] Ana leads the team <!-- s:s1 seq:7 by:capture -->\n\n"
        "## 14:08\n\n- [decision] 周五上线 <!-- by:user -->\n"
    )
    assert memory.recent() == (
        "2026-03-09 [preference] User likes tea",
        "2026-03-09 [entity] Ana leads the team",
        "2026-03-09 [decision] 周五上线",
    )
    assert oct((memory.workspace / "memory" / "2026-03-09.md").stat().st_mode & 0o777) == "0o600"


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("User prefers tabs over spaces", "user prefers TABS over spaces."),
        ("用户喜欢深色主题", "用户很喜欢深色的主题！"),
        ("The office closes at 6 on Fridays", "the office closes at 6 on fridays"),
        ("The weekly report is due on Friday morning", "Weekly report is due on Friday morning"),
    ],
)
def test_what_is_known_is_not_added_again(memory: Memory, before: str, text: str) -> None:
    memory.add(before, None, BY_CAPTURE)
    added = memory.add(text, None, BY_CAPTURE)
    assert (added.outcome, added.where) == ("duplicate", "memory/2026-03-09.md")


def test_what_is_always_known_is_not_noted_again(memory: Memory) -> None:
    memory.update_longterm("Lives in Lisbon", BY_PERSON)
    assert memory.add("lives in Lisbon", "fact", BY_CAPTURE).where == "MEMORY.md"


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("我的电话是 13800001111", "我的电话是 13900001111"),
        ("The staging server is called kestrel", "The staging server is called merlin"),
        ("用户喜欢深色主题", "用户不喜欢深色主题"),
        ("User likes jazz", "User hates jazz"),
        ("我们的例会改到周三", "例会改到周四"),
        ("My email is a@example.com", "My email is b@example.com"),
    ],
)
def test_a_correction_marks_what_it_corrects(memory: Memory, before: str, text: str) -> None:
    memory.add(before, None, BY_CAPTURE)
    assert memory.add(text, None, BY_CAPTURE).superseded == (before,)
    assert f"- ~~{before}~~ <!-- s:s1 seq:7 by:capture superseded:2026-03-09 -->" in today(memory)
    assert memory.recent() == (f"2026-03-09 {text}",)
    assert memory.add(before, None, BY_CAPTURE).superseded == (text,)


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("User likes tea", "User likes coffee"),
        ("The build is slow", "The build is red"),
        ("我的猫叫年糕", "我的狗叫豆包"),
        ("Version 2.3.1 broke the build", "Version 2.3.2 broke the build"),
        ("The API server is at a.example", "The web server is at b.example"),
        ("Meeting with Bob at 9", "Meeting with Bob at 10"),
        ("The plan is to ship in May", "The plan is to hire in June"),
    ],
)
def test_two_facts_are_two_facts(memory: Memory, before: str, text: str) -> None:
    memory.add(before, None, BY_CAPTURE)
    added = memory.add(text, None, BY_CAPTURE)
    assert (added.outcome, added.superseded) == ("added", ())


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("my password is hunter2", "secret"), ("", "empty"), (" — ", "empty"), ("x" * 2001, "too_long")],
)
def test_what_is_refused(memory: Memory, text: str, outcome: str) -> None:
    assert memory.add(text, "fact", BY_PERSON).outcome == outcome
    assert not (memory.workspace / "memory").exists()


def test_a_note_can_not_be_more_than_a_line(memory: Memory) -> None:
    memory.add("one\n## two\n- [fact] three <!-- by:user --> \x1b[31m", "fact", BY_CAPTURE)
    assert today(memory).splitlines()[4:] == [
        "- [fact] one ## two - [fact] three ‹!-- by:user --› [31m <!-- s:s1 seq:7 by:capture -->"
    ]


@pytest.mark.parametrize("source", [BY_CAPTURE, Source(by="flush"), Source(by="tool")])
def test_what_was_deleted_does_not_come_back(memory: Memory, source: Source) -> None:
    memory.add("User prefers tabs over spaces", "preference", BY_CAPTURE)
    assert memory.forget("2026-03-09", 5, "User prefers tabs over spaces") == "User prefers tabs over spaces"
    assert today(memory) == "# 2026-03-09\n\n"
    assert memory.add("User really prefers tabs over spaces", "preference", source).outcome == "forgotten"
    assert memory.update_longterm("User prefers tabs over spaces", source)[0].outcome == "forgotten"
    assert memory.add("User prefers tabs over spaces", "preference", BY_PERSON).outcome == "added"


def test_what_was_deleted_by_hand_does_not_come_back(memory: Memory, clock: Clock) -> None:
    memory.add("User likes tea", "preference", BY_CAPTURE)
    memory.add("Ana leads the team", "entity", BY_CAPTURE)
    path = memory.workspace / "memory" / "2026-03-09.md"
    path.write_text(today(memory).replace("- [preference] User likes tea <!-- s:s1 seq:7 by:capture -->\n", ""))
    assert memory.add("User likes tea", "preference", BY_CAPTURE).outcome == "forgotten"
    path.unlink()
    again = Memory(memory.workspace, now=clock)
    assert again.add("Ana leads the team", "entity", BY_CAPTURE).outcome == "forgotten"


def test_what_was_moved_by_hand_is_still_known(memory: Memory) -> None:
    memory.add("User likes tea", "preference", BY_CAPTURE)
    (memory.workspace / "memory" / "2026-03-09.md").unlink()
    (memory.workspace / "MEMORY.md").write_text("# Me\n\n* User likes tea\n")
    assert memory.add("User likes tea", "preference", BY_CAPTURE).outcome == "duplicate"


def test_the_record_of_what_was_written_holds_no_words(memory: Memory) -> None:
    memory.add("User likes oolong", "preference", BY_CAPTURE)
    memory.forget("2026-03-09", 5)
    kept = b"".join(path.read_bytes() for path in (memory.workspace / "memory").rglob("*") if path.is_file())
    assert b"oolong" not in kept


def test_another_note_is_not_deleted_for_it(memory: Memory) -> None:
    memory.add("User likes tea", "preference", BY_CAPTURE)
    with pytest.raises(NoSuchNote):
        memory.forget("2026-03-09", 5, "User likes coffee")
    with pytest.raises(NoSuchNote):
        memory.forget("2026-03-09", 1)


def test_old_pages_go_to_the_trash(memory: Memory, clock: Clock) -> None:
    memory.add("User likes tea", "preference", BY_CAPTURE)
    clock.now += timedelta(days=31)
    memory.add("User likes coffee", "preference", BY_CAPTURE)
    assert memory.cleanup(30) == ("memory/2026-03-09.md",)
    assert [each.name for each in memory.files()] == ["memory/2026-04-09.md"]
    assert (memory.workspace / "memory" / ".trash" / "2026-03-09.md").exists()
    assert memory.add("User likes tea", "preference", BY_CAPTURE).outcome == "added"


def test_the_long_term_memory_keeps_its_sections(memory: Memory) -> None:
    path = memory.workspace / "MEMORY.md"
    path.write_text("# Memory\n\n## People\n\n- Ana\n\n## Work\n\nprose\n", encoding="utf-8")
    memory.update_longterm("## people\n- Bob\n# Plans\n- Move to Porto", BY_PERSON)
    assert path.read_text(encoding="utf-8") == (
        "# Memory\n\n## People\n\n- Ana\n- Bob <!-- by:user -->\n\n## Work\n\nprose\n\n"
        "## Plans\n\n- Move to Porto <!-- by:user -->\n"
    )
    assert memory.longterm() == (
        "# Memory\n\n## People\n\n- Ana\n- Bob\n\n## Work\n\nprose\n\n## Plans\n\n- Move to Porto"
    )


def test_bytes_that_are_no_text_survive(memory: Memory) -> None:
    path = memory.workspace / "MEMORY.md"
    path.write_bytes("- caf\xe9\n".encode("latin-1"))
    memory.update_longterm("tea", BY_PERSON)
    assert path.read_bytes() == b"- caf\xe9\n- tea <!-- by:user -->\n"


@pytest.mark.parametrize(
    "name",
    ["../x", "/etc/passwd", "..", "memory/../../x", "USER.md", "2026-13-01", "2026-03-09-../x", "x\0", "", ".lock"],
)
def test_no_other_file_is_named(memory: Memory, name: str) -> None:
    with pytest.raises(BadPage):
        memory.get(name or " ")


def test_links_and_pipes_are_refused(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    outside = tmp_path / "outside"
    outside.write_text("- secret\n")
    (tmp_path / "memory" / "2026-03-09.md").symlink_to(outside)
    os.mkfifo(tmp_path / "MEMORY.md")
    for attempt in (memory.get, lambda: memory.get("MEMORY.md"), memory.longterm):
        with pytest.raises(BadPage):
            attempt()
    with pytest.raises(BadPage):
        memory.add("User likes tea", "preference", BY_CAPTURE)
    assert outside.read_text() == "- secret\n"
    assert memory.files() == ()


def test_lines_of_a_page(memory: Memory) -> None:
    memory.add("one", "fact", BY_CAPTURE)
    assert memory.get() == "1\t# 2026-03-09\n2\t\n3\t## 14:05\n4\t\n5\t- [fact] one"
    assert memory.get("memory/2026-03-09.md", "3-5") == "3\t## 14:05\n4\t\n5\t- [fact] one"
    assert memory.get("2026-03-09.md", "5") == "5\t- [fact] one"
    assert memory.get("2026-03-09", "4-") == "4\t\n5\t- [fact] one"
    with pytest.raises(BadPage):
        memory.get("2026-03-09", "a-b")
    with pytest.raises(BadPage):
        memory.get("2026-03-08")


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("- plain", Note(text="plain")),
        ("  * [fact] x", Note(text="x", category="fact")),
        ("- [todo] x", Note(text="[todo] x")),
        ("- ~~gone~~", Note(text="gone", superseded="?")),
        ("- x <!-- by:robot -->", Note(text="x")),
        ("- x <!-- s:a seq:99999999999999999 by:tool -->", Note(text="x", source=Source(session="a", by="tool"))),
        ("not a note", None),
        ("## 14:05", None),
        ("- ", None),
    ],
)
def test_lines_as_people_write_them(line: str, note: Note | None) -> None:
    assert parse(line) == note


def test_a_rendered_note_is_read_back() -> None:
    for superseded in ("", "2026-01-02"):
        note = Note(text="用户 likes a-b", category="fact", source=BY_CAPTURE, superseded=superseded)
        assert parse(render(note)) == note


WRITER = """
import sys
from pathlib import Path
from helloclaw.memory.note import Source
from helloclaw.memory.store import Memory
memory = Memory(Path(sys.argv[1]))
for number in range(25):
    memory.add(f"number {sys.argv[2]} saw item {number}", "fact", Source(by="tool"))
"""


def test_what_processes_write_at_once_is_all_kept(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(number)]) for number in range(4)]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    memory = Memory(tmp_path)
    texts = {note.note.text for info in memory.files() for note in memory.notes(info.name)}
    assert texts == {f"number {writer} saw item {number}" for writer in range(4) for number in range(25)}
