"""What words could become when the shell expands them, guessed from the text alone. Only for finding what is denied.

A variable that nobody set in the text counts as empty (`r${x}m` is `rm`), a command's output as unknown, unless it is
`echo`, `printf`, `cat` or one of their kind with a known text. A guess never makes anything pass.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping, Sequence

from helloclaw.permissions.shell.script import AndOr, Group, Node, Pipeline, Simple
from helloclaw.permissions.shell.script import Sequence as Statements
from helloclaw.permissions.shell.words import Piece, Word, read_word, split_pieces

Parse = Callable[[str], Statements]

MAX_DEPTH = 6

_DEFAULT = re.compile(r"!?[\w@*#]+(?:\[[^]]*\])?:?[-=+](.*)", re.DOTALL)
_NAME_OF = re.compile(r"[!#]?(\w+|[@*])")
_FORMAT = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[sbqdiuxXc]|%%")


class Guesser:
    """Guesses for one command line. `variables` are those that were set in it so far; positional ones included."""

    def __init__(self, parse: Parse, home: str) -> None:
        self._parse = parse
        self._home = home
        self._depth = 0

    def fields(self, word: Word, variables: Mapping[str, str]) -> list[str]:
        """The words that one word may become: none if it vanishes, several if what it stands for is split."""
        if word.value is not None:
            return [word.value]
        return self.split(word.pieces, variables)

    def text(self, word: Word, variables: Mapping[str, str]) -> str:
        """What a word may become where nothing is split, as in an assignment."""
        return word.value if word.value is not None else " ".join(self.split(word.pieces, variables, whole=True))

    def split(self, pieces: Sequence[Piece], variables: Mapping[str, str], *, whole: bool = False) -> list[str]:
        fields: list[str] = []
        current: str | None = None
        for piece in pieces:
            said = self._said(piece, variables)
            splits = not whole and not piece.quoted and piece.kind in ("variable", "expansion", "command")
            if not splits and not (piece.text in ("@", "*") or "[@]" in piece.text):
                current = (current or "") + said
                continue
            separators = variables.get("IFS", "")
            parts = re.split(f"[\\s{re.escape(separators)}]+", said) if said else []
            for index, part in enumerate(parts):
                if index:
                    fields += [current] if current else []
                    current = part
                else:
                    current = (current or "") + part
        return (
            [*fields, current] if current is not None and (current or any(piece.quoted for piece in pieces)) else fields
        )

    def _said(self, piece: Piece, variables: Mapping[str, str]) -> str:
        match piece.kind:
            case "text" | "glob":
                return piece.text
            case "tilde":
                return self._home if piece.text == "~" else piece.text
            case "variable":
                return variables.get(piece.text, " " if piece.text == "IFS" else "")
            case "expansion":
                return self._expansion(piece.text, variables)
            case "command":
                return self.output(self.parsed(piece.text), variables) or ""
            case _:
                return ""

    def _expansion(self, text: str, variables: Mapping[str, str]) -> str:
        """`${x:-rm}` and its like: what is written there, if the variable has no value."""
        named = _NAME_OF.match(text)
        value = variables.get(named[1], " " if named[1] == "IFS" else "") if named else ""
        if named and named.end() == len(text):
            return variables.get(value, "") if text.startswith("!") else value
        if match := _DEFAULT.fullmatch(text):
            return value or self.text(read_word(match[1], self._home), variables)
        return value

    def parsed(self, text: str) -> Statements:
        if self._depth >= MAX_DEPTH:
            return Statements(())
        self._depth += 1
        try:
            return self._parse(text)
        finally:
            self._depth -= 1

    def output(self, node: Node, variables: Mapping[str, str], stdin: str | None = None) -> str | None:
        """What a statement may print; None if that can't be told."""
        match node:
            case Statements(items=items):
                printed = [self.output(item, variables, stdin) for item in items]
                known = [each for each in printed if each is not None]
                return "\n".join(known) if known else None
            case AndOr(left=left, right=right):
                printed = [self.output(left, variables, stdin), self.output(right, variables, stdin)]
                known = [each for each in printed if each is not None]
                return "\n".join(known) if known else None
            case Group(body=body):
                return self.output(body, variables, stdin)
            case Pipeline(stages=stages):
                for stage in stages:
                    stdin = self.output(stage, variables, stdin)
                return stdin
            case Simple():
                return self._simple_output(node, variables, stdin)
            case _:
                return None

    def fed(self, simple: Simple, variables: Mapping[str, str], stdin: str | None) -> str | None:
        """What the command reads on its standard input, or from a process substitution among its words."""
        for redirect in simple.redirects:
            if redirect.op in ("<<", "<<<", "<<-") and redirect.target is not None:
                stdin = self.text(redirect.target, variables)
            elif redirect.op == "<" and redirect.target is not None:
                stdin = self._process(redirect.target, variables) or stdin
        for word in simple.words:
            stdin = self._process(word, variables) or stdin
        return stdin

    def _process(self, word: Word, variables: Mapping[str, str]) -> str | None:
        for piece in word.pieces:
            if piece.kind == "process":
                return self.output(self.parsed(piece.text), variables)
        return None

    def _simple_output(self, simple: Simple, variables: Mapping[str, str], stdin: str | None) -> str | None:
        words = [field for word in simple.words for field in self.fields(word, variables)]
        stdin = self.fed(simple, variables, stdin)
        return printed(words, stdin) if words else None


def printed(words: Sequence[str], stdin: str | None) -> str | None:
    """What a well-known program prints for these words and this input."""
    name, arguments = words[0].rpartition("/")[2], list(words[1:])
    match name:
        case "echo":
            while arguments and re.fullmatch(r"-[neE]+", arguments[0]):
                del arguments[0]
            return _escapes(" ".join(arguments))
        case "printf" if arguments:
            return _format(arguments)
        case "cat" | "tee" | "head" | "tail" | "sort" | "uniq" | "tac":
            return stdin
        case "rev" if stdin is not None:
            return "\n".join(line[::-1] for line in stdin.splitlines())
        case "base64" | "openssl" | "xxd" if stdin is not None:
            return _decoded(name, stdin)
        case "which" | "type" | "command" if arguments:
            return arguments[-1]
        case "env" | "builtin" if arguments:
            return printed(arguments, stdin)
        case _:
            return None


def _format(arguments: list[str]) -> str:
    pattern, *values = arguments if arguments[0] != "--" else arguments[1:] or [""]
    remaining = iter(values)
    text = _FORMAT.sub(lambda match: "%" if match.group() == "%%" else next(remaining, ""), pattern)
    rest = " ".join(remaining)
    return _escapes(text + (f" {rest}" if rest and "%" in pattern else ""))


def _escapes(text: str) -> str:
    if "\\" not in text:
        return text
    quoted = split_pieces("$'" + text.replace("'", "\\'").replace("\\0", "\\") + "'")
    return "".join(piece.text for piece in quoted)


def _decoded(name: str, text: str) -> str | None:
    try:
        raw = bytes.fromhex(text.strip()) if name == "xxd" else base64.b64decode(text.strip())
    except (ValueError, binascii.Error):
        return None
    return raw.decode("utf-8", "replace")
