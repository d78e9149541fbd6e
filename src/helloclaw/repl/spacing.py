"""Empty rows between what belongs apart, none between what belongs together. Pure but for what came last."""

from __future__ import annotations

from typing import Literal

Kind = Literal["user", "answer", "thought", "tool", "question", "note", "echo", "reply", "output"]

_ALWAYS_APART = frozenset({"user", "echo"})


class Spacing:
    """Call it with each text in turn, whole rows; it gives the text with an empty row before it where one is due."""

    def __init__(self) -> None:
        self._last: Kind = "note"  # the greeting

    def __call__(self, kind: Kind, text: str) -> str:
        shown = text if kind == "answer" else text.strip("\n")
        if not shown:
            return ""
        if not shown.endswith("\n"):
            shown += "\n"
        apart = kind != self._last or kind in _ALWAYS_APART
        self._last = kind
        return f"\n{shown}" if apart else shown

    def part(self) -> None:
        """What comes next stands apart, also if it is of the same kind."""
        self._last = "user"
