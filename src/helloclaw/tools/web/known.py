"""The URLs a session knows of: typed by the person, found by a search, linked to from a fetched page.

To fetch one of these gives nothing away. A URL that the model made up could carry anything, so fetching it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from helloclaw.tools.web.urls import normal_url

MAX_KNOWN = 20_000
# A URL in running text, Chinese too: it ends before quotes, brackets that it did not open, and closing punctuation.
_URL = re.compile(r"https?://[^\s<>\"'`\\^{}|，。；：！？、（）【】《》「」『』“”‘’…]+", re.IGNORECASE)
# What people type without a scheme, if it can't be a file's name.
_BARE = re.compile(
    r"(?<![\w@/.:-])((?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|cn|io|dev|ai|com\.cn)"
    r"|www\.(?:[a-z0-9-]+\.)+[a-z]{2,})(?![\w.@-])(/[\w./%?&=#~+:,;@!$*()-]*)?",
    re.IGNORECASE | re.ASCII,
)
_TRAILING = ".,;:!?'\"*_~"


class KnownUrls:
    """A set that forgets its oldest when it is full. Compares URLs by `normal_url`."""

    def __init__(self) -> None:
        self._urls: dict[str, None] = {}
        self._frozen: frozenset[str] | None = frozenset()

    def add(self, text: str) -> None:
        """Every URL that a person's text names; one with http counts with https too."""
        found = urls_in(text)
        normal = [url for each in found if (url := normal_url(each))]
        self.add_urls((*found, *("https" + url[4:] for url in normal if url.startswith("http:"))))

    def add_urls(self, urls: Iterable[str]) -> None:
        """URLs by themselves, such as a page's links. What can't be fetched is passed over."""
        for url in urls:
            if (normal := normal_url(url)) is None:
                continue
            self._urls.pop(normal, None)
            self._urls[normal] = None
            self._frozen = None
        while len(self._urls) > MAX_KNOWN:
            del self._urls[next(iter(self._urls))]

    def __contains__(self, url: str) -> bool:
        return normal_url(url) in self._urls

    @property
    def all(self) -> frozenset[str]:
        if self._frozen is None:
            self._frozen = frozenset(self._urls)
        return self._frozen


def urls_in(text: str) -> list[str]:
    """The URLs in running text, those typed without a scheme as http."""
    whole = [_without_trailing(match[0]) for match in _URL.finditer(text)]
    bare = [_without_trailing(match[0]) for match in _BARE.finditer(_URL.sub(" ", text))]
    return [*whole, *(f"http://{each}" for each in bare)]


def _without_trailing(url: str) -> str:
    """A URL without what closes the sentence or the bracket it stands in."""
    unopened = {")": url.count(")") - url.count("("), "]": url.count("]") - url.count("[")}
    end = len(url)
    while end:
        last = url[end - 1]
        if unopened.get(last, 0) > 0:
            unopened[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return url[:end]
