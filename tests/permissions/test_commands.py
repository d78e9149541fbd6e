"""Our own cases: attacks in many spellings, everyday reads, and harmless commands that look like attacks."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path

import pytest

from helloclaw.permissions.verdict import Behaviour, Scope
from tests.permissions.judging import Case, behaviour, judge, load_cases

_CASES = load_cases(Path(__file__).with_name("commands.jsonl"))


@pytest.mark.parametrize("case", _CASES, ids=attrgetter("id"))
def test_command_gets_its_verdict(case: Case, plain_scope: Scope) -> None:
    assert behaviour(case.cmd, plain_scope) == case.verdict


@pytest.mark.parametrize("case", _CASES, ids=attrgetter("id"))
def test_default_mode_lets_pass_the_same_shell_commands_as_auto(case: Case, plain_scope: Scope) -> None:
    assert behaviour(case.cmd, plain_scope, mode="default") == case.verdict


@pytest.mark.parametrize("case", _CASES, ids=attrgetter("id"))
def test_plan_mode_lets_pass_proven_reads_and_nothing_else(case: Case, plain_scope: Scope) -> None:
    verdict = judge(case.cmd, plain_scope, mode="plan")

    if case.verdict == Behaviour.ALLOW:
        assert verdict.behaviour == Behaviour.ALLOW
    else:  # a proven read outside the workspace is still asked about
        assert verdict.behaviour == Behaviour.DENY or all(part.why and part.why.id in _READS for part in verdict.parts)


_READS = ("reads", "outside", "secret", "secret_below", "follows_links")


def test_the_background_tool_is_judged_as_the_foreground_one(plain_scope: Scope) -> None:
    from helloclaw.permissions.decide import decide
    from tests.permissions.judging import NO_RULES, shell_call

    for command in ("ls -la", "npm test", "sudo id"):
        background = decide(shell_call(command, "background_run"), "auto", NO_RULES, plain_scope)
        assert background.behaviour == behaviour(command, plain_scope)


def test_length_and_hidden_characters_are_asked_about_and_no_rule_is_offered(plain_scope: Scope) -> None:
    long = judge("echo " + "a" * 10_000, plain_scope)
    hidden = judge("ls \u202e;ls", plain_scope)

    assert (long.behaviour, long.reason) == (Behaviour.ASK, "it has more than 10,000 characters")
    assert (hidden.behaviour, hidden.reason, hidden.suggested_rules) == (
        Behaviour.ASK,
        "it has control or invisible characters (U+202E)",
        (),
    )


@pytest.mark.parametrize(
    "character", ["\x00", "\x1b", "\r", "\x7f", "\u200b", "\u00a0", "\u2028", "\ufeff", "\U000e0041", "\u3164"]
)
def test_every_kind_of_hidden_character_is_asked_about(character: str, plain_scope: Scope) -> None:
    assert behaviour(f"echo a{character}b", plain_scope) == Behaviour.ASK


@pytest.mark.parametrize("text", ["echo 'a\tb'", "echo 中文，。！", "echo '✓ é ñ'", "ls\npwd"])
def test_what_a_person_can_see_is_not_hidden(text: str, plain_scope: Scope) -> None:
    assert behaviour(text, plain_scope) == Behaviour.ALLOW


def test_a_denied_command_is_found_wherever_it_is(plain_scope: Scope) -> None:
    many = ["ls"] * 300

    for place in (0, 50, 150, 299):
        for joint in (";", "&&", "||", "|", "\n", "&"):
            line = joint.join([*many[:place], "rm -rf build", *many[place:]])
            assert behaviour(line, plain_scope) == Behaviour.DENY


def test_what_is_too_deep_or_too_much_to_look_through_is_denied(plain_scope: Scope) -> None:
    deep = judge("eval " * 50 + "ls", plain_scope)
    endless = judge("ls " * 60_000, plain_scope)

    assert (deep.behaviour, deep.reason) == (Behaviour.DENY, "it holds more than can be looked through")
    assert (endless.behaviour, endless.reason) == (
        Behaviour.DENY,
        "it is longer than the system can run (180,000 bytes)",
    )


@pytest.mark.parametrize(
    "nesting", ["(%s)", "{ %s; }", "if true; then %s; fi", "$(%s)", "f(){ %s; }", "[[ -n $(%s) ]]"]
)
def test_deep_nesting_hides_nothing(nesting: str, plain_scope: Scope) -> None:
    line = "rm -rf build"
    for _ in range(60):
        line = nesting % line
    assert behaviour(line, plain_scope) == Behaviour.DENY


def test_a_verdict_shows_every_part(plain_scope: Scope) -> None:
    verdict = judge("ls src && npm test | tail -5; cat ../x", plain_scope)

    assert [(part.text, part.behaviour, part.reason) for part in verdict.parts] == [
        ("ls src", Behaviour.ALLOW, "it only reads"),
        ("npm test", Behaviour.ASK, "npm test is not known to only read"),
        ("tail -5", Behaviour.ALLOW, "it only reads"),
        ("cat ../x", Behaviour.ASK, "../x is outside the workspace"),
    ]
    assert (verdict.behaviour, verdict.step, verdict.reason) == (
        Behaviour.ASK,
        5,
        "npm test is not known to only read",
    )


def test_a_denial_names_its_part_and_step(plain_scope: Scope) -> None:
    verdict = judge("ls && bash -c 'rm -rf build'", plain_scope)

    assert (verdict.behaviour, verdict.step, verdict.reason, verdict.suggested_rules) == (
        Behaviour.DENY,
        1,
        "rm -r removes directories with all they hold",
        (),
    )
    assert [(part.text, part.behaviour) for part in verdict.parts] == [
        ("ls", Behaviour.ALLOW),
        ("bash -c 'rm -rf build'", Behaviour.DENY),
    ]
