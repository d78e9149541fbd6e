"""Questions that stand in the place of the input line. The most urgent is seen; the others wait below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from helloclaw.repl.screen import Screen, View

QUIET_S = 0.5
QUIET_WITH_DRAFT_S = 1.5
"""How long no key may have come before one answers an urgent question: it may appear under busy fingers, and somebody
with a half-written text may be about to go on."""


class _Open(NamedTuple):
    view: View
    urgent: bool
    left: Callable[[], None]


class Views:
    """An urgent view is one that the agent asks for: it goes on top, and drops keys until the fingers have rested."""

    def __init__(self, screen: Screen, has_draft: Callable[[], bool]) -> None:
        self._screen = screen
        self._has_draft = has_draft
        self._open: list[_Open] = []

    def __bool__(self) -> bool:
        return bool(self._open)

    def put(
        self, view: View, *, urgent: bool = False, guarded: bool = False, left: Callable[[], None] = lambda: None
    ) -> None:
        """Open a view; `left` is called if it is closed from outside."""
        entry = _Open(view, urgent, left)
        at = len(self._open)
        while at and self._open[at - 1].urgent and not urgent:
            at -= 1
        self._open.insert(at, entry)
        if self._open[-1] is entry:
            self._screen.show(view, self._quiet_s() if guarded else 0.0)

    def take(self, view: View) -> None:
        """Close a view that was answered or is no longer needed; the one below it is seen again."""
        was_top = bool(self._open) and self._open[-1].view is view
        self._open = [each for each in self._open if each.view is not view]
        if was_top:
            top = self._open[-1] if self._open else None
            self._screen.show(None if top is None else top.view, self._quiet_s() if top and top.urgent else 0.0)

    def clear(self) -> None:
        """Close all of them, unanswered."""
        closed, self._open = self._open, []
        if closed:
            self._screen.show(None, 0.0)
        for each in closed:
            each.left()

    def _quiet_s(self) -> float:
        return QUIET_WITH_DRAFT_S if self._has_draft() else QUIET_S
