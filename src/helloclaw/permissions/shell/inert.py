"""What around a command is harmless by itself: redirections, assignments, variables that may be printed. Pure."""

from __future__ import annotations

import re

from helloclaw.permissions.reasons import Why
from helloclaw.permissions.shell.script import Assignment, Redirect, Simple
from helloclaw.permissions.shell.words import Word
from helloclaw.permissions.tables import names

# Variables whose values are no secret and can't carry a command: what `echo $HOME` may print.
OPEN_VARIABLES = names(
    "? # $ PWD OLDPWD HOME USER LOGNAME SHELL HOSTNAME LANG TERM UID EUID PPID RANDOM SECONDS LINENO BASH_VERSION PATH"
)
# Variables that only change how output looks.
_INERT_VARIABLES = names(
    "LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME TZ NO_COLOR COLUMNS LINES CI"
)
_LOCALE = re.compile(r"[A-Za-z0-9_.@-]*")
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*")
WRITING = names("> >> >| &> &>> >&")
FEEDING = names("<< <<< <<-")


def problem_of(simple: Simple) -> Why | None:
    """Why more than the program decides what happens; None if nothing does."""
    if simple.odd is not None:
        return simple.odd
    if simple.nested:
        return Why("substitution")
    for assignment in simple.assignments:
        if not simple.words or not is_inert(assignment):
            return Why("assignment", assignment.name)
    return next(filter(None, map(redirect_problem, simple.redirects)), None)


def is_inert(assignment: Assignment) -> bool:
    """Whether the assignment only changes how output looks. A `TZ` or locale that is a path names a file to load."""
    value = assignment.value.value
    if value is None or assignment.is_array or assignment.name not in _INERT_VARIABLES:
        return False
    return bool((_ZONE if assignment.name == "TZ" else _LOCALE).fullmatch(value))


def redirect_problem(redirect: Redirect) -> Why | None:
    """Reading a file, `/dev/null`, and copies of descriptors are no problem."""
    target = redirect.target
    if redirect.op in FEEDING:
        return Why("heredoc")
    if target is None:
        return None if redirect.op in (">&-", "<&-") else Why("odd_redirection", redirect.op)
    if target.value is None or target.glob is not None:
        return Why("redirection", target.text) if redirect.op in WRITING else Why("expansion", target.text)
    if redirect.op in (">&", "<&") and target.value.isascii() and target.value.isdigit():
        return None
    if redirect.op in WRITING:
        return None if target.value == "/dev/null" else Why("redirection", target.value)
    return None if redirect.op == "<" else Why("odd_redirection", target.text)


def may_print(word: Word) -> bool:
    """Whether `echo` may print the word: text, and variables that hold nothing worth hiding."""
    if word.value is not None:
        return word.glob is None
    return all(
        piece.kind == "text" or (piece.kind == "variable" and piece.text in OPEN_VARIABLES) for piece in word.pieces
    )
