"""What a person wrote in a message, as sentences: without code, quotations and pasted text. Pure, and linear.

Also what a sentence says inside quotation marks is masked, since it need not be the person's own opinion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MASK = "\ue000"
"""Stands for a character inside quotation marks, so that places in a text stay what they are."""
LONGEST_SENTENCE = 400
_HEAD_CHARS, _TAIL_CHARS = 4_000, 2_000
_PASTED_LINES = 80

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
_QUOTED = re.compile(
    '“[^”\n]{0,400}”|「[^」\n]{0,400}」|『[^』\n]{0,400}』|‘[^’\n]{0,400}’|"[^"\n]{0,400}"|`[^`\n]{0,400}`'
    r"|(?<![A-Za-z0-9])'[^'\n]{0,400}'(?![A-Za-z])"
)
# Not people's words: quotations, tables, indented code, diffs, prompts of shells, tags, and lines of logs.
_NO_PROSE = re.compile(
    r"[ \t]*[>|$<{}\[(#@%\\]|\t| {4}|[-+]{2,}|\d{4}-\d\d-\d\d[T ]\d|\d\d:\d\d:\d\d|[ \t]*(?:at |File \"|Traceback|"
    r"(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b|//|/\*|\*/|import |from \S+ import|def |class |return\b|"
    r"const |let )"
)
# What follows such a line is what the message is about, not what the person says.
_LEADS_IN = re.compile(r"(?:下面|以下|如下|下列|\bfollowing\b|\bbelow\b)", re.IGNORECASE)
_TO_REMEMBER = re.compile(r"记住|记下|记一下|\bremember\b|\bkeep in mind\b", re.IGNORECASE)
_BULLET = re.compile(r"[ \t]*(?:[-*+•·]|\d{1,2}[.)、])[ \t]*")
# Full stops that end no sentence when something follows on.
_ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|mr|mrs|ms|dr|prof|st|no|vs|cf|approx|inc|ltd|jr|sr|fig)$", re.IGNORECASE
)


class Sentence(NamedTuple):
    """`masked` is `text` with what is quoted masked, character for character. `end` is the mark it ends with, or ""."""

    text: str
    masked: str
    end: str


def sentences(message: str) -> Iterator[Sentence]:
    """The sentences of prose in `message`, in order. Of a very long one only the beginning and the end are read."""
    for line in _prose_lines(message):
        yield from _split(line)


def _prose_lines(message: str) -> Iterator[str]:
    if len(message) > _HEAD_CHARS + _TAIL_CHARS:
        message = f"{message[:_HEAD_CHARS].rpartition(chr(10))[0]}\n{message[-_TAIL_CHARS:].partition(chr(10))[2]}"
    lines = message.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if len(lines) > _PASTED_LINES:
        lines = [*lines[:5], *lines[-5:]]
    fence, lead = "", ""
    for line in lines:
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
            continue
        if fence or not line.strip() or _NO_PROSE.match(line):
            continue
        bullet = _BULLET.match(line)
        prose = lead + line[bullet.end() if bullet else 0 :].strip()
        lead = ""
        if prose.endswith((":", "：")):
            if not _TO_REMEMBER.search(prose):
                yield prose
                return
            lead = prose
            continue
        yield prose
        if _LEADS_IN.search(prose):
            return


def _split(line: str) -> Iterator[Sentence]:
    masked = _QUOTED.sub(lambda found: found[0][0] + MASK * (len(found[0]) - 2) + found[0][-1], line)
    start = 0
    for at, char in enumerate(masked):
        if char in "。！？!?." and _ends(masked, at):
            if sentence := _sentence(line, masked, start, at):
                yield sentence
            start = at + 1
    if sentence := _sentence(line, masked, start, len(line)):
        yield sentence


def _sentence(line: str, masked: str, start: int, end: int) -> Sentence | None:
    while start < end and line[start] in " \t。！？!?.":
        start += 1
    stop = end
    while stop > start and line[stop - 1] in " \t":
        stop -= 1
    if start >= stop or stop - start > LONGEST_SENTENCE:
        return None
    return Sentence(line[start:stop], masked[start:stop], line[end : end + 1])


def _ends(masked: str, at: int) -> bool:
    char, after = masked[at], masked[at + 1 : at + 2]
    if char in "。！？":
        return True
    if after and not after.isspace() and after.isascii():
        # Within an address, a number, a version, `!=`, a row of dots; but quotation marks and brackets close after it.
        return after in "\"')]!?" and char != "."
    if char != ".":
        return True
    rest = masked[at + 1 :].lstrip()
    if not rest:
        return True
    if rest[0].islower() or _ABBREVIATED.search(masked[max(0, at - 12) : at]):
        return False
    # A single letter is an initial (J. Smith), unless it closes something like a.m.
    before = masked[max(0, at - 3) : at]
    return not (len(before) >= 1 and before[-1].isupper() and (len(before) == 1 or before[-2] in " ."))
