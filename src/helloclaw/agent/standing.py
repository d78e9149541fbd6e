"""What a person has decided for one session: its mode, and the rules granted with `always`."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from helloclaw.permissions.rules import Rule, RuleSet
from helloclaw.protocol.events import Mode

DENIALS_BEFORE_ADVICE = 3


class Standing:
    """Mutable, one per session. Also what came of it: denials in a row, what the model was told of its surroundings."""

    def __init__(self, mode: Mode) -> None:
        self.mode: Mode = mode
        self._granted: tuple[Rule, ...] = ()
        self._denials = 0
        self._last_told: dict[str, str] = {}
        self._told_lines: set[str] = set()
        self._lost: set[str] = set()

    def grant(self, rule: Rule) -> None:
        self._granted = (*self._granted, rule)

    def with_granted(self, rules: RuleSet) -> RuleSet:
        return msgspec.structs.replace(rules, allow=(*rules.allow, *self._granted)) if self._granted else rules

    def allowed(self) -> None:
        self._denials = 0

    def denied(self) -> bool:
        """Count a denial. True when it is the third in a row."""
        self._denials += 1
        return self._denials == DENIALS_BEFORE_ADVICE

    def told(self, topic: str, note: str) -> bool:
        """Remember what the model is being told about a topic. False if it knows that already."""
        if note == self._last_told.get(topic):
            return False
        self._last_told[topic] = note
        return True

    def untold(self, lines: Iterable[str]) -> tuple[str, ...]:
        """Those that the model has not been told yet; from now on it has."""
        fresh = tuple(line for line in dict.fromkeys(lines) if line not in self._told_lines)
        self._told_lines.update(fresh)
        return fresh

    def lost(self, topic: str) -> bool:
        """Whether the model has lost since what its own calls had told it; asked once, it is told."""
        was_lost = topic in self._lost
        self._lost.discard(topic)
        return was_lost

    def forget_told(self) -> None:
        """The conversation was shortened, and with it went what the model had been told: tell it again."""
        self._last_told.clear()
        self._told_lines.clear()
        self._lost = {"todo"}
