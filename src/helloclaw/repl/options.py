"""What the terminal's conversation is started with, and what it may be asked to do next. Plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from helloclaw.i18n import Texts

if TYPE_CHECKING:
    from helloclaw.agent.session import Session
    from helloclaw.settings.source import SettingsSource
    from helloclaw.storage.paths import Home


class Wish(NamedTuple):
    """The session to hold next: a new one, one that is resumed, or a copy of one.

    `first` is what the command line asked for: only there its flags count.
    """

    resume: str | None = None
    fork: bool = False
    first: bool = False


@dataclass(frozen=True, kw_only=True)
class ReplOptions:
    """`open` opens the session of a wish; `say` may change its language while it is held.

    `exists` says whether there is a session of that id. `explain` puts an error into words; one that nobody foresaw is
    written down first. `first` is the first wish.
    """

    source: SettingsSource
    home: Home
    say: Texts
    environ: Mapping[str, str]
    workdir: Path
    open: Callable[[Wish], AbstractAsyncContextManager[Session]]
    exists: Callable[[str], bool]
    explain: Callable[[Exception], str]
    first: Wish
    version: str = ""
