"""Properties that hold for any spelling, any joining and any rules."""

from __future__ import annotations

import shlex
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helloclaw.permissions.rules import RuleSet, parse_rule
from helloclaw.permissions.shell.parse import parse
from helloclaw.permissions.verdict import Behaviour, Scope
from tests.permissions.judging import allowing, behaviour, denying, judge, load_cases

_CASES = load_cases(Path(__file__).with_name("commands.jsonl"))
_DENIED = [case.cmd for case in _CASES if case.verdict == Behaviour.DENY]
_ANY = [case.cmd for case in _CASES]
_ASKED = [case.cmd for case in _CASES if case.verdict == Behaviour.ASK]

# A here-document, an open quote, a comment or half a statement takes in what follows: joined, the parts are not parts.
_JOINABLE = [
    command
    for command in _ANY
    if command.strip() and command[-1] != "&" and "<<" not in command and not parse(command, "/home/me").problems
]

# Denied commands whose words can be spelled in other ways without meaning something else.
_SIMPLE_DENIED = [
    ["rm", "-rf", "build"],
    ["rm", "--recursive", "build"],
    ["rm", "build", "-R"],
    ["/bin/rm", "-fr", "build"],
    ["sudo", "id"],
    ["su", "-c", "id"],
    ["doas", "id"],
    ["mkfs.ext4", "/dev/sda1"],
    ["dd", "if=x", "of=/dev/sda"],
    ["shutdown", "-h", "now"],
    ["reboot"],
    ["init", "0"],
    ["chmod", "-R", "777", "/"],
    ["tee", ".hooks.json"],
    ["cp", "x", ".claude/permissions.json"],
    ["claude", "--permission-mode", "auto"],
    ["helloclaw", "--mode", "auto"],
]

# The same examples in every run; to search for more, raise their number and take `derandomize` away.
fast = settings(
    deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150
)


def _spell(draw: st.DrawFn, word: str) -> str:
    """The word in some spelling that bash reads as the same word."""
    spelled = ""
    for character in word:
        match draw(st.integers(0, 6)):
            case 0:
                spelled += f"'{character}'"
            case 1:
                spelled += f'"{character}"'
            case 2 if character.isalnum():
                spelled += f"\\{character}"
            case 3:
                spelled += f"$'\\x{ord(character):02x}'"
            case 4:
                spelled += draw(st.sampled_from(["''", '""', "${nothing}", "$@"])) + character
            case _:
                spelled += character
    return spelled


@st.composite
def spelled_denied(draw: st.DrawFn) -> str:
    """A denied command in any quoting."""
    words = [_spell(draw, word) for word in draw(st.sampled_from(_SIMPLE_DENIED))]
    return draw(st.sampled_from([" ", "  ", "\t"])).join(words)


_WRAPPERS = [
    "{}",
    "( {} )",
    "{{ {}; }}",
    "! {}",
    "if true; then {}; fi",
    "while false; do {}; done",
    "for i in 1; do {}; done",
    "f() {{ {}; }}; f",
    "echo $({})",
    'echo "$({})"',
    "cat <({})",
    "x=$({})",
    "{} &",
    "{} | cat",
    "cat f | {}",
    "true && {}",
    "false || {}",
    "ls; {}",
    "ls\n{}",
    "case x in x) {};; esac",
    "time {}",
    "coproc {}",
    "{} 2>/dev/null",
    ">/dev/null {}",
    "until {}; do :; done",
    '[ -n "$({})" ]',
    "cat <<E\n$({})\nE",
    "echo ${{x:-$({})}}",
    "a=1 {}",
]
_PREFIXES = [
    "env",
    "env A=1",
    "env -i",
    "env -u A",
    "command",
    "timeout 5",
    "timeout -s KILL 5",
    "nice",
    "nice -n 5",
    "nohup",
    "setsid",
    "stdbuf -oL",
    "ionice -c 3",
    "exec",
    "builtin command",
    "xargs",
    "xargs -n 1",
    "xargs -I{} ",
    "find . -exec",
    "busybox",
    "chroot /",
    "time -p",
    "strace",
    "caffeinate",
    "taskset 1",
    "unshare -r",
    "find . -name x -execdir",
]
_TEXT_WRAPPERS = [
    "sh -c {}",
    "bash -c {}",
    "bash -lc {}",
    "eval {}",
    "zsh -c {}",
    "trap {} EXIT",
    "bash <<< {}",
    "echo {} | sh",
    "printf %s {} | bash",
    "env sh -c {}",
    "find . -exec sh -c {} \\;",
    "xargs sh -c {}",
    "busybox sh -c {}",
    'x={}; eval "$x"',
    'x={}; bash -c "$x"',
    "watch {}",
    "script -c {}",
]


@st.composite
def wrapped_denied(draw: st.DrawFn) -> str:
    """A denied command within up to three wrappers of any kind."""
    line = draw(spelled_denied())
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 2))
        if kind == 0:
            line = draw(st.sampled_from(_WRAPPERS)).format(line)
        elif kind == 1 and _is_one_command(line):
            line = f"{draw(st.sampled_from(_PREFIXES))} {line}"
        else:
            line = draw(st.sampled_from(_TEXT_WRAPPERS)).format(shlex.quote(line))
    return line


def _is_one_command(line: str) -> bool:
    return not any(mark in line for mark in ";&|(){}<>\n!=") and line.split()[0] not in (
        "if",
        "while",
        "for",
        "until",
        "case",
    )


@fast
@given(line=spelled_denied())
def test_quoting_never_loosens(line: str, plain_scope: Scope) -> None:
    assert behaviour(line, plain_scope) == Behaviour.DENY


@fast
@given(line=wrapped_denied())
def test_wrapping_never_loosens(line: str, plain_scope: Scope) -> None:
    assert behaviour(line, plain_scope) == Behaviour.DENY


@fast
@given(commands=st.lists(st.sampled_from(_JOINABLE), min_size=2, max_size=5), data=st.data())
def test_joining_is_never_looser_than_the_strictest_part(
    commands: list[str], data: st.DataObject, plain_scope: Scope
) -> None:
    line = commands[0]
    for command in commands[1:]:
        line += data.draw(st.sampled_from(["; ", " && ", " || ", " | ", "\n"])) + command

    strictest = max(behaviour(command, plain_scope) for command in commands)

    assert behaviour(line, plain_scope) >= strictest


@fast
@given(command=st.sampled_from(_ASKED))
def test_each_suggested_rule_alone_lets_the_command_pass(command: str, plain_scope: Scope) -> None:
    verdict = judge(command, plain_scope)

    for rule in verdict.suggested_rules:
        assert parse_rule(rule, source="flag").text == rule
        assert behaviour(command, plain_scope, allowing(rule)) == Behaviour.ALLOW


@fast
@given(command=st.sampled_from(_ASKED), other=st.sampled_from(_ASKED))
def test_rules_are_suggested_narrowest_first(command: str, other: str, plain_scope: Scope) -> None:
    """What a rule lets pass, the one offered after it lets pass as well."""
    verdicts = [behaviour(other, plain_scope, allowing(rule)) for rule in judge(command, plain_scope).suggested_rules]

    assert verdicts == sorted(verdicts, reverse=True)


@pytest.mark.parametrize(
    ("command", "rules"),
    [
        ("touch a", ("Bash(touch a)", "Bash(touch:*)")),
        ("npm test -- -x", ("Bash(npm test -- -x)", "Bash(npm test:*)")),
        ("ls && npm test", ("Bash(ls && npm test)", "Bash(npm test:*)")),
        ("cat /etc/hosts", ("Bash(cat /etc/hosts)", "Read(//etc/hosts)")),
        ("rm a", ("Bash(rm a)",)),
        ("for i in a; do touch $i; done", ("Bash(for i in a; do touch $i; done)",)),
    ],
)
def test_the_text_itself_is_suggested_before_what_is_like_it(
    command: str, rules: tuple[str, ...], plain_scope: Scope
) -> None:
    assert judge(command, plain_scope).suggested_rules == rules


def test_what_can_be_asked_about_can_be_allowed_by_a_rule(plain_scope: Scope) -> None:
    unnamed = [command for command in _ASKED if not judge(command, plain_scope).suggested_rules]

    assert unnamed == ["", " "]


def test_a_suggested_rule_never_lets_a_denied_command_pass(plain_scope: Scope) -> None:
    every = allowing(*_suggestions(plain_scope), "Bash", "Read", "Edit")

    assert [command for command in _DENIED if behaviour(command, plain_scope, every) != Behaviour.DENY] == []


@cache
def _suggestions(scope: Scope) -> tuple[str, ...]:
    return tuple({rule for command in _ASKED for rule in judge(command, scope).suggested_rules})


_RULES = [
    "Bash",
    "Bash(ls:*)",
    "Bash(git push:*)",
    "Bash(cat:*)",
    "Bash(npm test)",
    "Read",
    "Read(src/**)",
    "Read(.env)",
    "Edit(src/**)",
]


@fast
@given(
    command=st.sampled_from(_ANY),
    allow=st.lists(st.sampled_from(_RULES), max_size=3),
    deny=st.lists(st.sampled_from(_RULES), max_size=3),
)
def test_deny_rules_only_tighten_and_allow_rules_never_lift_a_denial(
    command: str, allow: list[str], deny: list[str], plain_scope: Scope
) -> None:
    allowed, denied = allowing(*allow), denying(*deny)
    both = RuleSet(allow=allowed.allow, deny=denied.deny)

    assert behaviour(command, plain_scope, both) >= behaviour(command, plain_scope, allowed)
    assert behaviour(command, plain_scope, allowed) <= behaviour(command, plain_scope)
    assert (behaviour(command, plain_scope, denied) == Behaviour.DENY) == (
        behaviour(command, plain_scope, both) == Behaviour.DENY
    )


_FRAGMENTS = st.sampled_from(
    [
        "ls",
        "rm",
        "-rf",
        "x",
        "$(",
        ")",
        "`",
        "'",
        '"',
        "\\",
        "\n",
        ";",
        "&&",
        "|",
        "<",
        ">",
        "<<E",
        "{",
        "}",
        "[[",
        "]]",
        "((",
        "$x",
        "${x",
        "}",
        "if",
        "then",
        "fi",
        "*",
        "~",
        "#",
        "\x00",
        "\ud800",
        "é",
        "文",
        " ",
        "\t",
        "!",
        "=",
        "a=",
        "for",
        "in",
        "do",
        "done",
    ]
)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(text=st.one_of(st.text(max_size=60), st.lists(_FRAGMENTS, max_size=25).map("".join)))
def test_any_text_gets_a_verdict(text: str, plain_scope: Scope) -> None:
    verdict = judge(text, plain_scope)

    assert verdict.behaviour >= max((part.behaviour for part in verdict.parts), default=Behaviour.ALLOW)
    assert (verdict.behaviour == Behaviour.ALLOW) <= bool(verdict.parts)
