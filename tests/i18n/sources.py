"""What the program's sources say, read without running them: literals, the ids they speak, and who speaks."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

SOURCES = Path(__file__).parents[2] / "src" / "helloclaw"
ID = re.compile(r"[a-z_]+(\.[A-Za-z0-9_./-]+)+")
_SPEAKERS = frozenset({"say", "speak", "_say", "Phrase"})


class Literal(NamedTuple):
    path: Path
    line: int
    text: str

    @property
    def place(self) -> str:
        return f"{self.path.relative_to(SOURCES)}:{self.line}"


class Spoken(NamedTuple):
    """A call that speaks an id. `fields` are what it gives, None where they are computed."""

    place: str
    key: str
    fields: frozenset[str] | None
    advises: bool


@cache
def trees() -> dict[Path, ast.Module]:
    """All modules but the catalogues themselves."""
    paths = (path for path in SOURCES.rglob("*.py") if path.parent.name != "i18n" or path.stem not in {"en", "zh"})
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(paths)}


def literals(path: Path) -> Iterator[Literal]:
    """Every text in a module, also the parts of f-strings; without docstrings."""
    tree = trees()[path]
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield Literal(path, node.lineno, node.value)


class Ids(NamedTuple):
    """How ids are written: whole, or computed as `prefix{…}` or `{…}.suffix`."""

    whole: frozenset[str]
    prefixes: frozenset[str]
    suffixes: frozenset[str]

    def speak(self, key: str, computed: Collection[str]) -> bool:
        """Whether `key` is written out, is one of those `computed`, or is one of these with a suffix."""
        return (
            key in self.whole
            or key in computed
            or any(key.endswith(suffix) and self.speak(key.removesuffix(suffix), computed) for suffix in self.suffixes)
        )


def ids() -> Ids:
    whole, prefixes, suffixes = set[str](), set[str](), set[str]()
    for tree in trees().values():
        joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
        parts = {id(value) for node in joined for value in node.values}
        for node in joined:
            match node.values:
                case [ast.Constant(value=str(first)), *_] if re.fullmatch(r"[a-z_]+\.[a-z_.]*", first):
                    prefixes.add(first)
                case [ast.FormattedValue(), ast.Constant(value=str(last))] if re.fullmatch(r"[._][a-z_]+", last):
                    suffixes.add(last)
                case _:
                    pass
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
                whole.add(node.value)
    return Ids(frozenset(whole), frozenset(prefixes), frozenset(suffixes))


def spoken() -> Iterator[Spoken]:
    """Every call with an id written out: of `say` and `Phrase`, and of the errors that are spoken."""
    errors, advising = _subclasses("SpokenError"), _subclasses("AdvisedError")
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name not in _SPEAKERS | errors:
                continue
            given = [keyword.arg for keyword in node.keywords]
            fields = None if None in given else frozenset(arg for arg in given if arg)
            for argument in node.args:
                for key in _keys(argument):
                    place = f"{path.relative_to(SOURCES)}:{node.lineno}"
                    yield Spoken(place, key, fields, name in advising)


def _keys(node: ast.expr) -> list[str]:
    match node:
        case ast.Constant(value=str(text)) if ID.fullmatch(text):
            return [text]
        case ast.IfExp(body=body, orelse=orelse):
            return [*_keys(body), *_keys(orelse)]
        case _:
            return []


@cache
def _subclasses(of: str) -> frozenset[str]:
    bases = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = {of}
    while more := {name for name, names in bases.items() if names & found} - found:
        found |= more
    return frozenset(found)
