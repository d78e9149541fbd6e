"""What decisions have to know of the file system, behind one small seam, so that all else here is pure."""

from __future__ import annotations

import os
import stat
from itertools import islice
from typing import Protocol

from msgspec import Struct

# Enough for any configuration a person writes by hand.
MAX_TEXT_BYTES = 64 * 1024
# A path of more components than this may be made up to cost time: it is asked now and then if there is anything yet.
DEEP = 32


class Entry(Struct, frozen=True):
    name: str
    is_directory: bool
    is_link: bool


class Files(Protocol):
    """Looking, never touching. Paths are absolute."""

    def realpath(self, path: str) -> str:
        """Where the path ends when every symbolic link is followed; it need not exist. A loop ends nowhere: itself."""
        ...

    def is_link(self, path: str) -> bool: ...

    def entries(self, directory: str, limit: int) -> list[Entry]:
        """What the directory holds, `limit` entries at most; nothing if it can't be listed."""
        ...

    def exists(self, path: str) -> bool: ...

    def text(self, path: str) -> str | None:
        """A small file's content; None if there is none to be read."""
        ...


class OsFiles:
    """The file system of this machine."""

    def realpath(self, path: str) -> str:
        try:
            return os.path.realpath(path)
        except (OSError, ValueError):
            return path

    def is_link(self, path: str) -> bool:
        try:
            return stat.S_ISLNK(os.lstat(path).st_mode)
        except (OSError, ValueError):
            return False

    def entries(self, directory: str, limit: int) -> list[Entry]:
        try:
            with os.scandir(directory) as scan:
                return [
                    Entry(entry.name, entry.is_dir(follow_symlinks=False), entry.is_symlink())
                    for entry in islice(scan, limit)
                ]
        except (OSError, ValueError):
            return []

    def exists(self, path: str) -> bool:
        return os.path.lexists(path)

    def text(self, path: str) -> str | None:
        if not os.path.isfile(path):  # a FIFO would be waited for
            return None
        try:
            with open(path, "rb") as stream:
                content = stream.read(MAX_TEXT_BYTES + 1)
        except (OSError, ValueError):
            return None
        return content.decode("utf-8", "replace") if len(content) <= MAX_TEXT_BYTES else None


OS_FILES = OsFiles()


class SeenFiles:
    """`files`, each thing looked at once: what one verdict says rests on one view of them."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._realpaths: dict[str, str] = {}
        self._links: dict[str, bool] = {}
        self._entries: dict[tuple[str, int], list[Entry]] = {}
        self._exist: dict[str, bool] = {}
        self._texts: dict[str, str | None] = {}

    def realpath(self, path: str) -> str:
        if (real := self._realpaths.get(path)) is None:
            real = self._realpaths[path] = self._without_links(path) or self._files.realpath(path)
        return real

    def _without_links(self, path: str) -> str | None:
        """The path tidied, which is where it ends if no link is on its way; None if one is."""
        if not path.startswith("/") or not path.isascii() or "\0" in path:
            return None
        ends, missing = "", False
        for index, part in enumerate(path.split("/"), 1):
            if part == "..":
                ends, missing = ends.rpartition("/")[0], False
            elif part not in ("", "."):
                ends = f"{ends}/{part}"
                if not missing and self.is_link(ends):
                    return None
                if index % DEEP == 0:
                    missing = not self.exists(ends)
        return ends or "/"

    def is_link(self, path: str) -> bool:
        if (link := self._links.get(path)) is None:
            link = self._links[path] = self._files.is_link(path)
        return link

    def entries(self, directory: str, limit: int) -> list[Entry]:
        key = (directory, limit)
        if (entries := self._entries.get(key)) is None:
            entries = self._entries[key] = self._files.entries(directory, limit)
        return entries

    def exists(self, path: str) -> bool:
        if (there := self._exist.get(path)) is None:
            there = self._exist[path] = self._files.exists(path)
        return there

    def text(self, path: str) -> str | None:
        if path not in self._texts:
            self._texts[path] = self._files.text(path)
        return self._texts[path]
