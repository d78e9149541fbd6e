"""A program's command line, read against the options it is allowed to have. Whatever is not in the table is no option.

Only what is written out in full counts: GNU programs take `--outp` for `--output`, so a list of forbidden options would
have holes. Values of options are never taken for options, as the table knows which options have them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

_DIGITS = re.compile(r"-\d+")


class Options(Struct, frozen=True, kw_only=True):
    """What a program may be given. Long names are without dashes.

    `flags` stand alone, `valued` take a value (attached or next), `maybe` take one only if it is attached. `attached`
    are those of `valued` whose value has to be attached, as otherwise it may be an operand; `paths` those whose value
    names a file that is read. `digits`: `-5` is allowed, as in `head -5`. `alone`: what is attached to a valued letter
    has a meaning of its own (`tree -Lo 2 FILE` writes), so that it may only be a number.
    """

    flags: frozenset[str]
    valued: frozenset[str]
    maybe: frozenset[str]
    paths: frozenset[str]
    attached: frozenset[str]
    digits: bool = False
    alone: bool = False


class Given(Struct, frozen=True, kw_only=True):
    """A command line understood. `options` in order, with their values."""

    options: tuple[tuple[str, str | None], ...]
    operands: tuple[str, ...]

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.options)

    def values(self, *names: str) -> list[str]:
        return [value for name, value in self.options if name in names and value is not None]


class Unknown(Struct, frozen=True):
    """An option that is not in the table."""

    text: str


def options(short: str = "", long: str = "", *, digits: bool = False, alone: bool = False) -> Options:
    """A table from the way `getopt` is told: `ab:c::` and `all color? max= file<`.

    `:` and `=` take a value, `::` and `?` may have one attached, `~` must, `<` take the name of a file to read.
    """
    tables: dict[str, set[str]] = {"": set(), ":": set(), "::": set(), "<": set(), "~": set()}
    for match in re.finditer(r"([^:<])(::|:|<)?", short):
        tables[match[2] or ""].add(match[1])
    for name in long.split():
        bare = name.rstrip("=?<~")
        tables[{"": "", "=": ":", "?": "::", "<": "<", "~": "~"}[name[len(bare) :]]].add(bare)
    return Options(
        flags=frozenset(tables[""]),
        valued=frozenset(tables[":"] | tables["<"] | tables["~"]),
        maybe=frozenset(tables["::"]),
        paths=frozenset(tables["<"]),
        attached=frozenset(tables["~"]),
        digits=digits,
        alone=alone,
    )


def read_options(arguments: Sequence[str], table: Options) -> Given | Unknown:
    """Split arguments as GNU `getopt_long` does: options may follow operands, `--` ends them."""
    found: list[tuple[str, str | None]] = []
    operands: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            operands += rest
            break
        if argument == "-" or not argument.startswith("-"):
            operands.append(argument)
            continue
        if argument.startswith("--"):
            option = _long(argument, table)
        elif table.digits and _DIGITS.fullmatch(argument):
            option = ("digits", argument[1:])
        else:
            option = _cluster(argument, table, found)
        if option is None:
            return Unknown(argument)
        name, value = option
        if name in table.valued and value is None:
            value = None if name in table.attached else next(rest, None)
            if value is None:
                return Unknown(argument)
        if name:
            found.append((name, value))
    return Given(options=tuple(found), operands=tuple(operands))


def _long(argument: str, table: Options) -> tuple[str, str | None] | None:
    name, has_value, value = argument[2:].partition("=")
    if len(name) < 2:
        return None
    if has_value:
        return (name, value) if name in table.valued or name in table.maybe else None
    return (name, None) if name in table.flags or name in table.valued or name in table.maybe else None


def _cluster(argument: str, table: Options, found: list[tuple[str, str | None]]) -> tuple[str, str | None] | None:
    """`-abc`: the flags before the last go to `found`; the last may have a value."""
    for index in range(1, len(argument)):
        letter = argument[index]
        if letter in table.flags:
            found.append((letter, None))
        elif letter in table.valued or letter in table.maybe:
            attached = argument[index + 1 :]
            if attached and table.alone and not attached.isdecimal():
                return None
            return letter, attached or None
        else:
            return None
    return "", None
