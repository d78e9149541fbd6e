"""The files of the workspace: a closed set of names."""

from __future__ import annotations

from typing import Literal, get_args

from helloclaw.i18n import SpokenError

Name = Literal["AGENTS.md", "IDENTITY.md", "USER.md", "SOUL.md", "MEMORY.md", "BOOTSTRAP.md", "HEARTBEAT.md"]
NAMES: tuple[Name, ...] = get_args(Name)

_BY_STEM: dict[str, Name] = {name.removesuffix(".md").casefold(): name for name in NAMES}


class UnknownName(SpokenError):
    """None of the workspace's files is called so."""


def name_of(text: str) -> Name:
    """The file that a person, a program or a model means: in any case, with or without `.md`. Raises `UnknownName`."""
    # Compared as it is: no path is ever made of what was said.
    stem = text.casefold()
    found = _BY_STEM.get(stem.removesuffix(".md")) if text.isascii() else None
    if found is None:
        said = "".join(char if char.isprintable() else "?" for char in text[:60])
        raise UnknownName("workspace.no_such_file", name=said, names=", ".join(NAMES))
    return found
