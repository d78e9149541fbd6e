"""JSON with `//` and `/* */` comments and trailing commas, and where in the text each value stands.

Comments are blanked, never cut, so that every offset and line number stays true to the file.
"""

from __future__ import annotations

import json
import re
from typing import Any, cast

from msgspec import Struct

Path = tuple[str, ...]

# A string, so that nothing inside one is taken for a comment; then the comments.
_LEXEME = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_SPACE = re.compile(r"\s*")
_decoder = json.JSONDecoder()


class JsonProblem(Exception):
    """Text that is no JSON. `line` counts from 1; `what` is the parser's English word for it."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}")
        self.line = line
        self.what = what


class Place(Struct, frozen=True):
    """Where a member stands: offset of its key, and the half-open span of its value."""

    key: int
    start: int
    end: int


class Document(Struct, frozen=True):
    """A parsed file. `places` has every member of the objects, by its path from the root; `in_arrays` what is in the
    arrays, where numbers are part of the path: the second item of `a` is `("a", "1")`. `repeated` are members that are
    given more than once, of which the last counts.
    """

    text: str
    value: dict[str, Any]
    root: Place
    places: dict[Path, Place]
    in_arrays: dict[Path, Place] = {}
    repeated: tuple[Path, ...] = ()

    def line(self, path: Path) -> int:
        place = self.places.get(path) or self.in_arrays[path]
        return self.text.count("\n", 0, place.key) + 1


def parse(text: str) -> Document:
    """Read an object; blank text is an empty one. Raises `JsonProblem`."""
    plain = _without_comments(text)
    if not plain.strip():
        return Document(text, {}, Place(0, 0, len(text)), {})
    notes = _Notes()
    try:
        value: Any = json.loads(plain, parse_constant=_refuse)
        if not isinstance(value, dict):
            raise JsonProblem(1, "Expecting an object")
        start = _skip(plain, 0)
        end = notes.object(plain, start, (), notes.places)
    except json.JSONDecodeError as error:
        raise JsonProblem(error.lineno, error.msg) from error
    except (ValueError, RecursionError) as error:
        raise JsonProblem(1, str(error)) from error
    members = cast("dict[str, Any]", value)
    return Document(text, members, Place(start, start, end), notes.places, notes.in_arrays, tuple(notes.repeated))


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is not JSON")


def _without_comments(text: str) -> str:
    def blank(match: re.Match[str]) -> str:
        found = match.group()
        return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)

    plain = _LEXEME.sub(blank, text)
    return _TRAILING_COMMA.sub(lambda match: match.group(1) or " ", plain)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


class _Notes:
    """Where things stand, gathered in one walk through a text that is known to be valid."""

    def __init__(self) -> None:
        self.places: dict[Path, Place] = {}
        self.in_arrays: dict[Path, Place] = {}
        self.repeated: list[Path] = []

    def object(self, text: str, at: int, path: Path, places: dict[Path, Place]) -> int:
        """Note what is in the object at `at` in `places`; the offset behind it."""
        at = _skip(text, at + 1)
        while text[at] != "}":
            key_at = at
            key, after = _decoder.raw_decode(text, at)
            start = _skip(text, _skip(text, after) + 1)
            member = (*path, str(key))
            if member in places:
                self.repeated.append(member)
            end = self._value(text, start, member, places)
            places[member] = Place(key_at, start, end)
            at = _next(text, end)
        return at + 1

    def _array(self, text: str, at: int, path: Path) -> int:
        at, number = _skip(text, at + 1), 0
        while text[at] != "]":
            member = (*path, str(number))
            end = self._value(text, at, member, self.in_arrays)
            self.in_arrays[member] = Place(at, at, end)
            at, number = _next(text, end), number + 1
        return at + 1

    def _value(self, text: str, at: int, path: Path, places: dict[Path, Place]) -> int:
        match text[at]:
            case "{":
                return self.object(text, at, path, places)
            case "[":
                return self._array(text, at, path)
            case _:
                return _decoder.raw_decode(text, at)[1]


def _next(text: str, at: int) -> int:
    """Past the comma that follows, if one does."""
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at


def replaced(document: Document, path: Path, value: Any) -> str:
    """The document's text with the member at `path` set to `value`, everything else as it was written."""
    written = json.dumps(value, ensure_ascii=False)
    if place := document.places.get(path):
        return document.text[: place.start] + written + document.text[place.end :]
    known = max((depth for depth in range(len(path)) if depth == 0 or path[:depth] in document.places), default=0)
    if known and not isinstance(_at(document.value, path[:known]), dict):
        return replaced(document, path[:known], _nested(path[known:], value))
    if not document.value and not document.text.strip():
        return json.dumps(_nested(path, value), ensure_ascii=False, indent=2) + "\n"
    return _inserted(document, path[:known], path[known:], value)


def _inserted(document: Document, parent: Path, rest: Path, value: Any) -> str:
    """Put a new first member into the object at `parent`: the one place that needs no look at its commas."""
    place = document.places.get(parent, document.root)
    indent = "  " * (len(parent) + 1)
    member = json.dumps(rest[0], ensure_ascii=False) + ": " + json.dumps(_nested(rest[1:], value), ensure_ascii=False)
    empty = not _at(document.value, parent)
    tail = f"\n{indent[2:]}" if empty and "\n" not in document.text[place.start : place.end] else ""
    cut = place.start + 1
    comma = "" if empty else ","
    return f"{document.text[:cut]}\n{indent}{member}{comma}{tail}{document.text[cut:]}"


def _at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def _nested(path: Path, value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value
