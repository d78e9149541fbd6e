"""The values of a decision: what is asked about, under which conditions, and the answer."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path
from typing import Any

from msgspec import Struct

from helloclaw.permissions.reasons import Why


class Behaviour(IntEnum):
    """Ordered from loose to strict, so that the strictest part of a compound is its `max`."""

    ALLOW = 0
    ASK = 1
    DENY = 2


class Call(Struct, frozen=True, kw_only=True):
    """A tool call as permissions see it. The facts come from the tool's declaration and its validated input.

    `reads` and `writes` are paths as the model wrote them; they are resolved against `Scope.cwd`. `command` is shell
    text.
    """

    tool: str
    input: dict[str, Any]
    read_only: bool = False
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    command: str | None = None


class Scope(Struct, frozen=True, kw_only=True):
    """Where the call happens. All paths are absolute and resolved. `roots` are free to read (workdir, home workspace,
    `--add-dir`); `controls` are the agent's own settings, which nothing may write.

    `known_urls` are those that the person typed, and those that a search result or a fetched page linked to.
    """

    workdir: Path
    cwd: Path
    home: Path
    roots: tuple[Path, ...]
    controls: tuple[Path, ...] = ()
    sandboxed: bool = False
    known_urls: frozenset[str] = frozenset()


class Part(Struct, frozen=True, kw_only=True):
    """The verdict on one command of a compound. `why` is `reason` before it was put into English."""

    text: str
    behaviour: Behaviour
    reason: str
    rule: str | None = None
    why: Why | None = None


class Verdict(Struct, frozen=True, kw_only=True):
    """The decision. `step` is the pipeline's step that made it (1 shell safety … 5 ask the person).

    `rule` is the rule that decided. `suggested_rules` are what `always` would save, narrowest first: each alone would
    let this call pass. `why` is `reason` before it was put into English. `confined`: it passes only into a sandbox.
    """

    behaviour: Behaviour
    reason: str
    step: int
    rule: str | None = None
    suggested_rules: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    why: Why | None = None
    confined: bool = False
