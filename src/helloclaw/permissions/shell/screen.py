"""What makes a command unfit to be judged by its text: characters that hide, sheer length, too many parts. Pure."""

from __future__ import annotations

import re
import unicodedata

from helloclaw.permissions.reasons import Why
from helloclaw.permissions.tables import names

MAX_CHARACTERS = 10_000
# Linux: MAX_ARG_STRLEN. A longer text can't be handed to `bash -c` at all.
MAX_BYTES = 131_071

# What is counted here is written outside quotes and here-documents. These numbers are some times what anybody writes on
# one command line; beyond them a verdict takes longer than a person should wait (the grammar is quadratic in some).
# Beyond them it is denied and not asked about, even if nothing that is denied was seen: nobody has seen it all, neither
# the search nor a person, and a rule or a hasty yes would let pass whatever is hidden behind the limit. Who means it
# can write it as a script, or as several commands.
MAX_WORDS = 1_500
MAX_JOINTS = 300
MAX_MARKS = 1_500
MAX_BRACES = 128
MAX_SLASHES = 3_000
# No shorter text holds so much.
_SHORT = 2 * MAX_BRACES
_MANY_HEREDOCS = 8

_HEREDOC = re.compile(r"(<<-?[ \t]*)(['\"]?)(\w+)\2([^\n]*\n)(.*?\n)??\t*\3$", re.DOTALL | re.MULTILINE)
_QUIET = re.compile(
    r"""\\.|\$'(?:[^'\\]|\\.)*+'|'[^']*'|"(?:[^"\\$`]|\\.|\$(?![({]))*+"|(?<![^\s;&|()])\#[^\n]*""", re.DOTALL
)
_JOINT = re.compile(r"[;&|()`]|\n+")
_MARK = re.compile(r"[<>{}$*?\[\]'\"\\]")
_BRACE = re.compile(r"(?<!\$)\{(?=[^\s}])")

_ASCII_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# Letters and marks by category, but nothing to be seen: fillers, joiners, variation selectors, a blank Braille cell.
_BLANK = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_HIDING = names("Cc Cf Cs Co Cn Zl Zp")


def hidden_characters(text: str) -> Why | None:
    """A character that a person can't see, other than a space, a tab or a line's end."""
    if found := _ASCII_CONTROL.search(text):
        return Why("hidden_characters", _named(found.group()))
    if text.isascii():
        return None
    if found := _BLANK.search(text):
        return Why("hidden_characters", _named(found.group()))
    for character in set(text):
        if character > "\x7f":
            category = unicodedata.category(character)
            if category in _HIDING or category == "Zs":
                return Why("hidden_characters", _named(character))
    return None


def _named(character: str) -> str:
    return f"U+{ord(character):04X}"


def too_long(text: str) -> Why | None:
    return Why("too_long", f"{MAX_CHARACTERS:,}") if len(text) > MAX_CHARACTERS else None


def too_long_to_run(text: str) -> Why | None:
    size = len(text.encode("utf-8", "replace"))
    return Why("too_long_to_run", f"{size:,}") if size > MAX_BYTES else None


def too_much(text: str, times: int = 1) -> Why | None:
    """More commands, words or marks than are looked through. Errs towards counting too many, never takes much time.

    `times` so many of each are let in.
    """
    if len(text) < _SHORT:
        return None
    if 0 < text.count("<<") <= _MANY_HEREDOCS:
        text = _HEREDOC.sub(_without_body, text)
    plain = _QUIET.sub("'", text)
    fits = (
        len(_JOINT.findall(plain)) <= MAX_JOINTS * times
        and len(plain.split()) <= MAX_WORDS * times
        and len(_MARK.findall(plain)) <= MAX_MARKS * times
        and len(_BRACE.findall(plain)) <= MAX_BRACES * times
        and plain.count("/") <= MAX_SLASHES * times
    )
    return None if fits else Why("too_much")


def _without_body(match: re.Match[str]) -> str:
    """A here-document without its text, unless that is expanded and holds commands."""
    opening, quote, name, line, body = match.groups()
    expands = not quote and ("$(" in (body or "") or "`" in (body or ""))
    return match.group() if expands else f"{opening}{quote}{name}{quote}{line}{name}"
