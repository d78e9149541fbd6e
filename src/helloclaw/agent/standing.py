"""What a person has decided for one session: its mode, and the rules granted with `always`."""

from __future__ import annotations

import msgspec

from helloclaw.permissions.rules import Rule, RuleSet
from helloclaw.protocol.events import Mode

DENIALS_BEFORE_ADVICE = 3


class Standing:
    """Mutable, one per session. Also what the session has said of it: denials in a row, the last note to the model."""

    def __init__(self, mode: Mode) -> None:
        self.mode: Mode = mode
        self._granted: tuple[Rule, ...] = ()
        self._denials = 0
        self._last_note = ""

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

    def told(self, note: str) -> bool:
        """Remember what the model is being told of its surroundings. False if it knows that already."""
        if note == self._last_note:
            return False
        self._last_note = note
        return True

    def forget_told(self) -> None:
        """Compaction took from the model what it had been told: tell it again."""
        self._last_note = ""
