"""Looking through a whole command line for what is denied: every branch, every nesting, in every spelling.

The walk keeps what the text itself tells: variables it sets, functions it defines, texts it feeds from one command to
the next, directories it changes to. It errs towards finding too much, and has no part in proving anything harmless.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile

from helloclaw.permissions import paths
from helloclaw.permissions.files import Files
from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.budget import Budget, TooMuch
from helloclaw.permissions.shell.code import is_interpreter
from helloclaw.permissions.shell.danger import danger, is_device, program_name
from helloclaw.permissions.shell.fork_bombs import calls_itself_apart, forks_endlessly, leaves_processes, never_ends
from helloclaw.permissions.shell.guess import BEFORE_COMMANDS, Guesser
from helloclaw.permissions.shell.launch import SHELLS, launched
from helloclaw.permissions.shell.parse import parse
from helloclaw.permissions.shell.programs import PROGRAMS
from helloclaw.permissions.shell.readings import other_readings, shards
from helloclaw.permissions.shell.screen import too_much
from helloclaw.permissions.shell.script import (
    Function,
    Loop,
    Node,
    Pipeline,
    Redirect,
    Redirected,
    Script,
    Simple,
    children,
)
from helloclaw.permissions.shell.writers import written_paths
from helloclaw.permissions.verdict import Scope

# Twice what the dearest of a thousand programs fed to an interpreter took, as people write them.
MAX_WORK = 100_000
MAX_NESTING = 12
MAX_LOOP_VALUES = 16
MAX_POSITIONALS = 20

# What these cost: a command, each of its words, a path that is written, from one directory. Of a text, and of what is
# copied, so much for one unit.
_COMMAND_WORK = 8
_WORD_WORK = 3
_PATH_WORK = 8
_TEXT_PER_UNIT = 4
_COPIED_PER_UNIT = 16

_CONTROLS_IN_CODE = re.compile(
    r"\.hooks\.(?:json|disabled)|\.claude\b|\.helloclaw/(?:config\.json|\.env|trust|permissions)", re.IGNORECASE
)
# Variables whose values other programs run.
_RUN_BY_OTHERS = re.compile(
    r"COMMAND|CMD|PAGER|EDITOR|VISUAL|OPEN|CLOSE|SHELL|BROWSER|ASKPASS|^PS[0-4]$|ENV$|RSH|SSH|EXEC|HOOK|OPT"
)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.DOTALL)
_READING_OPS = ("<", "<<", "<<<", "<&", "<<-")


class Hunt:
    """One search. `denials` are what was found, with the command line's part it was found in. `own`: how many of the
    `commands` come from the text as it is put together, and not from reading it in other ways."""

    def __init__(self, scope: Scope, files: Files) -> None:
        self.denials: list[tuple[str, Why]] = []
        self.commands: list[tuple[str, ...]] = []
        self.written: list[str] = []
        self.own = 0
        self._scope = scope
        self._files = files
        self._home = str(scope.home)
        self._budget = Budget(MAX_WORK)
        self._scripts: dict[str, Script] = {}
        self._guess = Guesser(lambda text: self._parsed(text).body, self._home, self._budget)
        self._variables: dict[str, str] = {}
        self._functions: dict[str, Node] = {}
        self._calling: set[str] = set()
        self._directories = [str(scope.cwd)]
        self._nesting = 0
        self._part = ""
        self._lost = False
        self._seen: set[tuple[str, str | None]] = set()

    def whole(self, text: str, script: Script, *, broken: bool) -> None:
        """Look through the whole command line. `broken`: the grammar may have read it wrongly."""
        try:
            self.node(script.body)
            self.own = len(self.commands)
            for other in (*other_readings(text), *(shards(text) if broken else ())):
                self.text(other)
        except TooMuch:
            self._deny("", Why("too_much"))

    def text(self, text: str, stdin: str | None = None) -> None:
        """Look through shell text that something would run. Raises `TooMuch`, as all that it calls."""
        if (text, stdin) in self._seen or self._is_lost():
            return
        self._seen.add((text, stdin))
        self._nesting += 1
        try:
            script = self._parsed(text)
            self.node(script.body, stdin)
            others = other_readings(text)
            if any(problem.id == "not_understood" for problem in script.problems):
                others += shards(text)
            for other in others:
                self.text(other, stdin)
        finally:
            self._nesting -= 1

    def _parsed(self, text: str) -> Script:
        """The structure of a text within, each read only once."""
        if (script := self._scripts.get(text)) is None:
            self._budget.spend(_COMMAND_WORK + len(text) // _TEXT_PER_UNIT)
            if too_much(text, times=2):  # program code, taken for shell text, is full of parentheses
                raise TooMuch
            script = self._scripts[text] = parse(text, self._home)
        return script

    def _is_lost(self) -> bool:
        """Whether it is nested more deeply than is looked into. Nobody has to write such a thing, so it is denied."""
        lost = self._nesting >= MAX_NESTING
        if lost and not self._lost:
            self._lost = True
            self._deny("", Why("too_much"))
        return lost

    def node(self, node: Node, stdin: str | None = None) -> None:
        self._budget.spend(1)
        if self._is_lost():
            return
        match node:
            case Simple():
                self._simple(node, stdin)
            case Pipeline(stages=stages):
                matters = not all(map(_only_reads, stages[1:]))
                for stage in stages:
                    self.node(stage, stdin)
                    stdin = self._guess.output(stage, self._variables, stdin) if matters else None
            case Redirected(body=body, redirects=redirects):
                fed = self._guess.fed(Simple(text="", redirects=redirects), self._variables, stdin)
                self._redirects(redirects)
                self.node(body, fed)
            case Loop():
                self._loop(node, stdin)
            case _:
                if isinstance(node, Function):
                    self._functions[node.name] = node.body
                    if calls_itself_apart(node.name, node.body):
                        self._deny(node.name, Why("fork_bomb"))
                for each in children(node):
                    self.node(each, stdin)

    def _deny(self, part: str, why: Why) -> None:
        self.denials.append((self._part or part or "…", why))

    def _loop(self, loop: Loop, stdin: str | None) -> None:
        if loop.test is not None:
            self.node(loop.test, stdin)
        if never_ends(loop) and leaves_processes(loop.body):
            self._deny(loop.keyword, Why("fork_bomb"))
        values = [field for word in loop.values for field in self._guess.fields(word, self._variables)]
        if not loop.variable or not values:
            self.node(loop.body, stdin)
        for value in values[:MAX_LOOP_VALUES]:
            self._variables[loop.variable] = value
            self.node(loop.body, stdin)

    def _simple(self, simple: Simple, stdin: str | None) -> None:
        outermost = not self._part
        if outermost:
            self._part = simple.text
        try:
            for nested in simple.nested:
                self.node(nested)
            for word in simple.words:
                for piece in word.pieces:
                    if piece.kind == "unknown" and piece.text.startswith("("):  # `$((` may be a subshell after all
                        self.text(piece.text)
            stdin = self._guess.fed(simple, self._variables, stdin)
            self._redirects(simple.redirects)
            words = self._guess.words(simple, self._variables)
            self._assign(simple)
            self.command(words, stdin)
            if simple.assignments and (again := self._guess.words(simple, self._variables)) != words:
                self.command(again, stdin)  # as if they were two commands, which the grammar can get wrong
        finally:
            if outermost:
                self._part = ""

    def _assign(self, simple: Simple) -> None:
        for assignment in simple.assignments:
            value = self._guess.text(assignment.value, self._variables)
            self._variables[assignment.name] = value
            if " " in value and _RUN_BY_OTHERS.search(assignment.name):
                self.text(value)

    def command(self, words: Sequence[str], stdin: str | None) -> None:
        """Look at one command that would run, and at all that it would run in turn."""
        words = self._after_assignments(list(dropwhile(lambda word: word in BEFORE_COMMANDS, words)))
        if not words or self._is_lost():
            return
        self._budget.spend(_COMMAND_WORK + _WORD_WORK * len(words))
        self.commands.append(tuple(words))
        if why := danger(words):
            self._deny(" ".join(words), why)
        self._writes(words, stdin)
        self._shell_state(words)
        self._nesting += 1
        try:
            self._call(words, stdin)
            for inner in launched(words, stdin):
                if isinstance(inner, str):
                    self._with_positionals(words, inner)
                elif inner:
                    self.command(inner, stdin)
        finally:
            self._nesting -= 1

    def _after_assignments(self, words: list[str]) -> list[str]:
        """The command behind `time x=1 …`, where the grammar takes assignments for arguments."""
        while words and (match := _ASSIGNMENT.fullmatch(words[0])):
            self._variables[match[1]] = match[2]
            del words[0]
        return words

    def _with_positionals(self, words: Sequence[str], text: str) -> None:
        """Shell text whose `$0 $1 … $@` are the words behind it, as in `sh -c '"$@"' _ rm -r x`."""
        before = dict(self._variables)
        self._budget.spend((len(before) + len(words)) // _COPIED_PER_UNIT)
        if text in words:
            behind = words[words.index(text) + 1 :]
            self._variables |= {str(index): each for index, each in enumerate(behind[:MAX_POSITIONALS])}
            self._variables |= {"@": " ".join(behind[1:]), "*": " ".join(behind[1:])}
        self.text(text)
        self._variables = before

    def _call(self, words: Sequence[str], stdin: str | None) -> None:
        """A function that the text itself defines, with the arguments it is called with."""
        body = self._functions.get(words[0])
        if body is None or words[0] in self._calling:
            return
        before = dict(self._variables)
        self._variables |= {str(index): each for index, each in enumerate(words[:MAX_POSITIONALS])}
        self._variables |= {"@": " ".join(words[1:]), "*": " ".join(words[1:])}
        self._calling.add(words[0])
        self.node(body, stdin)
        self._calling.discard(words[0])
        self._variables = before

    def _shell_state(self, words: Sequence[str]) -> None:
        match words:
            case ["cd" | "pushd", *_, target] if not target.startswith("-"):
                self._budget.spend(_PATH_WORK)
                self._directories += [
                    paths.resolve(target, each, self._home, self._files) for each in self._directories[-4:]
                ]
            case ["set", "--", *positional]:
                self._variables |= {str(index + 1): each for index, each in enumerate(positional[:MAX_POSITIONALS])}
                self._variables |= {"@": " ".join(positional), "*": " ".join(positional)}
            case _:
                pass

    # Writing

    def _redirects(self, redirects: Sequence[Redirect]) -> None:
        for redirect in redirects:
            if redirect.op in _READING_OPS or redirect.target is None:
                continue
            for target in self._guess.fields(redirect.target, self._variables):
                self._written(target)

    def _writes(self, words: Sequence[str], stdin: str | None) -> None:
        name = program_name(words[0])
        for path in written_paths(name, words[1:]):
            self._written(path, moved=name in ("mv", "ln"))
        if is_interpreter(name) or name in SHELLS:
            for text in (*words[1:], stdin or ""):
                if is_interpreter(name) and (found := _CONTROLS_IN_CODE.search(text)) and _is_code(text):
                    self._deny(name, Why("writes_controls", found.group()))
                if forks_endlessly(text):
                    self._deny(name, Why("fork_bomb"))

    def _written(self, path: str, *, moved: bool = False) -> None:
        if is_device(path):
            self._deny(path, Why("writes_device", path))
        for directory in dict.fromkeys(self._directories):
            self._budget.spend(_PATH_WORK)
            plain = paths.absolute(path, directory, self._home)
            self.written.append(plain)
            real = paths.resolve(path, directory, self._home, self._files)
            if any(paths.is_control(each, self._scope) for each in {plain, real}) or _could_be_control(plain):
                self._deny(path, Why("writes_controls", path))
                return
            if moved and (paths.holds_controls(plain, self._scope) or paths.holds_controls(real, self._scope)):
                self._deny(path, Why("writes_controls", path))
                return
            if is_device(real):
                self._deny(path, Why("writes_device", path))
                return


def _only_reads(stage: Node) -> bool:
    """Whether a stage of a pipeline runs nothing of what it is fed."""
    return isinstance(stage, Simple) and bool(stage.words) and stage.words[0].value in PROGRAMS


def _is_code(text: str) -> bool:
    return any(mark in text for mark in "'\"`(>! ")


def _could_be_control(path: str) -> bool:
    """Whether a pattern such as `.hook*` could match a control."""
    if not any(mark in path for mark in "*?["):
        return False
    return any(paths.pattern_matches_control(component) for component in path.split("/"))
