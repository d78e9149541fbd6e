"""Open a session's journal: new, resumed, or as a copy of another.

Always under its lock, so that one process writes at a time.
"""

from __future__ import annotations

import contextlib
import shutil
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helloclaw.agent.attachments import Attachments, attachments_of
from helloclaw.agent.backups import backups_of
from helloclaw.agent.catalog import find_session, journal_path, lock_path
from helloclaw.agent.history import History
from helloclaw.agent.load import load_history
from helloclaw.i18n import SpokenError
from helloclaw.storage.journal import Journal, Scan, scan
from helloclaw.storage.locks import Busy, hold
from helloclaw.storage.paths import Home

if TYPE_CHECKING:
    from filelock import BaseFileLock


FORK_S = 0.3


class SessionBusy(SpokenError):
    """Another process has this session open."""

    blame = "world"

    def __init__(self, session_id: str) -> None:
        super().__init__("error.busy", what=session_id)


class Opened:
    """A journal, its lock, and what was read from it. `torn` counts bytes of a last line that a crash had cut,
    `damaged` the lines that were no JSON objects and were skipped.
    """

    def __init__(
        self,
        session_id: str,
        journal: Journal,
        lock: BaseFileLock,
        *,
        workdir: Path,
        history: History | None = None,
        torn: int = 0,
        damaged: int = 0,
        forked_from: str | None = None,
    ) -> None:
        self.session_id = session_id
        self.forked_from = forked_from
        self.journal = journal
        self.workdir = workdir
        self.history = history or History()
        self.torn = torn
        self.damaged = damaged
        self._lock = lock
        self._began_empty = journal.next_seq == 1

    def release(self) -> None:
        """Close the journal and give the session back; a new one in which nothing was said leaves no file."""
        self.journal.close()
        with contextlib.suppress(OSError):
            if self._began_empty and not _was_spoken_in(self.journal.path):
                self.journal.path.unlink()
        self._lock.release()


def _was_spoken_in(journal: Path) -> bool:
    """Whether a journal holds more than what was set and looked at. The first message stands near its beginning."""
    with journal.open("rb") as lines:
        return any(line.startswith((b'{"type":"user_message"', b'{"type":"assistant_end"')) for line in lines)


def open_new(home: Home, workdir: Path, *, session_id: str | None = None, parent: str = "") -> Opened:
    """Start a session; `parent` is the one that has started it, if no person has.

    Raises `SessionBusy`, `OSError`; `SessionNotFound` for an id that can't be one.
    """
    while True:
        wanted = session_id or uuid.uuid4().hex[:8]
        path = journal_path(home, wanted)
        lock = _hold(home, wanted)
        try:
            header = _header(wanted, workdir) | ({"parent": parent} if parent else {})
            return Opened(wanted, Journal.create(path, header), lock, workdir=workdir)
        except FileExistsError:
            # Eight hexadecimal digits can repeat; a name that was asked for can't be taken twice.
            lock.release()
            if session_id is not None:
                raise
        except BaseException:
            lock.release()
            raise


def open_existing(home: Home, id_or_start: str) -> Opened:
    """Go on with a session. Raises `SessionNotFound`, `SessionBusy`, `JournalError`, `OSError`."""
    path = find_session(home, id_or_start)
    lock = _hold(home, path.stem)
    try:
        found = scan(path)
        journal = Journal.reopen(path, found)
        return Opened(
            path.stem,
            journal,
            lock,
            workdir=_workdir(found),
            history=load_history(found.lines, Attachments(attachments_of(path))),
            torn=len(found.torn),
            damaged=found.damaged,
        )
    except BaseException:
        lock.release()
        raise


def open_copy(home: Home, id_or_start: str) -> Opened:
    """A new session with all that another holds; the other may be in use. Raises as `open_existing` does."""
    source = find_session(home, id_or_start)
    found = scan(source)
    fork = uuid.uuid4().hex[:8]
    lock = _hold(home, fork)
    try:
        header = _header(fork, _workdir(found), forked_from=source.stem)
        path = journal_path(home, fork)
        images = attachments_of(source)
        for beside, copy in ((images, attachments_of(path)), (backups_of(source), backups_of(path))):
            if beside.is_dir():
                # What the source session is just writing is not in the lines that were read.
                shutil.copytree(beside, copy, ignore=shutil.ignore_patterns("*.tmp"))
        journal = Journal.create(path, header, found.lines)
        history = load_history(found.lines, Attachments(images))
        return Opened(fork, journal, lock, workdir=_workdir(found), history=history, forked_from=source.stem)
    except BaseException:
        lock.release()
        raise


def _header(session_id: str, workdir: Path, **more: Any) -> dict[str, Any]:
    return {"id": session_id, "workdir": str(workdir), "created_at": time.time(), **more}


def _workdir(found: Scan) -> Path:
    return Path(str(found.header.get("workdir", ".")))


def _hold(home: Home, session_id: str) -> BaseFileLock:
    try:
        # A process that is being started holds every lock of its parent for a moment, between fork and exec.
        return hold(lock_path(home, session_id), timeout_s=FORK_S)
    except Busy as error:
        raise SessionBusy(session_id) from error
