"""Tasks as files, `.tasks/task_ID.json`: made, linked, claimed and completed by any number of processes at once.

Whoever changes anything holds the board's lock, and each file is replaced whole. What a file says is data that anybody
may have written: one that makes no sense is passed over, and an id is digits and nothing else.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, structs

from helloclaw.i18n import SpokenError
from helloclaw.storage.atomic import private_directory, replace_file
from helloclaw.storage.locks import hold

FOLDER = ".tasks"
MOST_TASKS = 5_000
LONGEST_SUBJECT = 200
LONGEST_DESCRIPTION = 8_000
_LOCK_WAIT_S = 30.0
_LARGEST_BYTES = 64 * 1024
_ID = re.compile(r"[0-9]{1,9}", re.ASCII)
_FILE = re.compile(r"task_([0-9]{1,9})\.json", re.ASCII)

Status = Literal["pending", "in_progress", "completed", "deleted"]


class TaskError(SpokenError):
    """A task does not exist, or can't be changed like this."""


class Task(Struct, frozen=True, kw_only=True, rename={"blocked_by": "blockedBy"}):
    """`owner` is empty while nobody has claimed it. `blocked_by` are the tasks that must be completed first, `blocks`
    those that wait for this one. Times are seconds since 1970.
    """

    id: Annotated[str, Meta(pattern=r"^[0-9]{1,9}$")]
    subject: str
    description: str = ""
    status: Status = "pending"
    owner: str = ""
    blocked_by: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    created_at: float = 0.0
    updated_at: float = 0.0


class Board:
    """Of one directory. Methods raise `TaskError`, `OSError`, `Busy`."""

    def __init__(self, workdir: Path, *, now: Callable[[], float] = time.time) -> None:
        self._folder = workdir / FOLDER
        self._now = now

    def list(self) -> tuple[Task, ...]:
        """All that are not deleted, in the order of their ids."""
        return tuple(task for task in self._all() if task.status != "deleted")

    def get(self, task_id: str) -> Task:
        task = self._read(_valid(task_id))
        if task is None or task.status == "deleted":
            raise TaskError("tasks.unknown", id=task_id[:20])
        return task

    def create(self, subject: str, description: str = "") -> Task:
        title = " ".join(subject.split())
        if not title or len(title) > LONGEST_SUBJECT or len(description) > LONGEST_DESCRIPTION:
            raise TaskError("tasks.bad_text", subject=LONGEST_SUBJECT, description=LONGEST_DESCRIPTION)
        with self._locked():
            ids = self._ids()
            if len(ids) >= MOST_TASKS:
                raise TaskError("tasks.too_many", limit=MOST_TASKS)
            now = self._now()
            number = str(max(ids, default=0) + 1)
            task = Task(id=number, subject=title, description=description.strip(), created_at=now, updated_at=now)
            self._write(task)
            return task

    def claim(self, task_id: str, owner: str) -> Task:
        """Make `owner` the one who works on a task, which nobody has and nothing blocks."""
        with self._locked():
            task = self.get(task_id)
            if task.owner and task.owner != owner:
                raise TaskError("tasks.owned", id=task.id, owner=task.owner[:40])
            if task.status == "completed":
                raise TaskError("tasks.completed", id=task.id)
            if waits := self._open(task.blocked_by):
                raise TaskError("tasks.blocked", id=task.id, blockers=", ".join(waits))
            return self._changed(task, owner=owner, status="in_progress")

    def update(
        self,
        task_id: str,
        *,
        status: Status | None = None,
        add_blocked_by: Iterable[str] = (),
        add_blocks: Iterable[str] = (),
    ) -> Task:
        """Change a task's status, or say what it waits for and what waits for it. What is completed blocks nothing."""
        with self._locked():
            task = self.get(task_id)
            for other in add_blocked_by:
                self._link(self.get(other).id, task.id)
            for other in add_blocks:
                self._link(task.id, self.get(other).id)
            task = self.get(task_id)
            if status in ("in_progress", "completed") and (waits := self._open(task.blocked_by)):
                raise TaskError("tasks.blocked", id=task.id, blockers=", ".join(waits))
            if status is not None:
                task = self._changed(task, status=status, **({"owner": ""} if status == "pending" else {}))
            if status in ("completed", "deleted"):
                self._unblock(task)
            return task

    def _link(self, first: str, then: str) -> None:
        """`then` waits for `first`. Raises `TaskError` where that would close a circle."""
        if first == then or self._reaches(then, first):
            raise TaskError("tasks.circle", first=first, then=then)
        before, after = self.get(first), self.get(then)
        if before.status == "completed":
            return
        if then not in before.blocks:
            self._changed(before, blocks=(*before.blocks, then))
        if first not in after.blocked_by:
            self._changed(after, blocked_by=(*after.blocked_by, first))

    def _reaches(self, start: str, goal: str) -> bool:
        """Whether `goal` waits for `start`, directly or by others."""
        seen: set[str] = set()
        left = [start]
        while left:
            each = left.pop()
            if each == goal:
                return True
            if each not in seen and (task := self._read(each)) is not None:
                seen.add(each)
                left += task.blocks
        return False

    def _unblock(self, task: Task) -> None:
        for other in task.blocks:
            if (waiting := self._read(other)) is not None and task.id in waiting.blocked_by:
                self._changed(waiting, blocked_by=tuple(each for each in waiting.blocked_by if each != task.id))

    def _open(self, ids: Iterable[str]) -> list[str]:
        found = ((each, self._read(each)) for each in ids)
        return [each for each, task in found if task is not None and task.status not in ("completed", "deleted")]

    def _changed(self, task: Task, **changes: object) -> Task:
        changed = structs.replace(task, updated_at=self._now(), **changes)
        self._write(changed)
        return changed

    @contextmanager
    def _locked(self) -> Generator[None]:
        private_directory(self._folder)
        ignore = self._folder / ".gitignore"
        if not ignore.exists():
            replace_file(ignore, b"*\n")
        lock = hold(self._folder / ".lock", timeout_s=_LOCK_WAIT_S)
        try:
            yield
        finally:
            lock.release()

    def _ids(self) -> list[int]:
        try:
            return [int(match[1]) for path in self._folder.iterdir() if (match := _FILE.fullmatch(path.name))]
        except (FileNotFoundError, NotADirectoryError):
            return []

    def _all(self) -> Generator[Task]:
        for number in sorted(self._ids()):
            if (task := self._read(str(number))) is not None:
                yield task

    def _read(self, task_id: str) -> Task | None:
        """None for what does not exist or is no task."""
        if not _ID.fullmatch(task_id):
            return None
        path = self._folder / f"task_{task_id}.json"
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST_BYTES:
            return None
        try:
            task = msgspec.json.decode(path.read_bytes(), type=Task)
        except (FileNotFoundError, msgspec.MsgspecError):
            return None
        return task if task.id == task_id else None

    def _write(self, task: Task) -> None:
        replace_file(self._folder / f"task_{task.id}.json", msgspec.json.format(msgspec.json.encode(task)) + b"\n")


def _valid(task_id: str) -> str:
    if not _ID.fullmatch(task_id):
        raise TaskError("tasks.unknown", id="".join(char if char.isprintable() else "?" for char in task_id[:20]))
    return task_id
