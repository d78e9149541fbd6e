"""Sessions at a glance, read from their journals; what was read is kept, for as long as the journal has not grown.

The kept list is a file in the cache directory: it can be deleted at any time, and is made anew from the journals.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from helloclaw.agent.living import REWOUND, living_lines
from helloclaw.agent.load import first_words, kind_of, read_said
from helloclaw.storage.atomic import PRIVATE_FILE, private_directory, replace_file

TITLE_CHARACTERS = 60
# What has to be read anew, in bytes and in files, until keeping it is worth the writing.
_WORTH_BYTES = 1 << 20
_WORTH_FILES = 40


class SessionInfo(Struct, frozen=True, kw_only=True):
    """A session at a glance. Times are seconds since 1970. `parent` is the session that has started it, if one has."""

    id: str
    title: str
    workdir: str
    created_at: float
    updated_at: float
    turns: int
    model: str
    parent: str = ""


class _Kept(Struct, frozen=True, kw_only=True):
    """What a journal of this size and time of change holds; no `info` for a file that is no journal."""

    size: int
    mtime_ns: int
    info: SessionInfo | None = None


class _Header(Struct):
    id: str
    workdir: str = ""
    created_at: float = 0.0
    title: str = ""
    parent: str = ""


class _Renamed(Struct):
    title: str | None = None


class _Model(Struct):
    model: str = ""


class Listing:
    """`path` is the file where the list is kept."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, journals: Iterable[Path]) -> list[SessionInfo]:
        """One entry for each of `journals` that is one. Raises nothing."""
        known = self._load()
        now: dict[str, _Kept] = {}
        read_bytes = read_files = 0
        for path in journals:
            with contextlib.suppress(OSError):
                about = path.stat()
                kept = known.get(path.stem)
                if kept is None or (kept.size, kept.mtime_ns) != (about.st_size, about.st_mtime_ns):
                    kept = _Kept(size=about.st_size, mtime_ns=about.st_mtime_ns, info=_read_info(path, about))
                    read_bytes += about.st_size
                    read_files += 1
                now[path.stem] = kept
        if read_bytes >= _WORTH_BYTES or read_files >= _WORTH_FILES:
            self._save(now)
        return [kept.info for kept in now.values() if kept.info is not None]

    def forget(self, session_id: str) -> None:
        """Keep nothing of a session that is deleted. Raises `OSError`."""
        known = self._load()
        if known.pop(session_id, None) is not None:
            self._write(known)

    def _load(self) -> dict[str, _Kept]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, _Kept])
        except (OSError, msgspec.MsgspecError):
            return {}

    def _save(self, now: dict[str, _Kept]) -> None:
        with contextlib.suppress(OSError):  # A cache that can't be written is none.
            self._write(now)

    def _write(self, now: dict[str, _Kept]) -> None:
        private_directory(self._path.parent)
        replace_file(self._path, msgspec.json.encode(now), mode=PRIVATE_FILE)


def _read_info(path: Path, about: os.stat_result) -> SessionInfo | None:
    if not path.is_file():  # reading a FIFO would wait for ever
        return None
    data = path.read_bytes()
    try:
        header = msgspec.json.decode(data.partition(b"\n")[0], type=_Header)
    except msgspec.MsgspecError:
        return None
    if b'\n{"type":"' + REWOUND + b'"' in data:
        said, turns = _living(data.splitlines()[1:])
    else:
        said, turns = _first_said(data), data.count(b'\n{"type":"round_end"')
    return SessionInfo(
        id=path.stem,
        title=_given_title(data) or header.title or title_of(said),
        workdir=header.workdir,
        parent=header.parent,
        created_at=header.created_at,
        updated_at=about.st_mtime,
        turns=turns,
        model=str(_last_line(data, b"llm_end", _Model).model),
    )


def title_of(words: str) -> str:
    """The title of a session that nobody named, from the first words said in it."""
    return " ".join(words.split())[:TITLE_CHARACTERS]


def _living(lines: Sequence[bytes]) -> tuple[str, int]:
    """The first words and the number of turns, without what was taken back."""
    kinds = [kind_of(line) for line in lines]
    counts = living_lines(lines, [index for index, kind in enumerate(kinds) if kind == REWOUND])
    turns = sum(kind == b"round_end" and alive for kind, alive in zip(kinds, counts, strict=True))
    return first_words(lines, kinds, counts), turns


def _first_said(data: bytes) -> str:
    at = 0
    while (at := data.find(b'\n{"type":"user_message"', at)) >= 0:
        at += 1
        said = read_said(_line_at(data, at))
        if said is not None and said.source == "user" and said.text:
            return said.text
    return ""


def _given_title(data: bytes) -> str:
    """The title of the last renaming; an empty one is as if there had been none."""
    at = len(data)
    while (at := data.rfind(b'\n{"type":"session_updated"', 0, at)) >= 0:
        try:
            title = msgspec.json.decode(_line_at(data, at + 1), type=_Renamed).title
        except msgspec.MsgspecError:
            continue
        if title is not None:
            return title
    return ""


def _last_line(data: bytes, kind: bytes, shape: Any) -> Any:
    start = data.rfind(b'\n{"type":"' + kind + b'"')
    try:
        return msgspec.json.decode(_line_at(data, start + 1), type=shape) if start >= 0 else shape()
    except msgspec.MsgspecError:
        return shape()


def _line_at(data: bytes, start: int) -> bytes:
    end = data.find(b"\n", start)
    return data[start : end if end >= 0 else len(data)]
