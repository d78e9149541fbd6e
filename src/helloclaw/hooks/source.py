"""Where hooks come from: `.hooks.json` of a trusted directory, unless `.hooks.disabled` is there. Read again on change.

A change never loosens by itself: hooks that were trusted go on until somebody has trusted the new file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from msgspec import Struct

from helloclaw.hooks.config import Hook, read_hooks
from helloclaw.i18n import Phrase
from helloclaw.settings.problems import SettingsError

FILE = ".hooks.json"
DISABLED = ".hooks.disabled"

State = Literal["none", "untrusted", "disabled", "broken", "on"]
_Sign = tuple[int, ...] | None
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class Loaded(Struct, frozen=True, kw_only=True):
    """What counts now. `untrusted` and `broken` are about the file; `hooks` are then those of before."""

    state: State = "none"
    hooks: tuple[Hook, ...] = ()
    problem: Phrase | None = None


class HookSource:
    """The hooks of one directory. `trusted` is asked whenever the file has changed."""

    def __init__(self, workdir: Path, trusted: Callable[[], bool]) -> None:
        self._file = workdir / FILE
        self._disabled = workdir / DISABLED
        self._trusted = trusted
        self._seen: tuple[_Sign, _Sign] | None = None
        self.loaded = Loaded()

    def load(self) -> Loaded:
        """Read for the first time. Raises `SettingsError` for a trusted file that can't be understood."""
        self.loaded = self._read()
        if self.loaded.state == "broken" and self.loaded.problem is not None:
            raise SettingsError(self.loaded.problem.key, **self.loaded.problem.fields)
        return self.loaded

    def renew(self, *, trust_too: bool = False) -> Phrase | None:
        """Read again if a file has changed; what to tell of it. Costs two system calls if none has.

        `trust_too` also looks whether an untrusted file has been trusted meanwhile.
        """
        if self._signs() == self._seen and not (trust_too and self.loaded.state == "untrusted"):
            return None
        before, self.loaded = self.loaded, self._read()
        return None if before == self.loaded else told(self.loaded)

    def reload(self) -> Loaded:
        """Read again, whether or not anything has changed."""
        self.loaded = self._read()
        return self.loaded

    def _signs(self) -> tuple[_Sign, _Sign]:
        return _sign(self._file), _sign(self._disabled)

    def _read(self) -> Loaded:
        self._seen = self._signs()
        if self._seen[1] is not None:
            return Loaded(state="disabled", hooks=self.loaded.hooks)
        if self._seen[0] is None:
            return Loaded()
        try:
            data = _content(self._file)
            # What is read before and after the look at its trust is the same, so it is what was trusted.
            if not self._trusted() or _content(self._file) != data:
                return Loaded(state="untrusted", hooks=self.loaded.hooks)
            return Loaded(state="on", hooks=read_hooks(data, FILE))
        except SettingsError as error:
            return Loaded(state="broken", hooks=self.loaded.hooks, problem=error.phrase)
        except OSError as error:
            problem = Phrase("hooks.unreadable", place=FILE, why=error.strerror or str(error))
            return Loaded(state="broken", hooks=self.loaded.hooks, problem=problem)


def told(loaded: Loaded) -> Phrase:
    """What to say of a change."""
    match loaded.state:
        case "none":
            return Phrase("hooks.now_gone")
        case "untrusted":
            return Phrase("hooks.now_untrusted")
        case "disabled":
            return Phrase("hooks.now_disabled")
        case "broken":
            return Phrase("hooks.now_broken", problem=loaded.problem or Phrase("hooks.now_gone"))
        case "on":
            return Phrase("hooks.now_on", count=len(loaded.hooks))


def _sign(path: Path) -> _Sign:
    """What tells one content from another without reading it. An empty directory may be a sandbox's placeholder."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        return (error.errno or 0,)
    if stat.S_ISDIR(status.st_mode):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _content(path: Path) -> bytes:
    """Raises `OSError`, also for what is no file and would be waited for."""
    with open(os.open(path, _READ_FLAGS), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError("it is no file")
        return stream.read(2 * 1024 * 1024)
