"""The seam between whoever starts a command and whoever confines it. Light: it is imported with every tool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

Kind = Literal["bubblewrap", "landlock", "none"]


class CannotConfine(Exception):
    """A place in which a sandbox could not hold what it promises. The text says why, in English."""


class Launch(Struct, frozen=True, kw_only=True):
    """What to execute, which open files it has to inherit, and variables to set. Once it runs, call `started`."""

    arguments: tuple[str, ...]
    inherited: tuple[int, ...] = ()
    environ: dict[str, str] = {}
    started: Callable[[], None] = lambda: None


class Sandbox(Protocol):
    """Whoever starts a command uses this to have it confined."""

    @property
    def kind(self) -> Kind: ...

    def confined(self, arguments: Sequence[str], cwd: Path) -> AbstractAsyncContextManager[Launch]:
        """The launch of one command; on leaving, nothing of it may run any more. Raises `CannotConfine`, `OSError`."""
        ...

    def close(self) -> None:
        """Remove what its commands shared. None of them runs any more."""
        ...
