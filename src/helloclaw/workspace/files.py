"""The workspace's files: made from templates on first use, read, written, put back, and what of them is good now.

They are a person's, who may change them with any editor at any time, or delete them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from helloclaw.i18n import Lang, Phrase, SpokenError
from helloclaw.i18n.system import reason_of
from helloclaw.storage.atomic import PRIVATE_FILE, private_directory, replace_file
from helloclaw.workspace.making import create_file, make_missing, template
from helloclaw.workspace.name import DEFAULT_NAME, established
from helloclaw.workspace.names import NAMES, Name, name_of
from helloclaw.workspace.reading import BadFile, KeptTexts, decoded, read_text, shown, stamp_of

LARGEST_BYTES = 8 * 1024 * 1024
BACKUPS = "backups"

_AGENTS: Name = "AGENTS.md"
_BOOTSTRAP: Name = "BOOTSTRAP.md"
_IDENTITY: Name = "IDENTITY.md"


class NotThere(SpokenError):
    """The file does not exist: it was deleted, or its time is over."""


class Refused(SpokenError):
    """A text that can't be written, or a file that has no place any more."""


class FileInfo(Struct, frozen=True, kw_only=True):
    """`bytes` and `modified` (seconds since 1970) are None for a file that does not exist."""

    name: Name
    bytes: int | None = None
    modified: float | None = None

    @property
    def exists(self) -> bool:
        return self.bytes is not None


class Current(NamedTuple):
    """The texts that are good now, of files that exist, and what a person has to know and was not told yet."""

    texts: dict[Name, str]
    notices: tuple[Phrase, ...] = ()

    @property
    def agent_name(self) -> str:
        return established(self.texts.get(_IDENTITY, "")) or DEFAULT_NAME


class Workspace:
    """The files below `root`, by default in English. Any number of processes may use them at once.

    What is kept in between is for this process: what was read, the last good text of each file, what was told.
    """

    def __init__(
        self,
        root: Path,
        *,
        language: Lang = "en",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.root = root
        self.language: Lang = language
        self._clock = clock
        self._texts = KeptTexts(limit_bytes=LARGEST_BYTES, clock_ns=lambda: int(clock() * 1e9))
        self._good: dict[Name, str] = {}
        self._told: dict[str, Phrase] = {}
        self._is_made = False

    def look(self) -> Current:
        """All files as they are now, made where they are missing; BOOTSTRAP.md goes once the agent has a name.

        Never raises: a file that can't be read is as it was when it could be, and that is said once. It reads files,
        so it may take a moment.
        """
        notices: list[Phrase] = []
        self._make(notices)
        texts: dict[Name, str] = {name: text for name in NAMES if (text := self._look_at(name, notices)) is not None}
        if _AGENTS not in texts:
            texts[_AGENTS] = template(_AGENTS, self.language)
        if _BOOTSTRAP in texts and established(texts.get(_IDENTITY, "")):
            del texts[_BOOTSTRAP]
            self._tell_of(_BOOTSTRAP, self._end_bootstrap(), notices)
        return Current(texts, tuple(notices))

    def settle(self) -> None:
        """Let BOOTSTRAP.md go if the agent has a name by now; at the end of a turn, so that nobody finds it later."""
        try:
            is_over = established(self._texts.read(self.root / _IDENTITY).text) is not None
        except (FileNotFoundError, BadFile):
            return
        if is_over:
            self._end_bootstrap()

    def read(self, name: str) -> str:
        """A file's text. Raises `UnknownName`, `NotThere`, `BadFile` (also for one that is no UTF-8)."""
        path = self._path(name)
        try:
            text, lossy = read_text(path, limit_bytes=LARGEST_BYTES)
        except FileNotFoundError as error:
            raise NotThere("workspace.not_there", path=shown(path)) from error
        if lossy:
            # Written back it would be another text.
            raise BadFile("workspace.not_utf8", path=shown(path))
        return text

    def write(self, name: str, text: str) -> None:
        """Replace a file's text. Raises `UnknownName`, `Refused`, `BadFile`, `OSError`."""
        path, data = self._path(name), _encoded(text)
        self._refuse_bootstrap(path)
        self._refuse_odd(path)
        private_directory(self.root)
        replace_file(path, data, mode=PRIVATE_FILE)
        self.settle()

    def listing(self) -> tuple[FileInfo, ...]:
        """Every file there may be, in the order of the prompt. Raises nothing."""
        return tuple(self._info(name) for name in NAMES)

    def reset(self, name: str) -> Path | None:
        """Put a file back to its template; where the old one was kept, None if there was nothing worth keeping.

        Raises `UnknownName`, `Refused`, `BadFile`, `OSError`.
        """
        path = self._path(name)
        self._refuse_bootstrap(path)
        self._refuse_odd(path)
        private_directory(self.root)
        new = template(name_of(name), self.language).encode()
        backup = self._back_up(path, new)
        replace_file(path, new, mode=PRIVATE_FILE)
        return backup

    def _path(self, name: str) -> Path:
        return self.root / name_of(name)

    def _make(self, notices: list[Phrase]) -> None:
        """Make what is missing. What can't be made is said; a person may still talk."""
        try:
            if not (self._is_made and os.path.lexists(self.root / _AGENTS)):
                make_missing(self.root, self.language)
                self._is_made = True
        except OSError as error:
            problem = Phrase("workspace.cannot_make", path=shown(self.root), why=reason_of(error))
        else:
            problem = None
        self._tell_of("", problem, notices)

    def _look_at(self, name: Name, notices: list[Phrase]) -> str | None:
        path = self.root / name
        problem: Phrase | None = None
        try:
            text, lossy = self._texts.read(path)
        except FileNotFoundError:
            self._good.pop(name, None)
        except BadFile as error:
            known = name in self._good
            key = "workspace.last_good" if known else "workspace.left_out"
            problem = Phrase(key, name=name, problem=error.phrase)
        else:
            self._good[name] = text
            problem = Phrase("workspace.lossy", path=shown(path)) if lossy else None
        self._tell_of(name, problem, notices)
        return self._good.get(name)

    def _tell_of(self, topic: str, problem: Phrase | None, notices: list[Phrase]) -> None:
        if problem is None:
            self._told.pop(topic, None)
        elif topic not in self._told:
            self._told[topic] = problem
            notices.append(problem)

    def _end_bootstrap(self) -> Phrase | None:
        """Remove it, a link as such. Why that failed, if it did."""
        path = self.root / _BOOTSTRAP
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            return Phrase("workspace.cannot_remove", path=shown(path), why=reason_of(error))
        return None

    def _refuse_bootstrap(self, path: Path) -> None:
        """Raises `Refused`: an introduction to somebody who has a name would go again at once."""
        if path.name != _BOOTSTRAP:
            return
        try:
            name = established(self._texts.read(self.root / _IDENTITY).text)
        except (FileNotFoundError, BadFile):
            return
        if name:
            raise Refused("workspace.bootstrap_is_over", name=name)

    def _refuse_odd(self, path: Path) -> None:
        """Raises `BadFile` if something is there that must not simply be replaced: a link, a directory, a device."""
        try:
            stamp_of(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise BadFile("workspace.unreadable", path=shown(path), why=reason_of(error)) from error

    def _info(self, name: Name) -> FileInfo:
        try:
            stamp = stamp_of(self.root / name)
        except (OSError, BadFile):
            return FileInfo(name=name)
        return FileInfo(name=name, bytes=stamp.bytes, modified=stamp.modified_ns / 1e9)

    def _back_up(self, path: Path, new: bytes) -> Path | None:
        """Keep a copy, byte for byte, under a name that is free. Raises `BadFile`, `OSError`."""
        try:
            with path.open("rb") as stream:
                old = stream.read(LARGEST_BYTES + 1)
        except FileNotFoundError:
            return None
        if len(old) > LARGEST_BYTES:
            raise BadFile("workspace.too_large", path=shown(path), limit=LARGEST_BYTES >> 10)
        if old == new or not old.strip():
            return None
        folder = private_directory(self.root / BACKUPS)
        moment = datetime.fromtimestamp(self._clock()).astimezone().strftime("%Y%m%d-%H%M%S")
        for count in range(1, 1_000):
            more = f"-{count}" if count > 1 else ""
            backup = folder / f"{path.stem}-{moment}{more}.md"
            if create_file(backup, old):
                return backup
        raise FileExistsError(17, "File exists", str(folder))


def _encoded(text: str) -> bytes:
    """Raises `Refused` for what would not be read again."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise Refused("workspace.bad_text") from error
    if decoded(data) is None:
        raise Refused("workspace.bad_text")
    if len(data) > LARGEST_BYTES:
        raise Refused("workspace.text_too_large", limit=LARGEST_BYTES >> 10)
    return data
