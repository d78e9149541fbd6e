"""The files that notes live in: names that are valid, and reading and replacing them with nothing lost.

They are a person's: they may be edited by hand at any time, hold bytes that are no UTF-8, be large or strange.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable
from datetime import date
from pathlib import Path

from msgspec import Struct

from helloclaw.i18n import SpokenError
from helloclaw.storage.atomic import PRIVATE_FILE, private_directory, replace_file

LONGTERM = "MEMORY.md"
FOLDER = "memory"
LARGEST_BYTES = 8 * 1024 * 1024
_TRIES = 8

_DAILY = re.compile(r"(?P<day>\d{4}-\d\d-\d\d)(?:-(?P<slug>[\w-]{1,80}))?\.md")


class BadPage(SpokenError):
    """A file that can't be used: its name is none of ours, or it is no ordinary file."""


class Page(Struct, frozen=True, kw_only=True):
    """A file of notes. `name` is relative to the workspace; `day` is None for the long-term memory."""

    name: str
    path: Path
    day: date | None
    slug: str = ""


def page(workspace: Path, name: str) -> Page:
    """The page of that name, as a person or a model may write it; it need not exist. Raises `BadPage`."""
    plain = name.strip().removeprefix("./").removeprefix(f"{FOLDER}/")
    if plain.casefold() in (LONGTERM.casefold(), "memory"):
        return Page(name=LONGTERM, path=workspace / LONGTERM, day=None)
    plain = plain if plain.endswith(".md") else f"{plain}.md"
    match = _DAILY.fullmatch(plain)
    day = _day(match["day"]) if match else None
    if match is None or day is None:
        raise BadPage("memory.no_such_page", name=name[:100])
    return Page(name=f"{FOLDER}/{plain}", path=workspace / FOLDER / plain, day=day, slug=match["slug"] or "")


def daily(workspace: Path, day: date) -> Page:
    return page(workspace, day.isoformat())


def daily_pages(workspace: Path) -> list[Page]:
    """All pages with a date, the latest first. Without what is no ordinary file."""
    found: list[Page] = []
    try:
        with os.scandir(workspace / FOLDER) as entries:
            names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    for name in names:
        match = _DAILY.fullmatch(name)
        if match and (day := _day(match["day"])):
            found.append(
                Page(name=f"{FOLDER}/{name}", path=workspace / FOLDER / name, day=day, slug=match["slug"] or "")
            )
    return sorted(found, key=lambda each: each.name, reverse=True)


def read(path: Path) -> str | None:
    """The text, with bytes that are no UTF-8 kept as they are (`surrogateescape`); None if there is no file.

    Raises `BadPage`, `OSError`.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise BadPage("memory.page_is_link", path=path) from error
        raise
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise BadPage("memory.page_is_special", path=path)
        if status.st_size > LARGEST_BYTES:
            raise BadPage("memory.page_too_large", path=path, limit=LARGEST_BYTES >> 20)
        return stream.read().decode("utf-8", "surrogateescape")


def change(path: Path, edit: Callable[[str], str]) -> None:
    """Replace a page by what `edit` makes of its text, "" where there is none yet.

    Who writes with an editor takes no lock: if the file changed meanwhile, it is edited again. Raises `BadPage`,
    `OSError`.
    """
    private_directory(path.parent)
    for _ in range(_TRIES):
        before = read(path)
        after = edit(before or "")
        if after == before:
            return
        if read(path) == before:
            mode = None if before is not None else PRIVATE_FILE
            replace_file(path, after.encode("utf-8", "surrogateescape"), mode=mode)
            return
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(path))


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
