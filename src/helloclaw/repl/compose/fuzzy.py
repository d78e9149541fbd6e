"""Find what was meant by a few characters of a path or a name: the best of many thousand, in milliseconds. Pure.

All candidates are in one text with a line each, in the order that counts among equals, so that one search by C code
goes through thousands of them and most searches end at the first few hits.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import NamedTuple

COMPARED = 2000
"""Of scattered matches, so many of the shortest are compared by how close together their characters are."""

_WORD_STARTS = re.compile(r"(?<![^\W_])[^\W_]|(?<=[a-z0-9])[A-Z]")

# Numbers of candidates, in order.
_Hits = Iterator[int]


class Match(NamedTuple):
    """A candidate that fits, its class (0 is best, see `rank`), and how many characters a scattered match spans."""

    text: str
    kind: int
    gap: int = 0


class Candidates:
    """Texts prepared for search. A query that goes on from the last one looks only at what that one left."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._all = _Pool(sorted(sorted(texts), key=len))
        self._last = ("", self._all)

    def __len__(self) -> int:
        return len(self._all.texts)

    def rank(self, query: str, limit: int) -> list[Match]:
        """The best `limit` matches, best first; see `rank` below."""
        wanted = fold(query)
        before, pool = self._last
        if not wanted.startswith(before):
            before, pool = "", self._all
        if not wanted:
            return [Match(text, 1) for text in self._all.texts[:limit]]
        found, fitting = pool.search(wanted, limit)
        if fitting is not None and len(fitting) < len(pool.texts):
            before, pool = wanted, _Pool([pool.texts[number] for number in sorted(fitting)])
        self._last = (before, pool)
        return found


def rank(query: str, candidates: Sequence[str], limit: int | None = None) -> list[Match]:
    """The candidates that have the query's characters in order, best first. Case and Unicode form don't count.

    Classes, best first: 0 the last part of the path, or all of it, is the query; 1 the last part begins with it, 2 has
    a word that begins with it, 3 has it; 4 the query is initials of words in a row; 5 the path has a word that begins
    with it, 6 has it; 7 the last part has its characters scattered, 8 the path has. Within a class: the closest
    together (7 and 8), then the shortest, then by text. The same text twice is one candidate.
    """
    unique = dict.fromkeys(candidates)
    return Candidates(unique).rank(query, len(unique) if limit is None else limit)


def fold(text: str) -> str:
    """`text` without differences of case and Unicode form, as one line."""
    folded = text.lower() if text.isascii() else unicodedata.normalize("NFC", text).casefold()
    return folded.replace("\n", "\0")


class _Lines:
    """One line for each candidate, searched as a whole."""

    def __init__(self, lines: list[str]) -> None:
        self._text = "\n" + "\n".join(lines) + "\n"
        self._starts = list(accumulate((len(line) + 1 for line in lines), initial=1))

    def have_all(self, characters: str) -> bool:
        """Whether each of `characters` is in some line."""
        return all(character in self._text for character in characters)

    def having(self, part: str) -> _Hits:
        """Lines with `part`, in which a line feed stands for a line's beginning or end."""
        at = self._text.find(part)
        while at >= 0:
            number = self._line(at + part.startswith("\n"))
            yield number
            at = self._text.find(part, self._starts[number + 1] - 1)

    def matching(self, pattern: re.Pattern[str]) -> _Hits:
        """Lines with a match of `pattern`, which must not go beyond a line."""
        found = pattern.search(self._text)
        while found:
            number = self._line(found.start() + found[0].startswith("\n"))
            yield number
            found = pattern.search(self._text, self._starts[number + 1] - 1)

    def _line(self, at: int) -> int:
        return bisect_right(self._starts, at) - 1


class _Pool:
    """Candidates, shortest first, with what is searched of them: all, the last part of the path, words' initials."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self._folded = [fold(text) for text in texts]
        self._bases = [folded[folded.rfind("/", 0, -1) + 1 :] for folded in self._folded]
        self._paths = _Lines(self._folded)
        self._names = _Lines(self._bases)
        self._initials = _Lines(_all_initials(texts))

    def search(self, query: str, limit: int) -> tuple[list[Match], set[int] | None]:
        """The best `limit` matches, and the numbers of all that match if it came to looking for all of them."""
        seen: set[int] = set()
        found: list[Match] = []
        for kind, search in enumerate(self._searches(query)):
            for number in search():
                if len(found) >= limit:
                    return found, None
                if number not in seen:
                    seen.add(number)
                    found.append(Match(self.texts[number], kind))
        if not self._paths.have_all(query):
            return found, seen
        every = True
        for kind, lines, parts in ((7, self._names, self._bases), (8, self._paths, self._folded)):
            if len(found) >= limit:
                return found[:limit], None
            fresh = (number for number in lines.matching(_scattered(query)) if number not in seen)
            hits = list(islice(fresh, max(COMPARED, limit)))
            every = every and len(hits) < COMPARED
            seen.update(hits)
            found += self._closest(query, kind, hits, parts)
        return found[:limit], seen if every else None

    def _closest(self, query: str, kind: int, hits: list[int], parts: list[str]) -> list[Match]:
        """Scattered matches, those close together before others."""
        spread = re.compile("[^\n]*?".join(map(re.escape, query))).search
        compared = [Match(self.texts[n], kind, _span(spread(parts[n]))) for n in hits[:COMPARED]]
        compared.sort(key=lambda match: match.gap)
        return compared + [Match(self.texts[n], kind) for n in hits[COMPARED:]]

    def _searches(self, query: str) -> tuple[Callable[[], _Hits], ...]:
        # The literal first: that is what the search can skip to.
        word = re.compile(f"{re.escape(query)}(?<![^\\W_]{re.escape(query)})")
        return (
            lambda: self._exact(query),
            lambda: self._names.having(f"\n{query}"),
            lambda: self._names.matching(word),
            lambda: self._names.having(query),
            lambda: self._initials.having(query),
            lambda: self._paths.matching(word),
            lambda: self._paths.having(query),
        )

    def _exact(self, query: str) -> _Hits:
        places = ((self._names, f"\n{query}\n"), (self._names, f"\n{query}/\n"), (self._paths, f"\n{query}\n"))
        yield from sorted({hit for lines, part in places for hit in lines.having(part)})


def _scattered(query: str) -> re.Pattern[str]:
    """Matches from the start of a line that has the query's characters in order. It never goes back: no need to."""
    return re.compile("\n" + "".join(f"[^{re.escape(c)}\n]*+{re.escape(c)}" for c in query))


def _all_initials(texts: list[str]) -> list[str]:
    """The first characters of each text's words. Directories are looked at once, since most paths share theirs."""
    known: dict[str, str] = {}
    found: list[str] = []
    for text in texts:
        cut = text.rfind("/", 0, -1) + 1
        directory = text[:cut]
        if directory not in known:
            known[directory] = _initials(directory)
        found.append(known[directory] + _initials(text[cut:]))
    return found


def _initials(text: str) -> str:
    return fold("".join(_WORD_STARTS.findall(text)))


def _span(found: re.Match[str] | None) -> int:
    return found.end() - found.start() if found else 0
