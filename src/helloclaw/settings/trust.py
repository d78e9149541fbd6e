"""Which directories a person trusts: `~/.helloclaw/trust.json`, with a digest of everything that would take effect.

A directory may bring settings that run or allow something. They count only while the directory is the one that was
trusted (same real path, device and inode) and they are what was seen then, byte for byte. What each of them does is
for those who load them; how the question is put, for the front ends.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from helloclaw.settings.problems import SettingsError
from helloclaw.settings.waiting import digests, is_digest
from helloclaw.storage.atomic import PRIVATE_FILE, private_directory, replace_file
from helloclaw.storage.locks import hold
from helloclaw.storage.paths import Home, HomeUnknown, person_home

__all__ = ["Seen", "decline", "is_trusted", "question_due", "renew", "trust", "trusted", "untrust", "what_waits"]

_LOCK_WAIT_S = 10.0

Seen = Mapping[str, str]
"""What waited in a directory when a person looked: names (`.env`, `skills/`) and their digests."""


class _Entry(Struct, frozen=True, kw_only=True):
    """A directory as it was when it was decided about."""

    device: int
    inode: int
    files: dict[str, str] = {}


class _Decisions(Struct, frozen=True, kw_only=True):
    """The file. Directories by their real paths."""

    version: int = 1
    trusted: dict[str, _Entry] = {}
    declined: dict[str, _Entry] = {}


_Change = Callable[[_Decisions], _Decisions]


def what_waits(directory: Path) -> list[str]:
    """What would take effect if `directory` were trusted, as names within it; directories end in a slash."""
    return list(digests(_real(directory)))


def is_trusted(home: Home, directory: Path) -> bool:
    """Whether what waits in `directory` may take effect. Nothing that can't be read is trusted.

    A parent's trust reaches down to the directories of its repository, but not to what waits in them unseen. The
    person's home and the root directory are trusted only by name, never for what is below them.
    """
    try:
        decided = _read(home).trusted
    except (SettingsError, OSError):
        return False
    real = _real(directory)
    for place in (real, *_parents_in_repository(real)):
        entry = decided.get(str(place))
        if entry is not None and _is_same(entry, place):
            return _is_covered(entry, place) and (place == real or not digests(real))
    return False


def question_due(home: Home, directory: Path) -> dict[str, str]:
    """What waits in a directory that nobody has decided about yet, as it is now; empty if nothing is to be asked."""
    real = _real(directory)
    found = digests(real)
    if not found or is_trusted(home, real):
        return {}
    try:
        entry = _read(home).declined.get(str(real))
    except (SettingsError, OSError):
        return found
    if entry is not None and _is_same(entry, real) and entry.files == found:
        return {}
    return found


def trust(home: Home, directory: Path, seen: Seen | None = None) -> list[str]:
    """Trust `directory` with what was `seen` in it, or what waits there now; the names of that.

    Raises `SettingsError` for a broken trust file or something that can't be read, `Busy`, `OSError`.
    """
    real = _real(directory)
    files = dict(digests(real) if seen is None else seen)
    unreadable = [name for name, digest in files.items() if not is_digest(digest)]
    if unreadable:
        raise SettingsError("trust.unreadable", path=str(real / unreadable[0]))
    entry = _entry(real, files)

    def decided(before: _Decisions) -> _Decisions:
        declined = {path: each for path, each in before.declined.items() if path != str(real)}
        return _Decisions(trusted=before.trusted | {str(real): entry}, declined=declined)

    _change(home, decided)
    return list(files)


def decline(home: Home, directory: Path, seen: Seen) -> None:
    """Remember that this was not trusted, until it changes. Raises like `trust`."""
    real = _real(directory)
    entry = _entry(real, dict(seen))

    def decided(before: _Decisions) -> _Decisions:
        kept = {path: each for path, each in before.trusted.items() if path != str(real)}
        return _Decisions(trusted=kept, declined=before.declined | {str(real): entry})

    _change(home, decided)


def renew(home: Home, directory: Path, name: str, *, before: str | None, after: str | None) -> bool:
    """Count as seen that the person changed one of the files of a trusted directory through this program.

    `before` and `after` are the file's digests, None for one that does not wait. False, and no change, if it was not
    trusted with the digest `before`: then somebody else had changed it. Raises like `trust`.
    """
    real = _real(directory)
    renewed = False

    def decided(decisions: _Decisions) -> _Decisions:
        nonlocal renewed
        entry = decisions.trusted.get(str(real))
        if entry is None:
            # Trusted through a parent, which only reaches down to a directory where nothing waits.
            renewed = before is None
            entry = _entry(real, {})
        else:
            renewed = _is_same(entry, real) and before in (None, entry.files.get(name))
        if not renewed:
            return decisions
        files = {each: digest for each, digest in entry.files.items() if each != name}
        files |= {name: after} if after is not None else {}
        kept = msgspec.structs.replace(entry, files=files)
        return msgspec.structs.replace(decisions, trusted=decisions.trusted | {str(real): kept})

    _change(home, decided)
    return renewed


def untrust(home: Home, directory: Path) -> bool:
    """Forget what was decided about `directory`; False if it was not trusted. Raises like `trust`."""
    path = str(_real(directory))
    found = False

    def decided(before: _Decisions) -> _Decisions:
        nonlocal found
        found = path in before.trusted
        return _Decisions(
            trusted={each: entry for each, entry in before.trusted.items() if each != path},
            declined={each: entry for each, entry in before.declined.items() if each != path},
        )

    _change(home, decided)
    return found


def trusted(home: Home) -> list[str]:
    """The directories that were trusted, whether or not they still are what they were. Raises `SettingsError`."""
    return sorted(_read(home).trusted)


def _change(home: Home, decided: _Change) -> None:
    private_directory(home.root)
    lock = hold(home.cache / "trusting.lock", timeout_s=_LOCK_WAIT_S)
    try:
        written = msgspec.json.format(msgspec.json.encode(decided(_read(home))), indent=2)
        replace_file(home.trust, written + b"\n", mode=PRIVATE_FILE)
    finally:
        lock.release()


def _read(home: Home) -> _Decisions:
    if not home.trust.exists():
        return _Decisions()
    try:
        if not home.trust.is_file():
            raise ValueError(home.trust)
        return msgspec.json.decode(home.trust.read_bytes(), type=_Decisions)
    except (ValueError, msgspec.DecodeError) as error:
        raise SettingsError("trust.broken", path=str(home.trust)) from error


def _real(directory: Path) -> Path:
    return Path(os.path.realpath(directory))


def _entry(real: Path, files: dict[str, str]) -> _Entry:
    status = real.stat()
    return _Entry(device=status.st_dev, inode=status.st_ino, files=files)


def _is_same(entry: _Entry, place: Path) -> bool:
    """Whether the directory at a path is the one that was there, not another one put in its place."""
    try:
        status = place.stat()
    except OSError:
        return False
    return (entry.device, entry.inode) == (status.st_dev, status.st_ino)


def _is_covered(entry: _Entry, place: Path) -> bool:
    """Whether all that waits there now was seen. What has gone since takes no trust away."""
    found = digests(place)
    return all(is_digest(digest) and entry.files.get(name) == digest for name, digest in found.items())


def _parents_in_repository(real: Path) -> list[Path]:
    """The parents up to the root of the repository that `real` is in; none outside of one."""
    parents: list[Path] = []
    personal = _personal()
    for place in (real, *real.parents):
        if place in (personal, Path(place.anchor)):
            return []
        if place != real:
            parents.append(place)
        if os.path.lexists(place / ".git"):
            return parents
    return []


def _personal() -> Path | None:
    try:
        return _real(person_home(os.environ))
    except HomeUnknown:
        return None
