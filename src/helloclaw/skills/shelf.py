"""The skills of a session: those of its directory, the person's, and those that come with the program.

A directory's own count once a person has trusted it. It only reads; what a skill says is for the model.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from helloclaw.i18n import Phrase
from helloclaw.i18n.system import reason_of
from helloclaw.settings.trust import is_trusted
from helloclaw.skills.folder import Stamp, is_inside, stamp_of, text_of
from helloclaw.skills.plain import one_line
from helloclaw.skills.skill import FILE, LIMIT_BYTES, Skill, Where, is_name, parse_skill
from helloclaw.storage.paths import Home

MOST_SKILLS = 500
"""In one folder; what comes later in the alphabet is left out, and that is said."""
SHIPPED = Path(os.path.realpath(__file__)).parent / "shipped"
OF_DIRECTORY = ("skills", ".claude/skills")
_MOST_ENTRIES = 20_000
_MOST_NEWS = 5


class Found(NamedTuple):
    """`skills`: the directory's, the person's, the program's, each by name, and no name twice.

    `problems` are files that are no skills and skills that another one of the same name hides, `hidden` those of the
    program's that the person has replaced; `waiting` are folders of a directory that nobody has trusted.
    """

    skills: tuple[Skill, ...] = ()
    problems: tuple[Phrase, ...] = ()
    hidden: tuple[Phrase, ...] = ()
    waiting: tuple[Path, ...] = ()


class SkillShelf:
    """One per session. Files that are as they were are not read again; a change counts at the next look.

    Without a `home`, where trust is kept, there are the program's skills only.
    """

    def __init__(self, *, home: Home | None, workdir: Path, clock_ns: Callable[[], int] = time.time_ns) -> None:
        self._home = home
        self._workdir = Path(os.path.realpath(workdir))
        self._clock_ns = clock_ns
        self._taken: dict[str, Path] = {}
        self._told: set[Phrase] = set()

    def look(self) -> Found:
        """What there is now. It reads files, so it may take a moment."""
        now_ns = self._clock_ns()
        skills: dict[str, Skill] = {}
        problems: list[Phrase] = []
        hidden: list[Phrase] = []
        folders, waiting = self._folders(problems)
        for folder, where in folders:
            for read in _skills_in(folder, where, now_ns):
                if isinstance(read, Phrase):
                    problems.append(read)
                elif (first := skills.setdefault(read.name, read)) is not read:
                    (hidden if where == "shipped" else problems).append(_clash(read, first))
        return Found(tuple(skills.values()), tuple(problems), tuple(hidden), waiting)

    def news(self, found: Found) -> tuple[Phrase, ...]:
        """The problems among `found` that were not told before, the first few of them and how many more there are."""
        new = [each for each in found.problems if each not in self._told]
        self._told.update(new)
        if len(new) <= _MOST_NEWS:
            return tuple(new)
        return (*new[:_MOST_NEWS], Phrase("skills.more_problems", count=len(new) - _MOST_NEWS))

    def take(self, skill: Skill) -> None:
        """Note that a skill is in use: its files are free to read from now on."""
        self._taken[skill.name] = skill.folder

    def readable(self) -> tuple[Path, ...]:
        """The resolved directories free to read: what comes with the program, and the skills in use."""
        return (SHIPPED, *self._taken.values())

    def _folders(self, problems: list[Phrase]) -> tuple[list[tuple[Path, Where]], tuple[Path, ...]]:
        """The folders to look into, the first ones first, each once; and those that wait for trust."""
        if self._home is None:
            return [(SHIPPED, "shipped")], ()
        own = self._of_directory(problems)
        trusted = bool(own) and is_trusted(self._home, self._workdir)
        looked: list[tuple[Path, Where]] = [(each, "project") for each in own] if trusted else []
        person = Path(os.path.realpath(self._home.root / "skills"))
        # In the product's home itself it would be looked at twice.
        if not (trusted and person in own):
            looked.append((person, "person"))
        return [*looked, (SHIPPED, "shipped")], () if trusted else tuple(own)

    def _of_directory(self, problems: list[Phrase]) -> list[Path]:
        """The working directory's folders, resolved. A link that leads out of it is a problem."""
        own: list[Path] = []
        for name in OF_DIRECTORY:
            folder = self._workdir / name
            if not folder.is_dir():
                continue
            if is_inside(str(folder), str(self._workdir)):
                own.append(Path(os.path.realpath(folder)))
            else:
                problems.append(Phrase("skills.folder_outside", path=one_line(str(folder), 200)))
        return list(dict.fromkeys(own))


def _clash(read: Skill, first: Skill) -> Phrase:
    path, other = one_line(str(read.folder), 200), one_line(str(first.folder), 200)
    return Phrase("skills.hidden", path=path, name=read.name, other=other)


def _skills_in(folder: Path, where: Where, now_ns: int) -> Iterator[Skill | Phrase]:
    """`folder` is resolved."""
    count = 0
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in islice(entries, _MOST_ENTRIES) if entry.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        yield Phrase("skills.unreadable", path=one_line(str(folder), 200), why=reason_of(error))
        return
    for name in names:
        path = os.path.join(folder, name, FILE)
        if not os.path.lexists(path):
            continue
        count += 1
        if count > MOST_SKILLS:
            yield Phrase("skills.too_many", path=one_line(str(folder), 200), limit=MOST_SKILLS)
            return
        yield _looked_at(path, folder, name, where, now_ns)


def _looked_at(path: str, folder: Path, name: str, where: Where, now_ns: int) -> Skill | Phrase:
    shown = one_line(path, 200)
    if not is_name(name):
        return Phrase("skills.bad_name", path=shown)
    try:
        own = folder / name
        if own.is_symlink():
            return Phrase("skills.link", path=one_line(str(own), 200))
        stamp = stamp_of(path, str(own), LIMIT_BYTES)
        if isinstance(stamp, str):
            return Phrase(f"skills.{stamp}", path=shown, limit=LIMIT_BYTES >> 10)
        return (_kept if stamp.is_settled(now_ns) else _read)(path, own, where, stamp)
    except OSError as error:
        return Phrase("skills.unreadable", path=shown, why=reason_of(error))


def _read(path: str, folder: Path, where: Where, stamp: Stamp) -> Skill | Phrase:
    """Raises `OSError`."""
    del stamp
    text = text_of(path, LIMIT_BYTES)
    return Phrase("skills.not_utf8", path=one_line(path, 200)) if text is None else parse_skill(text, folder, where)


_kept = lru_cache(maxsize=4 * MOST_SKILLS)(_read)
