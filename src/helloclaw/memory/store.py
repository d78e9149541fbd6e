"""The memory of one workspace: notes are added once, corrected, forgotten for good, read back. Files are all there is.

`MEMORY.md` is what is always known, `memory/YYYY-MM-DD.md` what a day brought. Any number of processes may use it at
once, and a person may edit the files while they do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from msgspec import Struct, structs

from helloclaw.i18n import SpokenError
from helloclaw.memory.lines import Placed, notes_in, shown, with_note, with_superseded, without_line
from helloclaw.memory.note import LONGEST_NOTE, Category, Note, Source, one_line
from helloclaw.memory.pages import FOLDER, LONGTERM, BadPage, Page, change, daily, daily_pages, page, read
from helloclaw.memory.record import Record
from helloclaw.memory.secrets import has_secret
from helloclaw.memory.similar import hashed, relation
from helloclaw.storage.atomic import private_directory
from helloclaw.storage.locks import hold

LOOK_BACK_DAYS = 30
_LOCK_WAIT_S = 15.0
_LINES_LIMIT = 2_000

Outcome = Literal["added", "duplicate", "secret", "forgotten", "empty", "too_long"]


class Added(Struct, frozen=True, kw_only=True):
    """What came of a note. `where` is its page, or that of one that says the same; `superseded` is what it corrects."""

    outcome: Outcome
    text: str
    category: Category | None = None
    where: str = ""
    superseded: tuple[str, ...] = ()

    @property
    def is_new(self) -> bool:
        return self.outcome == "added"

    @property
    def told(self) -> str:
        """The line that tells of it, as `Memory.recent` and `Memory.longterm` have it."""
        if self.where == LONGTERM:
            return f"- {self.text}"
        return _told(self.where[len(FOLDER) + 1 : len(FOLDER) + 11], self.category, self.text)


class PageInfo(Struct, frozen=True, kw_only=True):
    name: str
    bytes: int
    notes: int
    modified: float


class NoSuchNote(SpokenError):
    """There is no note at such a place, or it is another one by now."""


class Memory:
    """`now` gives the local time, which says what day it is. Errors of all methods: `BadPage`, `OSError`, `Busy`."""

    def __init__(self, workspace: Path, *, now: Callable[[], datetime] = lambda: datetime.now().astimezone()) -> None:
        self.workspace = workspace
        self._now = now
        self._folder = workspace / FOLDER
        self._record = Record(self._folder)
        self._parsed: dict[Path, tuple[tuple[int, int, int], tuple[Placed, ...]]] = {}

    # ── writing ──

    def add(self, text: str, category: Category | None, source: Source) -> Added:
        """Write a note into today's page, unless it is known, unwanted, or a secret.

        What it corrects is marked as superseded. Only a person may bring back what was deleted.
        """
        note = Note(text=one_line(text), category=category, source=source)
        if (refused := _refused(note.text)) is not None:
            return Added(outcome=refused, text=note.text, category=category)
        with self._locked():
            now = self._now()
            known = self._known(now)
            if (same := next((each for each in known if relation(note, each.note) == "same"), None)) is not None:
                return Added(outcome="duplicate", text=note.text, category=category, where=same.page)
            if source.by != "user" and self._record.is_unwanted(note.text, self._present()):
                return Added(outcome="forgotten", text=note.text, category=category)
            superseded = self._supersede(note, known, now)
            today = daily(self.workspace, now.date())
            self._record.write((note.text,), "written")
            change(today.path, lambda before: with_note(before, note, f"{now:%H:%M}", f"{now:%Y-%m-%d}"))
            return Added(outcome="added", text=note.text, category=category, where=today.name, superseded=superseded)

    def update_longterm(self, text: str, source: Source) -> tuple[Added, ...]:
        """Add each line of `text` to the long-term memory; a heading among them says under which one."""
        added: list[Added] = []
        heading = ""
        for line in text.splitlines():
            stripped = line.strip()
            if stripped.startswith("#"):
                heading = one_line(stripped.lstrip("# "))
            elif stripped:
                added.append(self._add_longterm(one_line(stripped.lstrip("-*+• ")), heading, source))
        return tuple(added) or (Added(outcome="empty", text=""),)

    def forget(self, name: str, line: int, expected: str | None = None) -> str:
        """Delete the note in line `line` (from 1) of a page, for good; its text. Raises `NoSuchNote`.

        `expected` is the text it must have, where somebody looked before.
        """
        where = page(self.workspace, name)
        with self._locked():
            placed = next((each for each in self._notes(where) if each.line == line), None)
            if placed is None or (expected is not None and placed.note.text != one_line(expected)):
                raise NoSuchNote("memory.no_such_note", page=where.name, line=line)
            self._record.write((placed.note.text,), "forgotten")
            change(where.path, lambda before: without_line(before, line))
            return placed.note.text

    def cleanup(self, days: int) -> tuple[str, ...]:
        """Move the pages older than `days` to `memory/.trash/`; their names. What they said may be noted again."""
        moved: list[str] = []
        with self._locked():
            before = (self._now() - timedelta(days=days)).date()
            trash = self._folder / ".trash"
            for each in daily_pages(self.workspace):
                if each.day is None or each.day >= before:
                    continue
                self._record.write((placed.note.text for placed in self._notes(each)), "old")
                private_directory(trash)
                os.replace(each.path, _free(trash / each.path.name))
                moved.append(each.name)
        return tuple(moved)

    # ── reading ──

    def get(self, name: str | None = None, lines: str | None = None) -> str:
        """The numbered lines of a page, today's without a name; `lines` is `10-20`, `10` or `10-`."""
        where = page(self.workspace, name) if name else daily(self.workspace, self._now().date())
        text = read(where.path)
        if text is None:
            raise BadPage("memory.no_page", name=where.name)
        rows = text.splitlines()
        first, last = _range(lines, len(rows))
        return "\n".join(f"{number}\t{shown(rows[number - 1])}" for number in range(first, last + 1))

    def files(self) -> tuple[PageInfo, ...]:
        """The long-term memory and the days, the latest first."""
        found: list[PageInfo] = []
        for each in (page(self.workspace, LONGTERM), *daily_pages(self.workspace)):
            try:
                status = each.path.lstat()
                notes = len(self._notes(each))
            except (OSError, BadPage):
                continue
            found.append(PageInfo(name=each.name, bytes=status.st_size, notes=notes, modified=status.st_mtime))
        return tuple(found)

    def notes(self, name: str) -> tuple[Placed, ...]:
        """The notes of a page with the lines they stand in."""
        return self._notes(page(self.workspace, name))

    def longterm(self) -> str:
        """MEMORY.md as the model sees it: without comments, and without what is superseded."""
        text = read(self.workspace / LONGTERM) or ""
        return "\n".join(_for_model(text)).strip()

    def recent(self, days: int = 2, room_chars: int = 6_000) -> tuple[str, ...]:
        """The notes of the last `days` days, today included, oldest first; the older ones go where room is short."""
        now, found, used = self._now(), list[str](), 0
        for back in range(days):
            day = (now - timedelta(days=back)).date()
            for placed in reversed(self._notes(daily(self.workspace, day))):
                line = _told(day.isoformat(), placed.note.category, placed.note.text)
                used += len(line) + 1
                if used > room_chars:
                    return tuple(reversed(found))
                if not placed.note.superseded:
                    found.append(line)
        return tuple(reversed(found))

    # ── within ──

    @contextmanager
    def _locked(self) -> Generator[None]:
        private_directory(self._folder)
        lock = hold(self._folder / ".lock", timeout_s=_LOCK_WAIT_S)
        try:
            yield
        finally:
            lock.release()

    def _add_longterm(self, text: str, heading: str, source: Source) -> Added:
        note = Note(text=text, source=source)
        if (refused := _refused(text)) is not None:
            return Added(outcome=refused, text=text)
        where = page(self.workspace, LONGTERM)
        with self._locked():
            known = self._notes(where)
            if any(relation(note, each.note) == "same" for each in known if not each.note.superseded):
                return Added(outcome="duplicate", text=text, where=LONGTERM)
            if source.by != "user" and self._record.is_unwanted(text, self._present()):
                return Added(outcome="forgotten", text=text)
            now = self._now()
            superseded = self._supersede(note, [each for each in known if not each.note.superseded], now)
            self._record.write((text,), "written")
            change(where.path, lambda before: with_note(before, note, heading, ""))
            return Added(outcome="added", text=text, where=LONGTERM, superseded=superseded)

    def _known(self, now: datetime) -> list[Placed]:
        """What holds, of the long-term memory and the last 30 days."""
        since = (now - timedelta(days=LOOK_BACK_DAYS)).date()
        pages = [page(self.workspace, LONGTERM), *daily_pages(self.workspace)]
        recent = [each for each in pages if each.day is None or each.day >= since]
        return [placed for each in recent for placed in self._notes(each) if not placed.note.superseded]

    def _present(self) -> frozenset[str]:
        pages = [page(self.workspace, LONGTERM), *daily_pages(self.workspace)]
        return frozenset(hashed(placed.note.text) for each in pages for placed in self._notes(each))

    def _supersede(self, note: Note, known: Sequence[Placed], now: datetime) -> tuple[str, ...]:
        """Mark what `note` corrects; the texts of these."""
        corrected = [each for each in known if relation(note, each.note) == "corrects"]
        for each in corrected:
            gone = structs.replace(each.note, superseded=f"{now:%Y-%m-%d}")
            change(
                page(self.workspace, each.page).path,
                lambda before, each=each, gone=gone: with_superseded(before, each, gone),
            )
        return tuple(each.note.text for each in corrected)

    def _notes(self, where: Page) -> tuple[Placed, ...]:
        """Parsed once for each state of the file."""
        try:
            status = where.path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            self._parsed.pop(where.path, None)
            return ()
        stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
        kept = self._parsed.get(where.path)
        is_settled = self._now().timestamp() - status.st_mtime > 2
        if kept is not None and kept[0] == stamp and is_settled:
            return kept[1]
        notes = tuple(notes_in(read(where.path) or "", where.name))
        self._parsed[where.path] = (stamp, notes)
        return notes


def _told(day: str, category: Category | None, text: str) -> str:
    return f"{day} [{category}] {text}" if category else f"{day} {text}"


def _refused(text: str) -> Outcome | None:
    if sum(map(str.isalnum, text)) < 2:
        return "empty"
    if len(text) > LONGEST_NOTE:
        return "too_long"
    return "secret" if has_secret(text) else None


def _for_model(text: str) -> Iterator[str]:
    superseded = {placed.line for placed in notes_in(text, LONGTERM) if placed.note.superseded}
    for number, row in enumerate(text.splitlines(), 1):
        if number not in superseded:
            yield shown(row)


def _range(lines: str | None, count: int) -> tuple[int, int]:
    """First and last line, from 1, of what was asked for, within `count`. Raises `BadPage`."""
    if not lines:
        return 1, min(count, _LINES_LIMIT)
    first, dash, last = (part.strip() for part in lines.partition("-"))
    numbers = [first, last] if dash and last else [first]
    if not all(each.isascii() and each.isdigit() and len(each) < 8 for each in numbers):
        raise BadPage("memory.bad_lines", lines=one_line(lines)[:40])
    start = max(1, int(first))
    end = int(last) if dash and last else count if dash else start
    return start, min(count, end, start + _LINES_LIMIT - 1)


def _free(path: Path) -> Path:
    """A name nobody has, beside `path`."""
    number = 1
    free = path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.stem}.{number}{path.suffix}")
    return free
