"""The instruction files: `~/.claude/CLAUDE.md`, then `CLAUDE.md` and `.claude/CLAUDE.md` in workdir and in cwd.

`AGENTS.md` counts where a `CLAUDE.md` is absent. A directory's own count once a person has trusted it. They are text
for the model and nothing else: nothing in them is run.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from helloclaw.i18n import Phrase
from helloclaw.workspace.reading import BadFile, KeptTexts, shown

LIMIT_BYTES = 1024 * 1024
MOST_IMPORTED = 20
MOST_DEPTH = 3
_IMPORTED_SUFFIXES = (".md", ".mdc", ".markdown", ".txt")
_NAMES = ("CLAUDE.md", "AGENTS.md")
_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_IMPORT = re.compile(r"^[ \t]*(?:[-*][ \t]+)?@(?P<path>[^\s`]+)[ \t]*$", re.MULTILINE)
# Characters that nobody sees but a model reads: a text could say there what no person has looked at.
_HIDDEN = re.compile("[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")


def instruction_names(directory: Path) -> list[str]:
    """The instruction files that a directory brings, as names within it."""
    found = (_found(directory / folder) for folder in ("", ".claude"))
    return [path.relative_to(directory).as_posix() for path in found if path is not None]


def _found(folder: Path) -> Path | None:
    """The instruction file of a folder; it may be anything."""
    return next((path for name in _NAMES if os.path.lexists(path := folder / name)), None)


class Instruction(Struct, frozen=True, kw_only=True):
    """The text of one file. `shown` is its path as a person writes it; without `project` it is the person's own."""

    path: Path
    shown: str
    text: str
    project: bool


class Instructions(NamedTuple):
    """`waiting` are files of directories that nobody has trusted, `problems` those that can't be used, and why."""

    files: tuple[Instruction, ...] = ()
    waiting: tuple[Path, ...] = ()
    problems: tuple[Phrase, ...] = ()


class _Place(NamedTuple):
    """A directory that may hold an instruction file. `root` is what nothing may lead out of; None for the person's."""

    folder: Path
    root: Path | None


class InstructionFiles:
    """One per session. Files that are as they were are not read again; a change counts at the next look."""

    def __init__(
        self,
        *,
        person_home: Path,
        workdir: Path,
        trusted: Callable[[Path], bool],
        workspace: Path | None = None,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """`trusted` is asked about a directory only if it has such files. The AGENTS.md of `workspace` is none of them:
        it has a place of its own in the prompt.
        """
        self._home = person_home
        self._workdir = Path(os.path.realpath(workdir))
        self._trusted = trusted
        self._workspace = None if workspace is None else os.path.realpath(workspace)
        self._texts = KeptTexts(limit_bytes=LIMIT_BYTES, clock_ns=clock_ns)
        self._told: set[Phrase] = set()

    def look(self, cwd: Path) -> Instructions:
        """What counts now, with `cwd` as the current directory. It reads files, so it may take a moment."""
        return _Look(self._texts, self._home, self._trusted, self._workspace).at(
            self._places(Path(os.path.realpath(cwd)))
        )

    def news(self, found: Instructions) -> tuple[Phrase, ...]:
        """What a person should know and was not told before: files that wait for trust, files that can't be used."""
        said = list(found.problems)
        if found.waiting:
            names = ", ".join(shown(path) for path in found.waiting)
            said.insert(0, Phrase("workspace.instructions_wait", names=names))
        new = tuple(each for each in dict.fromkeys(said) if each not in self._told)
        self._told.update(new)
        return new

    def _places(self, cwd: Path) -> Iterator[_Place]:
        yield _Place(self._home / ".claude", None)
        for directory in dict.fromkeys((self._workdir, cwd)):
            # A file of a directory within the workdir may be a link to another one of it, and no further.
            root = self._workdir if directory.is_relative_to(self._workdir) else directory
            yield _Place(directory, root)
            yield _Place(directory / ".claude", root)


class _Look:
    """One look: each file once, by where it really is."""

    def __init__(self, texts: KeptTexts, home: Path, trusted: Callable[[Path], bool], workspace: str | None) -> None:
        self._texts = texts
        self._home = home
        self._trusted = trusted
        self._trust: dict[Path, bool] = {}
        self._seen: set[str] = set() if workspace is None else {os.path.join(workspace, "AGENTS.md")}
        self._files: list[Instruction] = []
        self._waiting: list[Path] = []
        self._problems: list[Phrase] = []
        self._imported = 0

    def at(self, places: Iterator[_Place]) -> Instructions:
        for place in places:
            if (path := _found(place.folder)) is not None:
                self._take(path, place, depth=0)
        return Instructions(tuple(self._files), tuple(self._waiting), tuple(self._problems))

    def _take(self, path: Path, place: _Place, *, depth: int) -> None:
        real = os.path.realpath(path)
        if real in self._seen:
            return
        self._seen.add(real)
        if place.root is not None and not Path(real).is_relative_to(place.root):
            self._problems.append(Phrase("workspace.instructions_outside", path=shown(path)))
        elif not self._may_count(place):
            self._waiting.append(path)
        elif (text := self._read(path, Path(real))) is not None:
            self._files.append(
                Instruction(path=path, shown=self._shown(path), text=text, project=place.root is not None)
            )
            self._follow(text, Path(real).parent, place, depth)

    def _may_count(self, place: _Place) -> bool:
        """Whether the files of a place may be read: its directory is trusted, whose own `.claude` may be."""
        if place.root is None:
            return True
        directory = place.folder.parent if place.folder.name == ".claude" else place.folder
        if directory not in self._trust:
            self._trust[directory] = self._trusted(directory)
        return self._trust[directory]

    def _read(self, path: Path, real: Path) -> str | None:
        try:
            text, lossy = self._texts.read(real)  # No link in its place since it was looked at is followed.
        except FileNotFoundError:  # a link that leads nowhere, or a file that was just removed
            return None
        except BadFile as error:
            self._problems.append(error.phrase)
            return None
        if lossy:
            self._problems.append(Phrase("workspace.lossy", path=shown(path)))
        plain = _HIDDEN.sub("", text)
        if plain != text:
            self._problems.append(Phrase("workspace.hidden_characters", path=shown(path), count=len(text) - len(plain)))
        return plain

    def _follow(self, text: str, folder: Path, place: _Place, depth: int) -> None:
        """Take the files that the text names, a line `@path` each: text files near it, and no links out of there."""
        root = folder if place.root is None else place.root
        for named in imports(text) if depth < MOST_DEPTH else ():
            path = folder / named
            # Nothing of the product is read for a text that only looks like a path.
            if self._imported < MOST_IMPORTED and path.is_file():
                self._imported += 1
                if Path(os.path.realpath(path)).is_relative_to(root):
                    self._take(path, place, depth=depth + 1)
                else:
                    self._problems.append(Phrase("workspace.instructions_outside", path=shown(path)))

    def _shown(self, path: Path) -> str:
        below = path.is_relative_to(self._home)
        return f"~/{shown(path.relative_to(self._home))}" if below else shown(path)


def imports(text: str) -> list[str]:
    """The relative paths of text files that lines `@path` of an instruction file name, code left out. Pure."""
    plain = _COMMENT.sub("", _FENCED.sub("", text))
    named = [found["path"] for found in _IMPORT.finditer(plain)]
    return [
        each
        for each in dict.fromkeys(named)
        if each.lower().endswith(_IMPORTED_SUFFIXES) and not each.startswith(("/", "~")) and "\0" not in each
    ]
