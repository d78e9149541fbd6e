"""The seam between `pull` and the places weights come from."""

from __future__ import annotations

from typing import Protocol

from helloclaw.llm.local.partial import Partial
from helloclaw.llm.local.progress import Meter


class SourceFailed(Exception):
    """This source can't give the (rest of the) file. The text says why, for a person; another source may."""


class Source(Protocol):
    """Somewhere to get weights from. `name` is what a person is told."""

    name: str

    async def fill(self, partial: Partial, meter: Meter) -> None:
        """Append to `partial` until it is complete. Raises `SourceFailed`, or `OSError` when writing fails."""
        ...
