"""`awk` with a program that only looks at its input and prints: no other program, file, environment or function. Pure.

A program is told by its tokens, so what is taken must be read here as every `awk` reads it. Where a slash may be a
division or the start of a pattern, or `>` a comparison or a file to write, only what can't be the other is taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.reads import File, Reads
from helloclaw.permissions.tables import names

# Missing: `getline system close fflush function func include load`, which run, read or write; `ENVIRON ARGV ARGC
# PROCINFO SYMTAB FUNCTAB`, by which files are chosen or secrets seen; `while do`, which need not end.
_KEYWORDS = names("BEGIN END print printf if else next nextfile exit delete in continue break")
_FUNCTIONS = names(
    "length substr index split sub gsub match tolower toupper sprintf int sqrt exp log sin cos atan2 rand srand "
    "gensub strftime systime strtonum asort asorti"
)
_NOT_VARIABLES = names(
    "getline system close fflush function func include load eval namespace ENVIRON ARGV ARGC ARGIND PROCINFO SYMTAB "
    "FUNCTAB while do for switch case default return BEGINFILE ENDFILE INPLACE_SUFFIX"
)
_TOKEN = re.compile(
    r'(?P<space>[ \t]+)|(?P<number>\d+(?:\.\d*)?(?![\w.])|\.\d+(?![\w.]))|(?P<string>"(?:[^"\\\n]|\\[^\n])*")'
    r"|(?P<loop>for\s*\(\s*\w+\s+in\s+\w+\s*\)"
    r"|for\s*\(\s*\w+\s*=\s*[\w$]+\s*;\s*\w+\s*[<>]=?\s*\w+\s*;\s*\w+(?:\+\+|--)\s*\))"
    r"|(?P<name>[A-Za-z_]\w*)(?P<call>[ \t]*\()?|(?P<slash>/)"
    r"|(?P<sign>\|\||&&|\+\+|--|[-+*%^=!<]=|!~|>=|[-+*%^=<>!~?:;,(){}\[\]$\n])"
)
_PATTERN = re.compile(r"/(?:\\[^\n]|\[\^?\]?(?:\[:[a-z]+:\]|[^\[\]/\\\n])*\]|[^/\\\[\n])+/")
# Behind these no value can have ended, so that a slash starts a pattern.
_BEFORE_PATTERN = frozenset({"", "\n", ";", "{", "}", "(", ",", "!", "~", "!~", "&&", "||"})
_CLOSES = {")": "(", "]": "[", "}": "{"}
_NAME = re.compile(r"[A-Za-z_]\w*")
_SETTING = re.compile(r"([A-Za-z_]\w*)=[^\n]*")


def awk_reads(arguments: Sequence[str]) -> Reads | Why:
    rest = list(arguments)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        option = rest.pop(0)
        if option == "--":
            break
        if option[:2] not in ("-F", "-v") or (len(option) == 2 and not rest):
            return Why("unknown_option", f"awk {option}")
        value = option[2:] or rest.pop(0)
        setting = _SETTING.fullmatch(value)
        if option[:2] == "-v" and (setting is None or setting[1] in _NOT_VARIABLES):
            return Why("unknown_option", f"awk -v {value}")
    if not rest or not _only_looks(rest[0]) or any(each != "-" and each.startswith("-") for each in rest[1:]):
        return Why("unknown_option", f"awk {rest[0] if rest else ''}".rstrip())
    return Reads(files=tuple(File(path) for path in rest[1:] if path != "-"))


def _only_looks(program: str) -> bool:
    at, before, within = 0, "", list[str]()
    while at < len(program):
        match = _TOKEN.match(program, at)
        if match is None:
            return False
        kind, token, at = match.lastgroup or "", match.group(), match.end()
        if kind == "space":
            continue
        if kind == "slash":
            end = _after_slash(program, match.start(), before)
            if end is None:
                return False
            at, before = end, "pattern" if before in _BEFORE_PATTERN else "/"
        elif kind in ("name", "call"):
            called = match["call"] is not None
            if not _is_harmless(match["name"], called=called):
                return False
            within += ["("] * called
            before = "(" if called else "keyword" if match["name"] in _KEYWORDS | _FUNCTIONS else "variable"
        elif kind == "sign":
            if not _is_in_place(token, within):
                return False
            before = token
        elif kind == "loop":
            if not _NOT_VARIABLES.isdisjoint(_NAME.findall(token.removeprefix("for"))):
                return False
            before = ")"
        else:
            before = kind
    return not within


def _after_slash(program: str, at: int, before: str) -> int | None:
    """Where to go on behind a slash; None if it can't be told whether it divides or starts a pattern."""
    if before in _BEFORE_PATTERN:
        match = _PATTERN.match(program, at)
        return match.end() if match else None
    if program.startswith("/=", at):
        return None
    if before in ("number", "variable", "]") or (before == ")" and "/" not in program[at + 1 :]):
        return at + 1
    return None


def _is_harmless(name: str, *, called: bool) -> bool:
    if name in _NOT_VARIABLES:
        return False
    return name in _KEYWORDS or name in _FUNCTIONS or not called


def _is_in_place(sign: str, within: list[str]) -> bool:
    """Keep account of what is open; whether the sign can only be an operator there, and no redirection."""
    if sign in "([{":
        within.append(sign)
    elif sign in _CLOSES:
        if within[-1:] != [_CLOSES[sign]]:
            return False
        within.pop()
    return not sign.startswith(">") or "{" not in within or within[-1] == "("
