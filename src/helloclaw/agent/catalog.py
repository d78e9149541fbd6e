"""Past sessions: list, find, read, search, delete. Journals are read as they lie; nobody writing one is disturbed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

import msgspec

from helloclaw.agent.attachments import attachments_of
from helloclaw.agent.backups import backups_of
from helloclaw.agent.listing import TITLE_CHARACTERS, Listing, SessionInfo
from helloclaw.agent.living import living_events
from helloclaw.i18n import Phrase, SpokenError
from helloclaw.protocol.events import AssistantEnd, Event, UserMessage
from helloclaw.storage.journal import JournalError, scan
from helloclaw.storage.locks import hold
from helloclaw.storage.paths import Home

__all__ = [
    "TITLE_CHARACTERS",
    "SessionInfo",
    "SessionNotFound",
    "delete_session",
    "find_session",
    "journal_path",
    "list_sessions",
    "lock_path",
    "read_events",
    "search_sessions",
]

_SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class SessionNotFound(SpokenError):
    """No session has this id, or several ids start like it."""

    def __init__(self, key: str, /, **fields: object) -> None:
        super().__init__("error.no_session", what=Phrase(key, **fields))


def journal_path(home: Home, session_id: str) -> Path:
    """Where a session is kept. Raises `SessionNotFound` for what can't be an id: nothing else becomes a path."""
    if not _SESSION_ID.fullmatch(session_id):
        raise SessionNotFound("session.no_id", id=repr(session_id))
    return home.sessions / f"{session_id}.jsonl"


def lock_path(home: Home, session_id: str) -> Path:
    return home.sessions / ".locks" / f"{session_id}.lock"


def list_sessions(home: Home, workdir: Path | None = None, *, children: bool = False) -> list[SessionInfo]:
    """All sessions, or those of one working directory, latest first; on wish also those that another one has started.

    Files that are no journals are passed over.
    """
    found = _listing(home).read(home.sessions.glob("*.jsonl"))
    wanted = [
        info for info in found if (workdir is None or info.workdir == str(workdir)) and (children or not info.parent)
    ]
    return sorted(wanted, key=lambda info: info.updated_at, reverse=True)


def _listing(home: Home) -> Listing:
    return Listing(home.cache / "sessions.json")


def find_session(home: Home, id_or_start: str) -> Path:
    """The journal of a session, by its id or an unambiguous start of it. Raises `SessionNotFound` naming near ids."""
    exact = journal_path(home, id_or_start)
    if exact.exists():
        return exact
    ids = [path.stem for path in home.sessions.glob("*.jsonl")]
    starting = sorted(each for each in ids if each.startswith(id_or_start))
    if len(starting) == 1:
        return journal_path(home, starting[0])
    if starting:
        raise SessionNotFound("session.ambiguous", id=repr(id_or_start), ids=", ".join(starting[:5]))
    if near := get_close_matches(id_or_start, ids, n=3):
        raise SessionNotFound("session.unknown_near", id=repr(id_or_start), ids=", ".join(near))
    raise SessionNotFound("session.unknown", id=repr(id_or_start))


def read_events(path: Path) -> list[Event]:
    """Every event of a journal that this program knows. Raises `JournalError`, `OSError`."""
    found = scan(path)
    decoder = msgspec.json.Decoder(Event)
    session_id = str(found.header.get("id", path.stem))
    events: list[Event] = []
    for line in found.lines:
        try:
            events.append(msgspec.structs.replace(decoder.decode(line), session_id=session_id))
        except msgspec.MsgspecError:
            continue
    return events


def search_sessions(home: Home, words: list[str]) -> Iterator[tuple[SessionInfo, str]]:
    """Sessions where all of `words` were said in one message, and the line where the first of them stands."""
    wanted = [word.casefold() for word in words]
    for info in list_sessions(home):
        for text in _spoken(journal_path(home, info.id)):
            folded = text.casefold()
            if all(word in folded for word in wanted):
                yield info, next((line for line in text.splitlines() if wanted and wanted[0] in line.casefold()), text)
                break


def delete_session(home: Home, session_id: str) -> None:
    """Remove a session. Raises `SessionNotFound`, `Busy` if it is open somewhere, `OSError`."""
    path = find_session(home, session_id)
    lock = hold(lock_path(home, path.stem))
    try:
        path.unlink(missing_ok=True)
        for beside in (attachments_of(path), backups_of(path)):
            if beside.is_dir():
                shutil.rmtree(beside)
        _listing(home).forget(path.stem)
    finally:
        lock.release()


def _spoken(path: Path) -> Iterator[str]:
    try:
        for event in living_events(read_events(path)):
            if isinstance(event, UserMessage | AssistantEnd) and event.text:
                yield event.text
    except (JournalError, OSError):
        return
