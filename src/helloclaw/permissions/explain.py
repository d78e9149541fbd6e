"""A verdict as plain data, for `helloclaw permissions check` and whoever else wants to show why."""

from __future__ import annotations

from typing import Any

from helloclaw.permissions.reasons import Lang, Why
from helloclaw.permissions.verdict import Behaviour, Part, Verdict


def to_json(verdict: Verdict, lang: Lang = "en") -> dict[str, Any]:
    """Behaviour, reason, step, rule and suggested rules; and for each part its text, behaviour, reason and rule."""
    return {
        "behaviour": name_of(verdict.behaviour),
        "reason": _say(verdict.why, verdict.reason, lang),
        "step": verdict.step,
        "rule": verdict.rule,
        "suggested_rules": list(verdict.suggested_rules),
        "parts": [_part(part, lang) for part in verdict.parts],
    }


def name_of(behaviour: Behaviour) -> str:
    return behaviour.name.lower()


def _part(part: Part, lang: Lang) -> dict[str, Any]:
    return {
        "text": part.text,
        "behaviour": name_of(part.behaviour),
        "reason": _say(part.why, part.reason, lang),
        "rule": part.rule,
    }


def _say(why: Why | None, reason: str, lang: Lang) -> str:
    return why.say(lang) if why is not None else reason
