"""Going back: to which messages, which files that would touch, and putting those files back.

A file is put back only if it still is what the agent left; whatever somebody else has changed since is left alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct

from helloclaw.agent.backups import Backups, digest
from helloclaw.protocol.events import Event, FileChange, ToolEnd, UserMessage
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


def rewind_points(living: Sequence[Event], workdir: Path) -> list[RewindPoint]:
    """Every message of the person's that counts, oldest first."""
    points: list[RewindPoint] = []
    changed: dict[str, None] = {}
    for event in reversed(living):
        match event:
            case ToolEnd(changes=changes):
                changed.update(dict.fromkeys(shown(change.path, workdir) for change in changes))
            case UserMessage(source="user", text=text, seq=int(seq)) if text or event.images:
                points.append(RewindPoint(seq=seq, ts=event.ts, text=text, files=tuple(sorted(changed))))
            case _:
                pass
    return points[::-1]


def changes_since(living: Iterable[Event], to: int) -> list[FileChange]:
    """One change for each file touched by events from number `to` on: what it held before, what it was left with."""
    first: dict[str, FileChange] = {}
    last: dict[str, FileChange] = {}
    for event in living:
        if isinstance(event, ToolEnd) and (event.seq or 0) >= to:
            for change in event.changes:
                first.setdefault(change.path, change)
                last[change.path] = change
    return [FileChange(path=path, before=first[path].before, after=last[path].after) for path in first]


def restore(changes: Iterable[FileChange], backups: Backups, allowed: Callable[[Path], bool]) -> Restored:
    """Undo `changes`. `allowed` says whether a path may be written at all. Raises nothing."""
    done: list[str] = []
    left: list[str] = []
    contents: list[tuple[Path, bytes]] = []
    for change in changes:
        path = Path(change.path)
        try:
            data = _undone(change, path, backups) if allowed(path) else None
        except (OSError, ToolError):
            data = None
        if data is None:
            left.append(change.path)
            continue
        done.append(change.path)
        contents.append((path, data))
    return Restored(paths=tuple(done), left=tuple(left), contents=tuple(contents))


def _undone(change: FileChange, path: Path, backups: Backups) -> bytes | None:
    """What the file holds now that the change is undone (nothing, where there is none any more); None: left alone."""
    if path.resolve() != path:
        return None  # a symlink has come into its way since
    now = _content(path)
    if (digest(now) if now is not None else None) != change.after:
        return None
    wanted = b"" if change.before is None else backups.load(change.before)
    if wanted is None:
        return None
    if change.before is None and now is None:
        return b""
    with ExitStack() as stack:
        if now is None:
            path.parent.mkdir(parents=True, exist_ok=True)
        target = stack.enter_context(pinned_parent(path))
        if change.before is None:
            os.unlink(target)
        else:
            replace_file(target, wanted)
    return wanted


def _content(path: Path) -> bytes | None:
    if not os.path.lexists(path):
        return None
    with open_regular(path) as stream:
        return stream.read()


def shown(path: str, workdir: Path) -> str:
    """A path as a person knows it: relative where it is inside the working directory."""
    try:
        return str(Path(path).relative_to(workdir))
    except ValueError:
        return path
