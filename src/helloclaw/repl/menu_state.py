"""A list to choose from: what is shown of it, where the cursor is, and what a key makes of it. Pure."""

from __future__ import annotations

import unicodedata
from typing import Any, NamedTuple

from helloclaw.wording.plain import one_line


class Choice(NamedTuple):
    """A row: what it stands for, its name, what to know about it, and the letter that chooses it at once."""

    value: Any
    label: str
    about: str = ""
    key: str = ""


class Menu(NamedTuple):
    """A menu at one moment. `cursor` counts among `shown`; `number` is the digits typed of a longer number so far."""

    choices: tuple[Choice, ...]
    cursor: int = 0
    searchable: bool = False
    query: str = ""
    number: str = ""

    @property
    def shown(self) -> tuple[Choice, ...]:
        """The choices that fit the query, the best first; all of them without one."""
        if not self.query.strip():
            return self.choices
        ranked = [(rank, place) for place, each in enumerate(self.choices) if (rank := _rank(each, self.query)) >= 0]
        return tuple(self.choices[place] for _, place in sorted(ranked))

    @property
    def at(self) -> Choice | None:
        """The choice under the cursor, if any is shown."""
        shown = self.shown
        return shown[min(self.cursor, len(shown) - 1)] if shown else None

    def moved(self, by: int) -> Menu:
        """The cursor some rows on; beyond an end it goes on at the other."""
        count = len(self.shown)
        return self._replace(cursor=(self.cursor + by) % count if count else 0, number="")

    def jumped(self, by: int) -> Menu:
        """The cursor some rows on, no further than an end."""
        return self._replace(cursor=max(0, min(self.cursor + by, len(self.shown) - 1)), number="")

    def typed(self, text: str) -> Menu:
        """More of the query."""
        return self._replace(query=self.query + one_line(text) if text.strip() else self.query + " ", cursor=0)

    def erased(self, *, whole: bool = False) -> Menu:
        """The last character of the query gone, or all of it."""
        return self._replace(query="" if whole else self.query[:-1], cursor=0)

    def pressed(self, char: str) -> tuple[Menu, Choice | None]:
        """A letter or digit where nothing is searched: the menu after it, and the choice if that decides."""
        for choice in self.choices:
            if choice.key and choice.key.casefold() == char.casefold():
                return self, choice
        if char.isascii() and char.isdigit():
            return self._numbered(char)
        return self._replace(number=""), None

    def _numbered(self, digit: str) -> tuple[Menu, Choice | None]:
        for digits in (self.number + digit, digit):
            number = int(digits)
            if 1 <= number <= len(self.choices):
                menu = self._replace(cursor=number - 1, number=digits)
                # With a tenth row a 1 may go on; Enter ends it.
                return menu, self.choices[number - 1] if number * 10 > len(self.choices) else None
        return self._replace(number=""), None


def _rank(choice: Choice, query: str) -> int:
    """How well a choice fits: 0 begins with the query, 1 has it, 2 has its words, 3 has its characters; -1 not."""
    label, wanted = _folded(choice.label), _folded(query).strip()
    everything = f"{label} {_folded(choice.about)}"
    if label.startswith(wanted):
        return 0
    if wanted in label:
        return 1
    if all(word in everything for word in wanted.split()):
        return 2
    characters = iter(label)
    return 3 if all(char in characters for char in wanted if char != " ") else -1


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
