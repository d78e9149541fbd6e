"""The head of a Markdown file: YAML between two lines of `---`, as texts, lists and mappings. Pure.

Numbers, dates and truth values stay what they look like, and nothing is ever built from a tag. Aliases, depth and size
are limited, so that no head costs more than a glance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from yaml.events import Event

LIMIT_CHARS = 16 * 1024
_DEEPEST = 8
_MOST_VALUES = 1_000
_HEAD = re.compile(r"---[ \t]*\n(.*?\n)??---[ \t]*(?:\n|\Z)", re.DOTALL)
# What means the same with and without YAML: letters, digits and marks that it gives no meaning to in such places.
_WORDS = r"\w(?:[\w .,;()/+-]*[\w.,;()/+-])?"
_ITEM = r"\w(?:[\w .()/+-]*[\w.()/+-])?"
_PLAIN_LINE = re.compile(
    rf"(?P<key>[A-Za-z][A-Za-z0-9_-]*): (?:(?P<words>{_WORDS})|\[(?P<list>{_ITEM}(?:, {_ITEM})*)\])"
)
_LINE = re.compile(r"([A-Za-z][\w-]*):[ \t]+([^\s\"'|>\[{&*!#].*)")


class Document(NamedTuple):
    """`head` is None where there is none."""

    head: str | None
    body: str


class BadHead(Exception):
    """`reason`: `yaml` (it is none), `alias`, `deep`, `large`, `twice` (a key), `no_mapping`. `line` is the file's."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def split(text: str) -> Document:
    found = _HEAD.match(text)
    return Document(None, text) if found is None else Document(found[1] or "", text[found.end() :])


def lines_of(head: str) -> dict[str, str]:
    """What stands after `key:` in each line, taken as it is: for heads that were never meant as YAML."""
    pairs = (line.partition(":") for line in head.splitlines())
    return {key.strip(): value.strip().strip("\"'") for key, colon, value in pairs if colon}


def fields_of(head: str) -> dict[str, object]:
    """The mapping that a head is; values are `str`, `list` and `dict[str, …]`.

    A colon in a description breaks YAML, and many write one: so where a head can't be read, its lines are read once
    more with their values in quotes. Raises `BadHead`.
    """
    if len(head) > LIMIT_CHARS:
        raise BadHead("large", 1)
    if (plain := _plain_fields(head)) is not None:
        return plain
    try:
        return _mapping(head)
    except BadHead as error:
        quoted = "\n".join(_LINE.sub(_in_quotes, line) if _LINE.fullmatch(line) else line for line in head.split("\n"))
        if error.reason != "yaml" or quoted == head:
            raise
        try:
            return _mapping(quoted)
        except BadHead:
            raise error from None


def _plain_fields(head: str) -> dict[str, object] | None:
    """The mapping, where it is so plain that it needs no YAML parser, which takes 22 ms to import; else None."""
    fields: dict[str, object] = {}
    for line in head.removesuffix("\n").split("\n"):
        match = _PLAIN_LINE.fullmatch(line)
        if match is None or match["key"] in fields:
            return None
        words, listed = match["words"], match["list"]
        fields[match["key"]] = words if words is not None else [each.strip() for each in listed.split(",")]
    return fields or None


def _in_quotes(line: re.Match[str]) -> str:
    value = line[2].rstrip().replace("'", "''")
    return f"{line[1]}: '{value}'"


def _mapping(head: str) -> dict[str, object]:
    import yaml

    try:
        value = _Builder(cast("Any", yaml).parse(head, Loader=yaml.BaseLoader)).document()
    except yaml.MarkedYAMLError as error:
        raise BadHead("yaml", error.problem_mark.line + 2 if error.problem_mark else 1) from error
    except yaml.YAMLError as error:
        raise BadHead("yaml", 1) from error
    if not isinstance(value, dict):
        raise BadHead("no_mapping", 2)
    return cast("dict[str, object]", value)


class _Builder:
    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events
        self._left = _MOST_VALUES

    def document(self) -> object:
        """The first document's value; an empty mapping if there is none."""
        from yaml.events import DocumentStartEvent, StreamEndEvent

        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                value = self._value(next(self._events), 0)
                next(self._events)
                if not isinstance(end := next(self._events), StreamEndEvent):
                    raise BadHead("yaml", _line(end))
                return {} if value == "" else value
        return {}

    def _value(self, event: Event, depth: int) -> object:
        from yaml.events import AliasEvent, MappingStartEvent, ScalarEvent, SequenceStartEvent

        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            raise BadHead("deep" if depth > _DEEPEST else "large", _line(event))
        match event:
            case ScalarEvent():
                return event.value
            case SequenceStartEvent():
                return self._sequence(depth)
            case MappingStartEvent():
                return self._pairs(depth)
            case AliasEvent():
                raise BadHead("alias", _line(event))
            case _:
                raise BadHead("yaml", _line(event))

    def _sequence(self, depth: int) -> list[object]:
        from yaml.events import SequenceEndEvent

        items: list[object] = []
        for event in self._events:
            if isinstance(event, SequenceEndEvent):
                break
            items.append(self._value(event, depth + 1))
        return items

    def _pairs(self, depth: int) -> dict[str, object]:
        from yaml.events import MappingEndEvent

        pairs: dict[str, object] = {}
        for event in self._events:
            if isinstance(event, MappingEndEvent):
                break
            key = self._value(event, depth + 1)
            if not isinstance(key, str):
                raise BadHead("yaml", _line(event))
            if key in pairs:
                raise BadHead("twice", _line(event))
            pairs[key] = self._value(next(self._events), depth + 1)
        return pairs


def _line(event: Event) -> int:
    return event.start_mark.line + 2
