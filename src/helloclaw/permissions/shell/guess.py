"""What words could become when the shell expands them, guessed from the text alone. Only for finding what is denied.

A variable that nobody set in the text counts as empty (`r${x}m` is `rm`), a command's output as unknown, unless it is
`echo`, `printf`, `cat` or one of their kind with a known text. A guess never makes anything pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import dropwhile

from helloclaw.permissions.shell.budget import Budget
from helloclaw.permissions.shell.inert import FEEDING
from helloclaw.permissions.shell.launch import launched
from helloclaw.permissions.shell.printed import printed
from helloclaw.permissions.shell.script import Node, Pipeline, Simple, Statements, children
from helloclaw.permissions.shell.words import Piece, Word, read_word

Parse = Callable[[str], Statements]

MAX_DEPTH = 10
# Characters that are put together for the price of a word.
_PER_UNIT = 32

_DEFAULT = re.compile(r"!?[\w@*#]+(?:\[[^]]*\])?:?[-=+](.*)", re.DOTALL)
_NAME_OF = re.compile(r"[!#]?(\w+|[@*])")
_ALL_ELEMENTS = re.compile(r"[@*]|\w+\[[@*]\]")
BEFORE_COMMANDS = frozenset({"", "{", "(", "!", "if", "then", "elif", "else", "while", "until", "do"})
_SPLIT_KINDS = ("variable", "expansion", "command")


class Guesser:
    """Guesses for one command line, given the variables that were set in it so far, positional ones included.

    All of it may raise `TooMuch`.
    """

    def __init__(self, parse: Parse, home: str, budget: Budget) -> None:
        self._parse = parse
        self._home = home
        self._budget = budget
        self._depth = 0

    # Words

    def fields(self, word: Word, variables: Mapping[str, str]) -> list[str]:
        """The words that one word may become: none if it vanishes, several if what it stands for is split."""
        if word.value is not None:
            return [word.value]
        separators = re.compile(f"[\\s{re.escape(variables.get('IFS', ''))}]+")
        fields = [""]
        for piece in word.pieces:
            said = self._said(piece, variables)
            self._budget.spend(1 + len(said) // _PER_UNIT)
            splits = piece.kind in _SPLIT_KINDS and (not piece.quoted or _ALL_ELEMENTS.fullmatch(piece.text))
            first, *more = separators.split(said) if splits else (said,)
            fields[-1] += first
            fields += more
        keeps_empty = any(piece.quoted and not _ALL_ELEMENTS.fullmatch(piece.text) for piece in word.pieces)
        return fields if keeps_empty else list(filter(None, fields))

    def words(self, simple: Simple, variables: Mapping[str, str]) -> list[str]:
        """The words of a command, without what the grammar sometimes takes for the command itself (`! { …; }`)."""
        fields = [field for word in simple.words for field in self.fields(word, variables)]
        return list(dropwhile(lambda word: word in BEFORE_COMMANDS, fields))

    def text(self, word: Word, variables: Mapping[str, str]) -> str:
        """What a word may become where nothing is split, as in an assignment."""
        if word.value is not None:
            return word.value
        said: list[str] = []
        for piece in word.pieces:
            said.append(self._said(piece, variables))
            self._budget.spend(1 + len(said[-1]) // _PER_UNIT)
        return "".join(said)

    def _said(self, piece: Piece, variables: Mapping[str, str]) -> str:
        match piece.kind:
            case "text" | "glob":
                return piece.text
            case "tilde":
                return self._home if piece.text == "~" else piece.text
            case "variable":
                return _value(piece.text, variables)
            case "expansion":
                return self._expansion(piece.text, variables)
            case "command":
                return self.output(self._parsed(piece.text), variables) or ""
            case "process" | "unknown":
                return ""

    def _expansion(self, text: str, variables: Mapping[str, str]) -> str:
        """`${x:-rm}` and its like: what is written there, if the variable has no value."""
        named = _NAME_OF.match(text)
        value = _value(named[1], variables) if named else ""
        if named and named.end() == len(text):
            return variables.get(value, "") if text.startswith("!") else value
        if match := _DEFAULT.fullmatch(text):
            return value or self.text(read_word(match[1], self._home), variables)
        return value

    def _parsed(self, text: str) -> Statements:
        if self._depth >= MAX_DEPTH:
            return Statements(())
        self._depth += 1
        try:
            return self._parse(text)
        finally:
            self._depth -= 1

    # What is printed, and what is fed from one command to the next

    def output(self, node: Node, variables: Mapping[str, str], stdin: str | None = None) -> str | None:
        """What a statement may print; None if that can't be told."""
        self._budget.spend(1)
        if self._depth >= MAX_DEPTH:
            return None
        self._depth += 1
        try:
            return self._output(node, variables, stdin)
        finally:
            self._depth -= 1

    def _output(self, node: Node, variables: Mapping[str, str], stdin: str | None) -> str | None:
        match node:
            case Pipeline(stages=stages):
                for stage in stages:
                    stdin = self.output(stage, variables, stdin)
                return stdin
            case Simple():
                words = self.words(node, variables)
                return self._printed(words, self.fed(node, variables, stdin), variables) if words else None
            case _:
                all_printed = (self.output(each, variables, stdin) for each in children(node))
                known = [each for each in all_printed if each is not None]
                return "\n".join(known) if known else None

    def _printed(self, words: Sequence[str], stdin: str | None, variables: Mapping[str, str]) -> str | None:
        """What a command prints, or what it starts (`time echo …`, `sh -c 'echo …'`)."""
        self._budget.spend(len(words) + len(stdin or "") // _PER_UNIT)
        said = printed(words, stdin)
        if said is not None or self._depth >= MAX_DEPTH:
            return said
        self._depth += 1
        try:
            for inner in launched(words, stdin):
                if isinstance(inner, str):
                    said = self.output(self._parsed(inner), variables, stdin)
                elif inner:
                    said = self._printed(inner, stdin, variables)
                if said is not None:
                    return said
            return None
        finally:
            self._depth -= 1

    def fed(self, simple: Simple, variables: Mapping[str, str], stdin: str | None) -> str | None:
        """What the command reads on its standard input, or from a process substitution among its words."""
        for redirect in simple.redirects:
            if redirect.target is None:
                continue
            if redirect.op in FEEDING:
                stdin = self.text(redirect.target, variables)
            elif redirect.op == "<":
                stdin = self._process(redirect.target, variables) or stdin
        for word in simple.words:
            stdin = self._process(word, variables) or stdin
        return stdin

    def _process(self, word: Word, variables: Mapping[str, str]) -> str | None:
        piece = next((piece for piece in word.pieces if piece.kind == "process"), None)
        return self.output(self._parsed(piece.text), variables) if piece else None


def _value(name: str, variables: Mapping[str, str]) -> str:
    return variables.get(name, " " if name == "IFS" else "")
