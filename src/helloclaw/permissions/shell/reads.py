"""What a command that only reads would read. The values that a proof is made of."""

from __future__ import annotations

from msgspec import Struct


class File(Struct, frozen=True):
    """A path as written. `content`: more than its name and size."""

    path: str
    content: bool = True


class Tree(Struct, frozen=True):
    """A directory with all that is in it; with the `hidden` entries, and where links lead if it `follows` them.

    `named`: its names become words of a command line, so that none may be split or look like an option.
    """

    path: str
    hidden: bool = True
    follows: bool = False
    named: bool = False


class Reads(Struct, frozen=True, kw_only=True):
    """All that a command reads. `repository`: a directory whose Git settings it obeys. `moves_to`: where the shell is
    afterwards."""

    files: tuple[File, ...] = ()
    trees: tuple[Tree, ...] = ()
    repository: str | None = None
    moves_to: str | None = None


NOTHING = Reads()
