"""One word of shell text: what bash makes of it by quoting and expansion, as far as the text alone tells.

Source of the rules: Bash Reference Manual, "Quoting" and "Shell Expansions". File names are not looked up here.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from helloclaw.permissions.shell.braces import expand_braces

Kind = Literal["text", "glob", "tilde", "variable", "expansion", "command", "process", "unknown"]


class Piece(Struct, frozen=True):
    """A stretch of a word. `text` is the literal text, the variable's name, or the source of what is substituted."""

    kind: Kind
    text: str
    quoted: bool = False


class Word(Struct, frozen=True, kw_only=True):
    """A word and, where the text alone tells, its `value` after quote removal.

    `glob` is set if it matches file names: `value` with its quoted characters escaped. `hole` is what keeps `value`
    unknown.
    """

    text: str
    pieces: tuple[Piece, ...]
    value: str | None
    glob: str | None = None
    hole: Piece | None = None


# None of these means anything to the shell within a word, as long as no tilde follows `=` or `:`.
_PLAIN = re.compile(r"[A-Za-z0-9_./:=@%+,^#!\]\x80-\U0010ffff-]+")
_SHARED = r"""
    \$(?P<name>[A-Za-z_][A-Za-z0-9_]*|[0-9?\#@*$!-])
  | \$\{(?P<braced>[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?\#@*$!-])\}
  | (?P<expansion>\$\{)
  | (?P<arithmetic>\$\[|\$\((?=\())
  | (?P<command>\$\()
  | `(?P<backtick>(?:[^`\\]|\\.)*)`
"""
_BARE = re.compile(
    rf"""(?P<plain>[^\\'"$`*?\[~<>]+)
  | '(?P<single>[^']*)'
  | \$'(?P<ansi>(?:[^'\\]|\\.)*)'
  | (?P<locale>\$")
  | (?P<double>")
  | \\(?P<escaped>.)
  | (?P<glob>[*?\[])
  | (?P<tilde>~)
  | (?P<process>[<>]\()
  | {_SHARED}
  | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_IN_DOUBLE = re.compile(
    rf"""(?P<plain>[^\\"$`]+)
  | (?P<double>")
  | \\(?P<escaped>[$`"\\\n])
  | {_SHARED}
  | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
# Longer words are seldom met twice, and would be much to keep.
_SHORT = 100
_LOGIN = re.compile(r"[^/\s]*")
_QUOTED_OR_BRACKET = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*"|[(){}\[\]]""", re.DOTALL)
_ANSI = re.compile(r"\\(?:x(?P<x>[0-9A-Fa-f]{1,2})|[uU](?P<u>[0-9A-Fa-f]{1,8})|(?P<o>[0-7]{1,3})|(?P<c>.))", re.DOTALL)
_ANSI_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_SPECIAL_IN_GLOB = re.compile(r"([*?\[\\])")


def read_words(text: str, home: str) -> tuple[Word, ...]:
    """The words that one written word stands for: more than one only by brace expansion."""
    return _read_again(text, home) if len(text) <= _SHORT else _read(text, home)


@lru_cache(maxsize=2048)
def _read_again(text: str, home: str) -> tuple[Word, ...]:
    """The texts within a text are read in several ways, and hold the same words each time."""
    return _read(text, home)


def _read(text: str, home: str) -> tuple[Word, ...]:
    if "{" not in text:
        return (read_word(text, home),)
    alternatives = expand_braces(text)
    if alternatives is None:
        return (_with_hole(read_word(text, home), "unknown"),)
    words = tuple(read_word(each, home) for each in alternatives if each)  # an empty one vanishes
    if len(words) > 1 and ("$" in text or "`" in text):
        return tuple(_with_hole(word, "unknown") for word in words)
    return words


def read_word(text: str, home: str) -> Word:
    """The word as bash would see it. `home` is what `~` and `$HOME` stand for."""
    if _PLAIN.fullmatch(text):
        return Word(text=text, pieces=(Piece("text", text),), value=text)
    pieces = split_pieces(text)
    value: list[str] = []
    pattern: list[str] = []
    globbed = False
    for piece in pieces:
        said = home if _is_home(piece, home) else piece.text
        if piece.kind == "glob":
            globbed = True
            pattern.append(said)
        elif piece.kind == "text" or said is home:
            pattern.append(_SPECIAL_IN_GLOB.sub(r"\\\1", said))
        else:
            return Word(text=text, pieces=pieces, value=None, hole=piece)
        value.append(said)
    return Word(text=text, pieces=pieces, value="".join(value), glob="".join(pattern) if globbed else None)


def _is_home(piece: Piece, home: str) -> bool:
    if piece.kind == "tilde":
        return piece.text == "~"
    return piece.kind == "variable" and piece.text == "HOME" and (piece.quoted or bool(_PLAIN.fullmatch(home)))


def _with_hole(word: Word, why: Kind) -> Word:
    return Word(text=word.text, pieces=word.pieces, value=None, hole=Piece(why, word.text))


def split_pieces(text: str) -> tuple[Piece, ...]:
    """The word's stretches in order. Never fails: what it does not know is an `unknown` piece."""
    pieces: list[Piece] = []
    pos, quoted = 0, False
    while pos < len(text):
        match = (_IN_DOUBLE if quoted else _BARE).match(text, pos)
        if match is None:  # `other` takes any character, so never
            break
        kind = match.lastgroup or ""
        said = match.group(kind)
        if kind in ("double", "locale"):
            quoted = not quoted
            pieces.append(Piece("unknown" if kind == "locale" else "text", "", True))
            pos = match.end()
        elif kind in ("command", "arithmetic", "expansion", "process"):
            end = _closing(text, match.end())
            pieces.append(Piece(_SUBSTITUTED[kind], text[match.end() : end], quoted))
            pos = end + 1
        elif kind == "tilde":
            piece = _tilde(text, match.start())
            pieces.append(piece)
            pos = match.start() + max(1, len(piece.text))
        else:
            pieces.append(_simple_piece(kind, said, text, match.end(), quoted))
            pos = match.end()
    return tuple(pieces)


_SUBSTITUTED: dict[str, Kind] = {
    "command": "command",
    "arithmetic": "unknown",
    "expansion": "expansion",
    "process": "process",
}


def _simple_piece(kind: str, said: str, text: str, end: int, quoted: bool) -> Piece:
    match kind:
        case "plain":
            return Piece("text", said, quoted)
        case "single":
            return Piece("text", said, True)
        case "escaped":
            return Piece("text", "" if said == "\n" else said, True)
        case "ansi":
            return Piece("text", _decode_ansi(said), True)
        case "name" | "braced":
            return Piece("variable", said, quoted)
        case "backtick":
            return Piece("command", said, quoted)
        case "glob" if said != "[" or "]" in text[end:]:
            return Piece("glob", said)
        case _ if said in "[\\$":  # with nothing behind it that would give it a meaning
            return Piece("text", said, quoted)
        case _:
            return Piece("unknown", said, quoted)


def _tilde(text: str, start: int) -> Piece:
    """Bash expands a tilde at the start of a word, and after `=` or `:` in what looks like an assignment."""
    if start and text[start - 1] not in "=:":
        return Piece("text", "~")
    login = _LOGIN.match(text, start)
    prefix = login.group() if login else "~"
    return Piece("tilde", prefix if start == 0 else f"{prefix}:")


def _closing(text: str, pos: int) -> int:
    """Where the bracket that was opened before `pos` is closed, or the end of the text."""
    depth = 1
    for match in _QUOTED_OR_BRACKET.finditer(text, pos):
        token = match.group()
        if token in ("(", "{", "["):
            depth += 1
        elif token in (")", "}", "]"):
            depth -= 1
            if depth == 0:
                return match.start()
    return len(text)


def _decode_ansi(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        if digits := match["x"] or match["u"]:
            return chr(min(int(digits, 16), 0x10FFFF))
        if digits := match["o"]:
            return chr(int(digits, 8) & 0xFF)
        return _ANSI_LETTERS.get(match["c"], match["c"] if match["c"] in "\\'\"?" else match.group())

    return _ANSI.sub(one, text)
