"""How texts are cut into words to be searched: Latin words, and pairs of Chinese, Japanese, Korean characters. Pure.

A pair is a word of its own in the index, so that a word of two characters is found wherever it stands; what is longer
is a row of pairs. Single characters have a column of their own.
"""

from __future__ import annotations

import re
import unicodedata

from msgspec import Struct

_CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"
_RUN = re.compile(rf"(?P<cjk>[{_CJK}]+)|(?P<latin>[^\W_{_CJK}]+)")
_TERM = re.compile(rf"(?P<cjk>[{_CJK}]+)|(?P<latin>[^\W_{_CJK}]+(?:[._@:/+#'’-]+[^\W_{_CJK}]+)*)")
_IGNORED_WORDS = "the a an of to in is are was on and or for 的 了 是 在 我 吗 呢 什么 怎么"
_IGNORED = frozenset(_IGNORED_WORDS.split())
MOST_TERMS = 32
_QUERY_CHARS = 2_000


class Term(Struct, frozen=True):
    """A thing looked for: its `words` stand in a row. A `single` is one character of a script without blanks."""

    text: str
    words: tuple[str, ...]
    single: bool = False


def folded(text: str) -> str:
    """Without what makes no difference to a search: width, case, accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize("NFKC", "".join(char for char in plain if not unicodedata.combining(char)))


def indexed(text: str) -> tuple[str, str]:
    """Two rows of words parted by blanks: words and pairs, and single characters."""
    words: list[str] = []
    singles: list[str] = []
    for match in _RUN.finditer(folded(text)):
        if latin := match["latin"]:
            words.append(latin)
        else:
            words += _pairs(match["cjk"])
            singles += match["cjk"]
    return " ".join(words), " ".join(singles)


def terms(query: str) -> tuple[Term, ...]:
    """What a query looks for, each once. Words that say nothing are left out, unless there are no others."""
    found: dict[str, Term] = {}
    for match in _TERM.finditer(folded(query[:_QUERY_CHARS])):
        if cjk := match["cjk"]:
            found[cjk] = Term(cjk, tuple(_pairs(cjk)), single=len(cjk) == 1)
        else:
            found[match["latin"]] = Term(match["latin"], tuple(part["latin"] for part in _RUN.finditer(match["latin"])))
    telling = [term for text, term in found.items() if text not in _IGNORED]
    return tuple((telling or list(found.values()))[:MOST_TERMS])


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]
