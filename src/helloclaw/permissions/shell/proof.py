"""Proving a command line harmless, part by part: that each command only reads, and that what it reads is free to read.

What can't be proven is no accusation. It is left for a rule or a person to allow; `plain` says if a rule may, by the
beginning of the command alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from helloclaw.permissions.files import Files
from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell import script as tree
from helloclaw.permissions.shell.expressions import sed_script
from helloclaw.permissions.shell.feeding import Listed, names_listed, xargs_reads
from helloclaw.permissions.shell.inert import may_print, problem_of, redirect_problem
from helloclaw.permissions.shell.read_judge import Ask, Places, ReadJudge, union
from helloclaw.permissions.shell.readonly import is_reader, what_it_reads
from helloclaw.permissions.shell.reads import File, Reads, Tree
from helloclaw.permissions.shell.script import Node, Redirect, Script, Simple, children
from helloclaw.permissions.shell.second_reading import Run, read_runs
from helloclaw.permissions.shell.words import Word
from helloclaw.permissions.tables import names
from helloclaw.permissions.verdict import Scope


class Judged(Struct, frozen=True, kw_only=True):
    """One command. `words` are what the program gets, None where that is not known beforehand.

    `why` is the reason it is not proven to only read; None if it is. `asks` are reads that are not free, `reads` and
    `trees` all that are known, relative to any of `places`. `plain`: nothing but the program decides what happens, so
    that a rule for the program can vouch for it.
    """

    text: str
    words: tuple[str | None, ...]
    why: Why | None
    asks: tuple[Ask, ...] = ()
    reads: tuple[str, ...] = ()
    trees: tuple[Tree, ...] = ()
    places: Places = ()
    plain: bool = True


class Proof(Struct, frozen=True, kw_only=True):
    """The whole line. `structure` are the reasons that lie in how it is put together, not in one command."""

    parts: tuple[Judged, ...]
    structure: tuple[Why, ...]


def prove(text: str, script: Script, scope: Scope, files: Files) -> Proof:
    prover = _Prover(scope, files, hands_on="xargs" in text)
    prover.node(script.body, (str(scope.cwd),))
    structure = [*script.problems, *prover.structure]
    if not structure and not script.plain:
        again = read_runs(text.encode("utf-8", "replace"))
        if again is None:
            structure.append(Why("beyond_plain"))
        elif again != tuple(_runs(script.body)):
            structure.append(Why("ambiguous"))
    return Proof(parts=tuple(prover.parts), structure=tuple(structure))


def _runs(node: Node) -> Iterator[Run]:
    """The commands as the second reading would have to find them, word for word."""
    if isinstance(node, Simple):
        yield Run(node.spans, tuple(redirect.span for redirect in node.redirects))
        return
    for each in children(node):
        yield from _runs(each)
    if isinstance(node, tree.Redirected):
        yield Run((), tuple(redirect.span for redirect in node.redirects))


# Builtins after which the shell may be anywhere.
_MOVERS = names("cd pushd popd eval source . builtin command exec")


class _Prover:
    """Walks through the statements. Each tells where the shell may be after it succeeded, and after it failed."""

    def __init__(self, scope: Scope, files: Files, *, hands_on: bool) -> None:
        """`hands_on`: names that are listed may be handed on as arguments."""
        self.parts: list[Judged] = []
        self.structure: list[Why] = []
        self._hands_on = hands_on
        self._fed: Listed | None = None
        self._judge = ReadJudge(scope, files)

    def node(self, node: Node, places: Places) -> tuple[Places, Places]:
        match node:
            case Simple():
                return self._simple(node, places)
            case tree.Statements(items=items):
                return self._sequence(items, places)
            case tree.AndOr(first=first, rest=rest):
                return self._and_or(first, rest, places)
            case tree.Pipeline(stages=stages):
                self._pipeline(stages, places)
                return places, places
            case tree.Negation(body=body):
                succeeded, failed = self.node(body, places)
                return failed, succeeded
            case tree.Group(body=body, subshell=subshell):
                after = self.node(body, places)
                return (places, places) if subshell else after
            case tree.Redirected(body=body, redirects=redirects):
                after = self.node(body, places)
                self._group_redirects(redirects, union(places, *after))
                return after
            case _:
                return self._structure(node, places)

    def _sequence(self, items: Sequence[Node], places: Places) -> tuple[Places, Places]:
        succeeded = failed = places
        for item in items:
            succeeded, failed = self.node(item, union(succeeded, failed))
        return succeeded, failed

    def _and_or(self, first: Node, rest: Sequence[tuple[str, Node]], places: Places) -> tuple[Places, Places]:
        succeeded, failed = self.node(first, places)
        for op, node in rest:
            after = self.node(node, succeeded if op == "&&" else failed)
            if op == "&&":
                succeeded, failed = after[0], union(failed, after[1])
            else:
                succeeded, failed = union(succeeded, after[0]), after[1]
        return succeeded, failed

    def _pipeline(self, stages: Sequence[Node], places: Places) -> None:
        """Each stage is in a process of its own; `xargs` may get the names that those before it list."""
        fed: Listed | None = None
        for stage in stages:
            self._fed, before = fed, len(self.parts)
            self.node(stage, places)
            if not self._hands_on:
                continue
            known = self.parts[-1] if len(self.parts) == before + 1 and isinstance(stage, Simple) else None
            words = [word for word in known.words if word is not None] if known and known.why is None else []
            fed = names_listed(words, fed) if words else None
        self._fed = None

    def _structure(self, node: Node, places: Places) -> tuple[Places, Places]:
        """Statements of which only the commands within are judged; all but `if` are a reason to ask by themselves."""
        match node:
            case tree.Background():
                self.structure.append(Why("background"))
            case tree.Loop(keyword=keyword):
                self.structure.append(Why("control_flow", keyword))
            case tree.Function(name=name):
                self.structure.append(Why("function", name))
            case tree.Other(why=why):
                self.structure.append(why)
            case _:
                pass
        for each in children(node):
            places = union(places, *self.node(each, places))
        return places, places

    # One command

    def _simple(self, simple: Simple, places: Places) -> tuple[Places, Places]:
        fed = list(self._judge.redirects(simple.redirects, places))
        problem = problem_of(simple)
        argv, unknown = self._arguments(simple.words, places)
        nowhere = ("",) if not argv or argv[0] in _MOVERS else places
        if problem or unknown or not argv:
            self._unknown(simple, problem, unknown, fed, places)
            return nowhere, places
        feeds_names = self._fed is not None and argv[0] == "xargs" and not simple.redirects
        reads = xargs_reads(argv[1:], self._fed, what_it_reads) if self._fed and feeds_names else what_it_reads(argv)
        if isinstance(reads, Reads):
            reads = self._judge.named_programs(reads, places) or reads
        if isinstance(reads, Why):
            if is_reader(argv[0]):
                script = sed_script(argv[1:]) if argv[0] == "sed" else None
                operands = [word for word in argv[1:] if not word.startswith("-") and word != script]
                named = Reads(files=tuple(map(File, operands)))
                fed += self._judge.asks(named, places)
            self._add(simple, argv, reads, fed, Reads(), places)
            return nowhere, places
        self._add(simple, argv, None, [*fed, *self._judge.asks(reads, places)], reads, places)
        return places if reads.moves_to is None else self._judge.moved(reads.moves_to, places), places

    def _unknown(
        self, simple: Simple, problem: Why | None, unknown: Why | None, fed: list[Ask], places: Places
    ) -> None:
        """Note a command of which the text does not tell everything."""
        words = tuple(word.value for word in simple.words)
        named = bool(words) and words[0] is not None and simple.words[0].glob is None
        passable = unknown is None or (
            unknown.id in ("expansion", "pattern", "outside") and not is_reader(words[0] or "")
        )
        plain = problem is None and named and passable
        why = problem or unknown or Why("odd_redirection", simple.text)
        if plain and words[0] == "echo" and all(map(may_print, simple.words)):
            self._add(simple, words, None, fed, Reads(), places)
        else:
            self._add(simple, words, why, fed, Reads(), places, plain=plain)

    def _add(
        self,
        simple: Simple,
        words: Sequence[str | None],
        why: Why | None,
        asks: Sequence[Ask],
        reads: Reads,
        places: Places,
        *,
        plain: bool = True,
    ) -> None:
        fed = [each.target.value for each in simple.redirects if each.op == "<" and each.target and each.target.value]
        self.parts.append(
            Judged(
                text=simple.text,
                words=tuple(words),
                why=why,
                asks=tuple(dict.fromkeys(asks)),
                reads=(*(each.path for each in reads.files), *fed),
                trees=reads.trees,
                places=places,
                plain=plain,
            )
        )

    def _arguments(self, words: Sequence[Word], places: Places) -> tuple[list[str], Why | None]:
        """What the program gets, file name patterns replaced by what they match now."""
        argv: list[str] = []
        for word in words:
            if not argv and (word.value is None or word.glob is not None):
                return [], Why("computed_program", word.text)
            if word.value is None:
                known = word.hole is not None and word.hole.kind == "variable"
                return argv, Why("expansion" if known else "substitution", word.text)
            if word.glob is None:
                argv.append(word.value)
                continue
            matched = self._judge.match(word, places)
            if isinstance(matched, Why):
                return argv, matched
            argv += matched or (word.value,)
        return argv, None

    def _group_redirects(self, redirects: Sequence[Redirect], places: Places) -> None:
        """Redirections of a whole group: nothing to note if they are harmless."""
        problem = next(filter(None, map(redirect_problem, redirects)), None)
        asks = tuple(self._judge.redirects(redirects, places))
        if problem or asks:
            text = " ".join(f"{each.fd}{each.op} {each.target.text if each.target else ''}" for each in redirects)
            self.parts.append(Judged(text=text, words=(), why=problem, asks=asks, places=places, plain=False))
