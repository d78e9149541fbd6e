"""Whether what a command would read is free to read, in every directory the shell may be in by then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from helloclaw.permissions import paths
from helloclaw.permissions.files import Files
from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.globs import expand
from helloclaw.permissions.shell.reads import File, Reads
from helloclaw.permissions.shell.repository import programs_named
from helloclaw.permissions.shell.script import Redirect
from helloclaw.permissions.shell.words import Word
from helloclaw.permissions.verdict import Scope

# Directories the shell may be in; one that nobody knows is the empty string.
Places = tuple[str, ...]

MAX_PLACES = 8


class Ask(Struct, frozen=True):
    """A read that is not free: the path as written, why, and whether it is the content of one file."""

    path: str
    why: Why
    one_file: bool = True


class ReadJudge:
    """Judges the reads of one command line. Remembers which names, matched by a pattern, were seen to be no links."""

    def __init__(self, scope: Scope, files: Files) -> None:
        self._scope = scope
        self._home = str(scope.home)
        self._files = files
        self._plain_names: set[str] = set()

    def match(self, word: Word, places: Places) -> tuple[str, ...] | Why:
        """The names that a pattern stands for, or why they can't be known or passed on."""
        if len(places) != 1 or not places[0] or word.glob is None:
            return Why("pattern", word.text)
        matched = expand(word.glob, places[0], self._files)
        if matched is None:
            return Why("pattern", word.text)
        self._plain_names |= matched.plain
        for name in matched.names:
            if why := self.file(File(name, content=False), places[0]):
                return why
        return matched.names

    def file(self, file: File, place: str) -> Why | None:
        """Why one file is not free to read from `place`. `..` has to stay inside from where the line starts, too."""
        start = str(self._scope.cwd)
        if ".." in file.path and place != start and (why := self.file(file, start)):
            return why
        if not place:
            return None if file.path == "/dev/null" else Why("outside", file.path)
        if file.path in self._plain_names and not file.path.startswith("/") and ".." not in file.path:
            if not paths.is_free(place, self._scope):
                return Why("outside", file.path)
            return Why("secret", file.path) if file.content and paths.is_secret(f"{place}/{file.path}") else None
        return paths.judge_read(file.path, place, self._scope, self._files, content=file.content)

    def asks(self, reads: Reads, places: Places) -> Iterator[Ask]:
        """All that is not free among what a command reads."""
        for place in places:
            if reads.repository is not None and not paths.is_free(place, self._scope):
                yield Ask(place or ".", Why("outside", place or "."), one_file=False)
            for file in reads.files:
                if why := self.file(file, place):
                    searched = any(file.path == tree.path for tree in reads.trees)
                    yield Ask(file.path, why, one_file=file.content and not searched)
            for tree in reads.trees:
                why = paths.judge_tree(
                    tree.path,
                    place,
                    self._scope,
                    self._files,
                    hidden=tree.hidden,
                    follow=tree.follows,
                    named=tree.named,
                )
                if why:
                    yield Ask(tree.path, why, one_file=False)

    def redirects(self, redirects: Sequence[Redirect], places: Places) -> Iterator[Ask]:
        """Files that a command is fed from and that are not free."""
        for redirect in redirects:
            if redirect.op == "<" and redirect.target is not None and redirect.target.value is not None:
                for place in places:
                    if why := self.file(File(redirect.target.value), place):
                        yield Ask(redirect.target.value, why)

    def named_programs(self, reads: Reads, places: Places) -> Why | None:
        """What the settings of the repository that a command obeys would make it run."""
        if reads.repository is None:
            return None
        for place in places:
            directory = paths.resolve(reads.repository, place or "/", self._home, self._files)
            named = programs_named(directory, self._files) if place else reads.repository
            if named:
                return Why("repository_programs", named)
        return None

    def moved(self, target: str, places: Places) -> Places:
        """Where `cd` leads. Through a link, the shell and the kernel disagree on what `..` then is: nobody knows."""
        moved: list[str] = []
        for place in places:
            real = paths.resolve(target, place, self._home, self._files) if place else ""
            moved.append(real if real == paths.absolute(target, place or "/", self._home) else "")
        return union(tuple(moved))


def union(*places: Places) -> Places:
    together = tuple(dict.fromkeys(place for each in places for place in each))
    return together if len(together) <= MAX_PLACES else ("",)
