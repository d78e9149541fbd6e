"""Proving a command line harmless, part by part: that each command only reads, and what it reads is free to read.

What can't be proven is no accusation. It is left for a rule or a person to allow; `plain` says if a rule may, by the
beginning of the command alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from helloclaw.permissions import paths
from helloclaw.permissions.files import Files
from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.globs import expand
from helloclaw.permissions.shell.reads import File, Reads, Tree
from helloclaw.permissions.shell.readonly import what_it_reads
from helloclaw.permissions.shell.repository import programs_named
from helloclaw.permissions.shell.script import (
    AndOr,
    Background,
    Conditional,
    Function,
    Group,
    Loop,
    Negation,
    Node,
    Other,
    Pipeline,
    Redirect,
    Redirected,
    Script,
    Sequence as Statements,
    Simple,
)
from helloclaw.permissions.shell.second_reading import Run, read_runs
from helloclaw.permissions.shell.words import Word
from helloclaw.permissions.verdict import Scope

# Directories the shell may be in at one point, none of them if nobody knows.
Places = tuple[str, ...]

MAX_PLACES = 8


class Ask(Struct, frozen=True):
    """A read that is not free: the path as written, why, and whether it is the content of one file."""

    path: str
    why: Why
    one_file: bool = True


class Judged(Struct, frozen=True, kw_only=True):
    """One command. `words` are what the program gets, None where that is not known beforehand.

    `why` is the reason it is not proven to only read; None if it is. `asks` are reads, if it only reads, that are not
    free. `plain`: nothing but the program decides what happens, so that a rule for the program can vouch for it.
    """

    text: str
    words: tuple[str | None, ...]
    why: Why | None
    asks: tuple[Ask, ...] = ()
    reads: tuple[tuple[str, str], ...] = ()
    trees: tuple[tuple[str, Tree], ...] = ()
    plain: bool = True


class Proof(Struct, frozen=True, kw_only=True):
    """The whole line. `structure` are the reasons that lie in how it is put together, not in one command."""

    parts: tuple[Judged, ...]
    structure: tuple[Why, ...]


def prove(text: str, script: Script, scope: Scope, files: Files) -> Proof:
    prover = _Prover(scope, files)
    prover.node(script.body, (str(scope.cwd),))
    structure = [*script.problems, *prover.structure]
    if not structure and not _read_alike(text, script):
        structure.append(Why("ambiguous"))
    return Proof(parts=tuple(prover.parts), structure=tuple(structure))


def _read_alike(text: str, script: Script) -> bool:
    """Whether the second reading finds the same commands, word for word."""
    return read_runs(text.encode("utf-8", "replace")) == tuple(_runs(script.body))


def _runs(node: Node) -> Iterator[Run]:
    match node:
        case Simple(spans=spans, redirects=redirects):
            yield Run(spans, tuple(redirect.span for redirect in redirects))
        case Redirected(body=body, redirects=redirects):
            yield from _runs(body)
            yield Run((), tuple(redirect.span for redirect in redirects))
        case AndOr(left=left, right=right):
            yield from _runs(left)
            yield from _runs(right)
        case Statements(items=nodes) | Conditional(parts=nodes) | Other(parts=nodes) | Pipeline(stages=nodes):
            for each in nodes:
                yield from _runs(each)
        case Negation(body=body) | Background(body=body) | Group(body=body) | Loop(body=body) | Function(body=body):
            yield from _runs(body)


# Variables whose values are no secret and can't carry a command: what `echo $HOME` may print.
_OPEN_VARIABLES = frozenset(
    {"?", "#", "$", "PWD", "OLDPWD", "HOME", "USER", "LOGNAME", "SHELL", "HOSTNAME", "LANG", "TERM", "UID", "EUID", "PPID",
     "RANDOM", "SECONDS", "LINENO", "BASH_VERSION", "PATH"}
)  # fmt: skip
# Variables that only change how output looks.
_INERT_ASSIGNMENTS = frozenset(
    {"LANG", "LANGUAGE", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "TZ", "NO_COLOR",
     "COLUMNS", "LINES", "CI"}
)  # fmt: skip
_MOVERS = frozenset({"cd", "pushd", "popd", "eval", "source", ".", "builtin", "command", "exec"})
_WRITING = (">", ">>", ">|", "&>", "&>>", ">&")


class _Prover:
    def __init__(self, scope: Scope, files: Files) -> None:
        self.parts: list[Judged] = []
        self.structure: list[Why] = []
        self._scope = scope
        self._files = files
        self._plain_names: set[str] = set()

    # Where the shell is. Each statement gives the places after its success and after its failure.

    def node(self, node: Node, places: Places) -> tuple[Places, Places]:
        match node:
            case Simple():
                return self._simple(node, places)
            case Statements(items=items):
                return self._sequence(items, places)
            case AndOr(op=op, left=left, right=right):
                return self._and_or(op, left, right, places)
            case Pipeline(stages=stages):
                for stage in stages:
                    self.node(stage, places)
                return places, places
            case Negation(body=body):
                succeeded, failed = self.node(body, places)
                return failed, succeeded
            case Group(body=body, subshell=subshell):
                after = self.node(body, places)
                return (places, places) if subshell else after
            case Redirected(body=body, redirects=redirects):
                after = self.node(body, places)
                self._judge_redirects(redirects, _union(places, *after))
                return after
            case _:
                return self._structure(node, places)

    def _sequence(self, items: Sequence[Node], places: Places) -> tuple[Places, Places]:
        succeeded = failed = places
        for item in items:
            succeeded, failed = self.node(item, _union(succeeded, failed))
        return succeeded, failed

    def _and_or(self, op: str, left: Node, right: Node, places: Places) -> tuple[Places, Places]:
        succeeded, failed = self.node(left, places)
        if op == "&&":
            right_succeeded, right_failed = self.node(right, succeeded)
            return right_succeeded, _union(failed, right_failed)
        right_succeeded, right_failed = self.node(right, failed)
        return _union(succeeded, right_succeeded), right_failed

    def _structure(self, node: Node, places: Places) -> tuple[Places, Places]:
        """Statements of which only the commands within are judged; all but `if` are a reason to ask by themselves."""
        match node:
            case Conditional(parts=nodes):
                pass
            case Background(body=body):
                self.structure.append(Why("background"))
                nodes = (body,)
            case Loop(keyword=keyword, test=test, body=body):
                self.structure.append(Why("control_flow", keyword))
                nodes = (test, body) if test else (body,)
            case Function(name=name, body=body):
                self.structure.append(Why("function", name))
                nodes = (body,)
            case Other(why=why, parts=nodes):
                self.structure.append(why)
            case _:
                nodes = ()
        for each in nodes:
            places = _union(places, *self.node(each, places))
        return places, places

    # One command

    def _simple(self, simple: Simple, places: Places) -> tuple[Places, Places]:
        problem = self._problem(simple)
        argv, unknown = self._arguments(simple.words, places)
        words = tuple(word.value if word.value is not None else None for word in simple.words)
        redirect_asks = self._redirect_reads(simple.redirects, places)
        name = argv[0] if argv else ""
        if problem or unknown or not argv:
            plain = problem is None and (unknown is None or unknown.id in ("expansion", "pattern")) and bool(argv)
            why = problem or unknown or Why("odd_redirection", simple.text)
            if plain and simple.words[0].value == "echo" and all(map(_is_open, simple.words)):
                why = None
            self._add(simple, words, why, redirect_asks, plain=plain)
            return (("",), places) if name in _MOVERS or not plain else (places, places)
        reads = what_it_reads(argv)
        if isinstance(reads, Reads):
            reads = self._choosers(reads, places) or reads
        if isinstance(reads, Why):
            self._add(simple, tuple(argv), reads, redirect_asks)
            return (("",), places) if name in _MOVERS else (places, places)
        asks = list(self._judge(reads, places))
        self._add(simple, tuple(argv), None, [*redirect_asks, *asks], reads, places)
        if reads.moves_to is None:
            return places, places
        return self._moved(reads.moves_to, places), places

    def _add(
        self,
        simple: Simple,
        words: tuple[str | None, ...],
        why: Why | None,
        asks: Sequence[Ask],
        reads: Reads | None = None,
        places: Places = (),
        *,
        plain: bool = True,
    ) -> None:
        """Note the command; `reads` with the places it may happen in, for rules about paths."""
        files = [(each.path, place) for each in reads.files for place in places] if reads else []
        files += [
            (redirect.target.value, place)
            for redirect in simple.redirects
            for place in places
            if redirect.op == "<" and redirect.target and redirect.target.value
        ]
        trees = [(place, each) for each in reads.trees for place in places] if reads else []
        self.parts.append(
            Judged(
                text=simple.text,
                words=words,
                why=why,
                asks=tuple(dict.fromkeys(asks)),
                reads=tuple(files),
                trees=tuple(trees),
                plain=plain,
            )
        )

    def _problem(self, simple: Simple) -> Why | None:
        """Why more than the program decides what happens; None if nothing does."""
        if simple.odd is not None:
            return simple.odd
        if simple.nested:
            return Why("substitution")
        for assignment in simple.assignments:
            value = assignment.value.value
            inert = assignment.name in _INERT_ASSIGNMENTS and value is not None and not value.startswith((":", "/", "."))
            if not inert or not simple.words or assignment.is_array:
                return Why("assignment", assignment.name)
        return next(filter(None, map(_redirect_problem, simple.redirects)), None)

    def _arguments(self, words: Sequence[Word], places: Places) -> tuple[list[str], Why | None]:
        """What the program gets, file name patterns replaced by what they match now."""
        argv: list[str] = []
        for word in words:
            if word.value is None:
                if not argv:
                    return [word.text], Why("computed_program", word.text)
                hole = word.hole
                kind = "expansion" if hole and hole.kind == "variable" else "substitution"
                return [*argv, word.text], Why(kind, word.text)
            if word.glob is None:
                argv.append(word.value)
                continue
            if not argv:
                return [word.value], Why("computed_program", word.text)
            matched = expand(word.glob, places[0], self._files) if len(places) == 1 and places[0] else None
            if matched is None:
                return [*argv, word.value], Why("pattern", word.text)
            self._plain_names |= matched.plain
            if any(self._judge_file(File(name, content=False), places[0]) for name in matched.names):
                return [*argv, word.value], Why("outside", word.text)
            argv += matched.names or (word.value,)
        return argv, None

    # What it reads

    def _choosers(self, reads: Reads, places: Places) -> Why | None:
        """Files that decide what a reading command would run: a repository's settings, a toolchain's version file."""
        for place in places:
            if reads.repository is not None:
                directory = paths.resolve(reads.repository, place or "/", str(self._scope.home), self._files)
                if not place or (named := programs_named(directory, self._files)):
                    return Why("repository_programs", named if place else reads.repository)
            for name in reads.chooser_files:
                above = (place, *map(str, paths.parents_of(place)))
                if not place or any(self._files.exists(f"{each.rstrip('/')}/{name}") for each in above):
                    return Why("chosen_version", name)
        return None

    def _judge(self, reads: Reads, places: Places) -> Iterator[Ask]:
        for place in places:
            if reads.repository is not None and not paths.is_free(place, self._scope):
                yield Ask(place or ".", Why("outside", place or "."), one_file=False)
            for file in reads.files:
                if why := self._judge_file(file, place):
                    searched = any(file.path == tree.path for tree in reads.trees)
                    yield Ask(file.path, why, one_file=file.content and not searched)
            for tree in reads.trees:
                why = paths.judge_tree(
                    tree.path, place, self._scope, self._files, hidden=tree.hidden, follow=tree.follows
                )
                if why:
                    yield Ask(tree.path, why, one_file=False)

    def _judge_file(self, file: File, place: str) -> Why | None:
        if not place:
            return None if file.path == "/dev/null" else Why("outside", file.path)
        if file.path in self._plain_names and not file.path.startswith("/") and ".." not in file.path:
            if not paths.is_free(place, self._scope):
                return Why("outside", file.path)
            return Why("secret", file.path) if file.content and paths.is_secret(f"{place}/{file.path}") else None
        return paths.judge_read(file.path, place, self._scope, self._files, content=file.content)

    def _moved(self, target: str, places: Places) -> Places:
        """Where `cd` leads. Through a link, the shell and the kernel disagree on what `..` then is: nobody knows."""
        moved: list[str] = []
        for place in places:
            home = str(self._scope.home)
            real = paths.resolve(target, place, home, self._files) if place else ""
            moved.append(real if real == paths.absolute(target, place or "/", home) else "")
        return _union(tuple(moved))

    def _redirect_reads(self, redirects: Sequence[Redirect], places: Places) -> list[Ask]:
        asks: list[Ask] = []
        for redirect in redirects:
            if redirect.op != "<" or redirect.target is None or redirect.target.value is None:
                continue
            for place in places:
                if why := self._judge_file(File(redirect.target.value), place):
                    asks.append(Ask(redirect.target.value, why))
        return asks

    def _judge_redirects(self, redirects: Sequence[Redirect], places: Places) -> None:
        """Redirections of a whole group: nothing to note if they are harmless."""
        problem = next(filter(None, map(_redirect_problem, redirects)), None)
        asks = self._redirect_reads(redirects, places)
        if problem or asks:
            text = " ".join(f"{each.fd}{each.op} {each.target.text if each.target else ''}" for each in redirects)
            self.parts.append(Judged(text=text, words=(), why=problem, asks=tuple(asks), plain=False))


def _redirect_problem(redirect: Redirect) -> Why | None:
    """Reading a file, `/dev/null`, and copies of descriptors are no problem."""
    target = redirect.target
    if redirect.op in ("<<", "<<<", "<<-"):
        return Why("heredoc")
    if target is None:
        return None if redirect.op in (">&-", "<&-") else Why("odd_redirection", redirect.op)
    if target.value is None:
        return Why("redirection", target.text) if redirect.op in _WRITING else Why("substitution")
    if target.glob is not None:
        return Why("redirection", target.text)
    if redirect.op in (">&", "<&") and target.value.isascii() and target.value.isdigit():
        return None
    if redirect.op in _WRITING:
        return None if target.value == "/dev/null" else Why("redirection", target.value)
    return None if redirect.op == "<" else Why("odd_redirection", target.text)


def _is_open(word: Word) -> bool:
    """Whether `echo` may print the word: text, and variables that hold nothing worth hiding."""
    return all(
        piece.kind == "text" or (piece.kind == "variable" and piece.text in _OPEN_VARIABLES) for piece in word.pieces
    ) or (word.value is not None and word.glob is None)


def _union(*places: Places) -> Places:
    together = tuple(dict.fromkeys(place for each in places for place in each))
    return together if len(together) <= MAX_PLACES else ("",)
