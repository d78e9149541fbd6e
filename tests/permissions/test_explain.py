"""Verdicts as data, in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import helloclaw.permissions
from helloclaw.permissions.explain import to_json
from helloclaw.permissions.reasons import TEXTS, Why
from helloclaw.permissions.verdict import Scope
from tests.permissions.judging import allowing, judge


def test_a_verdict_as_json(plain_scope: Scope) -> None:
    assert to_json(judge("ls && npm test", plain_scope)) == {
        "behaviour": "ask",
        "reason": "npm test is not known to only read",
        "step": 5,
        "rule": None,
        "suggested_rules": ["Bash(ls && npm test)", "Bash(npm test:*)"],
        "parts": [
            {"text": "ls", "behaviour": "allow", "reason": "it only reads", "rule": None},
            {"text": "npm test", "behaviour": "ask", "reason": "npm test is not known to only read", "rule": None},
        ],
    }


def test_a_verdict_by_a_rule_in_chinese(plain_scope: Scope) -> None:
    assert to_json(judge("npm test", plain_scope, allowing("Bash(npm:*)")), "zh") == {
        "behaviour": "allow",
        "reason": "规则 Bash(npm:*) 允许",
        "step": 4,
        "rule": "Bash(npm:*)",
        "suggested_rules": [],
        "parts": [{"text": "npm test", "behaviour": "allow", "reason": "规则 Bash(npm:*) 允许", "rule": "Bash(npm:*)"}],
    }


def test_every_reason_is_used_and_said_in_both_languages() -> None:
    sources = Path(helloclaw.permissions.__file__).parent.rglob("*.py")
    used = {found for path in sources for found in re.findall(r'Why\(\s*"(\w+)"', path.read_text(encoding="utf-8"))}
    variable = {"expansion", "substitution"}

    assert used | variable == set(TEXTS)
    for english, chinese in TEXTS.values():
        assert english.count("{}") == chinese.count("{}")
        assert not english.isspace()
        assert not chinese.isascii()


def test_braces_in_what_a_reason_is_about_are_left_alone() -> None:
    assert str(Why("outside", "{}/x{0}")) == "{}/x{0} is outside the workspace"
