"""Going back: to which messages, which files that would touch, and putting those files back.

A file is put back only if it still is what the agent left, and nobody else wrote it in between: what somebody else has
changed is left alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from helloclaw.agent.backups import LIMIT_BYTES, Backups, digest
from helloclaw.agent.living import living_events
from helloclaw.protocol.events import Event, FileChange, Rewound, ToolEnd, UserMessage
from helloclaw.storage.atomic import replace_file
from helloclaw.tools.base import ToolError
from helloclaw.tools.paths import open_regular, pinned_parent


class RewindPoint(Struct, frozen=True, kw_only=True):
    """A message that can be taken back: its number, when it was said, its words, and the files changed since."""

    seq: int
    ts: float
    text: str
    files: tuple[str, ...] = ()


class Restored(Struct, frozen=True, kw_only=True):
    """What became of the files: `paths` are as they were, `left` as they are. `contents` tell what those hold now."""

    paths: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    contents: tuple[tuple[Path, bytes], ...] = ()


def rewind_points(past: Sequence[Event], workdir: Path) -> list[RewindPoint]:
    """Every message of the person's that counts, oldest first. `past` is what the journal holds, in order."""
    touched = {shown(path, workdir): made[-1].seq for path, made in _made(past, workdir).items()}
    return [
        RewindPoint(
            seq=event.seq or 0,
            ts=event.ts,
            text=event.text,
            files=tuple(sorted(name for name, seq in touched.items() if seq >= (event.seq or 0))),
        )
        for event in living_events(past)
        if isinstance(event, UserMessage) and can_go_back_to(event)
    ]


def can_go_back_to(message: UserMessage) -> bool:
    return message.source == "user" and bool(message.text or message.images)


class Since(NamedTuple):
    """One change for each file touched: what it held before, and what it was left with.

    `shared` are the paths of those that somebody else wrote too, between two changes of the agent's.
    """

    changes: list[FileChange]
    shared: frozenset[str]


def changes_since(past: Iterable[Event], to: int, workdir: Path) -> Since:
    """What has been done to files since event `to`, and is not undone."""
    changes: list[FileChange] = []
    shared: set[str] = set()
    for path, made in _made(past, workdir).items():
        if since := [each.change for each in made if each.seq >= to]:
            changes.append(FileChange(path=path, before=since[0].before, after=since[-1].after))
            if any(earlier.after != later.before for earlier, later in pairwise(since)):
                shared.add(path)
    return Since(changes, frozenset(shared))


class _Made(NamedTuple):
    seq: int
    change: FileChange


def _made(past: Iterable[Event], workdir: Path) -> dict[str, list[_Made]]:
    """What was done to each file and is not undone, in order: also where a rewind took back the words only."""
    made: dict[str, list[_Made]] = {}
    for event in past:
        match event:
            case ToolEnd(seq=int(seq), changes=changes):
                for change in changes:
                    made.setdefault(change.path, []).append(_Made(seq, change))
            case Rewound(to=to, restored=restored):
                for path in (str(workdir / name) for name in restored):
                    kept = [each for each in made.pop(path, ()) if each.seq < to]
                    made |= {path: kept} if kept else {}
            case _:
                pass
    return made


def restore(
    changes: Iterable[FileChange],
    backups: Backups,
    allowed: Callable[[Path], bool],
    shared: Container[str] = (),
) -> Restored:
    """Undo `changes`, except to `shared` files: to go back over another's work would destroy it.

    `allowed` says whether a path may be written at all. Raises nothing.
    """
    done: list[str] = []
    left: list[str] = []
    contents: list[tuple[Path, bytes]] = []
    for change in changes:
        path = Path(change.path)
        try:
            data = _undone(change, path, backups) if allowed(path) and change.path not in shared else None
        except (OSError, ValueError, ToolError):
            data = None
        if data is None:
            left.append(change.path)
            continue
        done.append(change.path)
        contents.append((path, data))
    return Restored(paths=tuple(done), left=tuple(left), contents=tuple(contents))


def _undone(change: FileChange, path: Path, backups: Backups) -> bytes | None:
    """What the file holds now that the change is undone (nothing, where there is none any more); None: left alone."""
    if os.path.realpath(path) != str(path):
        return None  # a symlink has come into its way since
    now = _content(path)
    found = None if now is None else digest(now)
    if found == change.before:
        return now or b""
    wanted = b"" if change.before is None else backups.load(change.before)
    if found != change.after or wanted is None:
        return None
    if now is None:
        path.parent.mkdir(parents=True, exist_ok=True)
    with pinned_parent(path) as target:
        if change.before is None:
            os.unlink(target)
        else:
            replace_file(target, wanted)
    return wanted


def _content(path: Path) -> bytes | None:
    """Raises `ToolError` for what is no regular file; of a larger one than was ever kept, only the beginning."""
    if not os.path.lexists(path):
        return None
    with open_regular(path) as stream:
        return stream.read(LIMIT_BYTES + 1)


def shown(path: str, workdir: Path) -> str:
    """A path as a person knows it: relative where it is inside the working directory."""
    try:
        return str(Path(path).relative_to(workdir))
    except ValueError:
        return path
