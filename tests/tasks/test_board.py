"""The task board: each task has one owner, whoever works on it at the same time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from helloclaw.tasks.board import FOLDER, Board, Task, TaskError


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return Board(tmp_path, now=lambda: 7.0)


def test_a_task_as_it_lies_on_disk(board: Board, tmp_path: Path) -> None:
    board.create("  Paint the\nroof ", "red")
    kept = json.loads((tmp_path / FOLDER / "task_1.json").read_text(encoding="utf-8"))
    assert kept == {
        "id": "1", "subject": "Paint the roof", "description": "red", "status": "pending", "owner": "", "blockedBy": [],
        "blocks": [], "created_at": 7.0, "updated_at": 7.0,
    }  # fmt: skip
    assert (tmp_path / FOLDER / ".gitignore").read_text() == "*\n"


def test_who_claims_first_has_it(board: Board) -> None:
    board.create("a")
    assert board.claim("1", "ana") == board.get("1")
    assert (board.get("1").owner, board.get("1").status) == ("ana", "in_progress")
    board.claim("1", "ana")
    with pytest.raises(TaskError, match="is ana's"):
        board.claim("1", "bob")
    board.update("1", status="pending")
    assert board.claim("1", "bob").owner == "bob"
    board.update("1", status="completed")
    with pytest.raises(TaskError, match="completed already"):
        board.claim("1", "bob")


def test_what_waits_can_not_be_begun_until_it_is_let_go(board: Board) -> None:
    for subject in ("dig", "build", "paint"):
        board.create(subject)
    board.update("2", add_blocked_by=["1"])
    board.update("2", add_blocks=["3"])
    assert [(task.blocked_by, task.blocks) for task in board.list()] == [((), ("2",)), (("1",), ("3",)), (("2",), ())]
    for attempt in (lambda: board.claim("2", "ana"), lambda: board.update("3", status="completed")):
        with pytest.raises(TaskError, match="waits for"):
            attempt()
    board.update("1", status="completed")
    board.claim("2", "ana")
    board.update("2", status="deleted")
    assert [(task.id, task.blocked_by) for task in board.list()] == [("1", ()), ("3", ())]


def test_a_circle_is_refused(board: Board) -> None:
    for subject in "abc":
        board.create(subject)
    board.update("2", add_blocked_by=["1"])
    board.update("3", add_blocked_by=["2"])
    for task, waits in (("1", "3"), ("1", "2"), ("1", "1")):
        with pytest.raises(TaskError, match="can't wait"):
            board.update(task, add_blocked_by=[waits])
    assert board.get("1").blocked_by == ()


@pytest.mark.parametrize("task_id", ["../x", "con", "", "1/../2", "１", "9" * 10, "x" * 10_000, "🙂", "-1", "1\n"])
def test_no_other_file_is_named(board: Board, tmp_path: Path, task_id: str) -> None:
    board.create("a")
    for attempt in (board.get, lambda each: board.claim(each, "x"), lambda each: board.update(each, add_blocks=["1"])):
        with pytest.raises(TaskError):
            attempt(task_id)
    with pytest.raises(TaskError):
        board.update("1", add_blocked_by=[task_id])
    assert {path.name for path in tmp_path.iterdir()} == {FOLDER}


def test_files_that_are_no_tasks_are_passed_over(board: Board, tmp_path: Path) -> None:
    board.create("a")
    folder = tmp_path / FOLDER
    (folder / "task_2.json").write_text("{")
    (folder / "task_3.json").write_text('{"id": "4", "subject": "x"}')
    (folder / "task_4.json").symlink_to("/etc/passwd")
    (folder / "task_5.json").mkdir()
    os.mkfifo(folder / "task_6.json")
    (folder / "task_7.json").write_text("x" * 100_000)
    (folder / "notes.json").write_text("{}")
    assert [task.id for task in board.list()] == ["1"]
    assert board.create("b").id == "8"


@pytest.mark.parametrize(("subject", "description"), [("", ""), (" \n", ""), ("x" * 201, ""), ("x", "y" * 8_001)])
def test_texts_have_limits(board: Board, subject: str, description: str) -> None:
    with pytest.raises(TaskError):
        board.create(subject, description)


CLAIMER = """
import sys
from pathlib import Path
from helloclaw.tasks.board import Board, TaskError
board = Board(Path(sys.argv[1]))
won = 0
for task in range(1, int(sys.argv[3]) + 1):
    try:
        board.claim(str(task), sys.argv[2])
        won += 1
    except TaskError:
        pass
print(won)
"""


@pytest.mark.slow
def test_of_many_processes_each_task_has_one_owner(tmp_path: Path) -> None:
    board = Board(tmp_path)
    for number in range(100):
        board.create(f"task {number}")
    command = [sys.executable, "-c", CLAIMER, str(tmp_path)]
    claimers = [
        subprocess.Popen([*command, f"agent-{number}", "100"], stdout=subprocess.PIPE, text=True)
        for number in range(12)
    ]
    claimers[0].kill()
    claimers[0].wait()
    won = [int(claimer.communicate(timeout=120)[0]) for claimer in claimers[1:]]
    owners = [task.owner for task in board.list()]
    assert "" not in owners
    assert sum(won) == 100 - owners.count("agent-0")


MAKER = """
import sys
from pathlib import Path
from helloclaw.tasks.board import Board
for number in range(10):
    Board(Path(sys.argv[1])).create(f"{sys.argv[2]} {number}")
"""


def test_what_processes_make_at_once_has_ids_of_its_own(tmp_path: Path) -> None:
    makers = [subprocess.Popen([sys.executable, "-c", MAKER, str(tmp_path), str(number)]) for number in range(5)]
    assert [maker.wait(60) for maker in makers] == [0] * 5
    tasks: tuple[Task, ...] = Board(tmp_path).list()
    assert [task.id for task in tasks] == [str(number) for number in range(1, 51)]
    assert len({task.subject for task in tasks}) == 50
