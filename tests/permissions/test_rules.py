"""Rules: what is one, what it covers, what it binds, and the files they are kept in."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.permissions.rule_syntax import literal
from helloclaw.permissions.rules import BadRule, Rule, RuleSet, load_rules, parse_rule, remove_rule, save_rule
from helloclaw.permissions.verdict import Behaviour, Scope
from tests.permissions.judging import allowing, asking, behaviour, denying, judge

ALLOW, ASK, DENY = Behaviour


def rule(text: str) -> Rule:
    return parse_rule(text, source="user")


# Syntax


@pytest.mark.parametrize(
    ("text", "form", "words"),
    [
        ("Bash", "all", ()),
        ("Bash(*)", "all", ()),
        ("Bash(git status)", "exact", ("git", "status")),
        ("Bash(npm run test:*)", "prefix", ("npm", "run", "test")),
        ("Bash(npm run test *)", "prefix", ("npm", "run", "test")),
        ("Bash('npm' \"run\":*)", "prefix", ("npm", "run")),
        ("Bash(git * main)", "glob", ("git", "*", "main")),
        ("Bash(* --version)", "glob", ("*", "--version")),
        ("Bash(rm \\*)", "exact", ("rm", "*")),
        ("Bash(a && b)", "exact", ()),
        ("bash(ls)", "exact", ("ls",)),
    ],
)
def test_shell_rules(text: str, form: str, words: tuple[str, ...]) -> None:
    parsed = rule(text)

    assert (parsed.text, parsed.family, parsed.form, parsed.words) == (text, "Bash", form, words)


@pytest.mark.parametrize(
    ("text", "family", "tools", "pattern"),
    [
        ("Read", "Read", {"read_file", "search_content"}, None),
        ("Read(~/notes/**)", "Read", {"read_file", "search_content"}, "~/notes/**"),
        ("read_file(./x)", "Read", {"read_file"}, "x"),
        ("Edit(src/**)", "Edit", {"edit_file", "write_file"}, "src/**"),
        ("Write(src/**)", "Edit", {"edit_file", "write_file"}, "src/**"),
        ("WebFetch(domain:Example.org)", "WebFetch", {"web_fetch"}, "example.org"),
        ("WebSearch", "tool", {"web_search"}, None),
        ("TodoWrite", "tool", {"TodoWrite"}, None),
        ("mcp__github__create_issue", "tool", {"mcp__github__create_issue"}, None),
        ("mcp__github", "tool", {"mcp__github"}, None),
        ("Task(Explore)", "tool", {"run_subagent"}, "Explore"),
        ("my_tool", "tool", {"my_tool"}, None),
    ],
)
def test_other_rules(text: str, family: str, tools: set[str], pattern: str | None) -> None:
    parsed = rule(text)

    assert (parsed.family, set(parsed.tools), parsed.pattern) == (family, tools, pattern)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "write Tool or Tool(pattern)"),
        ("Bash(", "write Tool or Tool(pattern)"),
        ("Bash(ls", "write Tool or Tool(pattern)"),
        ("Bash)", "write Tool or Tool(pattern)"),
        ("Bash ls", "write Tool or Tool(pattern)"),
        ("(ls)", "write Tool or Tool(pattern)"),
        ("rm -rf", "write Tool or Tool(pattern)"),
        ("Bash()", "its pattern is empty"),
        ("Bash( )", "its pattern is empty"),
        ("Bash(:*)", "before `:*` there have to be whole words"),
        ("Bash(a && b:*)", "before `:*` there have to be whole words"),
        ("Bash($x:*)", "before `:*` there have to be whole words"),
        ("Bash(npm:* test)", "`:*` belongs at the end"),
        ("Bash(l\u200bs)", "invisible character U+200B"),
        ("Read(~root/x)", "only one's own"),
        ("Read(../x)", "can't climb"),
        ("Edit(!src/**)", "can't be negated"),
        ("WebFetch(example.org)", "WebFetch(domain:example.org)"),
        ("WebFetch(domain:)", "WebFetch(domain:example.org)"),
        ("calculator(1+1)", "takes no pattern"),
    ],
)
def test_what_is_no_rule_is_an_error_that_names_it(text: str, why: str) -> None:
    with pytest.raises(BadRule) as error:
        rule(text)

    assert error.value.text == text
    assert why in str(error.value)


@given(st.text(max_size=40))
def test_any_text_is_a_rule_or_a_bad_one(text: str) -> None:
    named = text.strip()
    try:
        named = rule(text).text
    except BadRule as error:
        named = error.text.strip()

    assert named == text.strip()


@given(st.text("ab *\\:'\"$", min_size=1, max_size=20).map(str.strip).filter(bool))
def test_any_command_can_be_written_as_a_pattern_for_itself(command: str) -> None:
    parsed = rule(f"Bash({literal(command)})")

    assert (parsed.form, parsed.pattern) == ("exact", command)


# What they let pass


@pytest.mark.parametrize(
    ("text", "command", "expected"),
    [
        ("Bash(npm test:*)", "npm test", ALLOW),
        ("Bash(npm test:*)", "npm test -- --watch", ALLOW),
        ("Bash(npm test:*)", "npm testing", ASK),
        ("Bash(npm test:*)", "npm run test", ASK),
        ("Bash(npm test:*)", "./npm test", ASK),
        ("Bash(npm test:*)", "'npm' \"test\" x", ALLOW),
        ("Bash(npm test:*)", "npm test $x", ALLOW),
        ("Bash(npm test:*)", "npm $x", ASK),
        ("Bash(npm test:*)", "npm test *.js", ALLOW),
        ("Bash(npm test:*)", "npm test | tail -5", ALLOW),
        ("Bash(npm test:*)", "cd src && npm test 2>&1", ALLOW),
        ("Bash(npm test:*)", "timeout 60 npm test", ALLOW),
        ("Bash(npm test:*)", "LC_ALL=C npm test", ALLOW),
        ("Bash(npm test:*)", "npm test > out.txt", ASK),
        ("Bash(npm test:*)", "npm test $(touch x)", ASK),
        ("Bash(npm test:*)", "npm test `touch x`", ASK),
        ("Bash(npm test:*)", "npm test <(touch x)", ASK),
        ("Bash(npm test:*)", "npm test ${x:-$(touch x)}", ASK),
        ("Bash(npm test:*)", "PATH=. npm test", ASK),
        ("Bash(npm test:*)", "NODE_OPTIONS=x npm test", ASK),
        ("Bash(npm test:*)", "npm test; touch x", ASK),
        ("Bash(npm test:*)", "npm test && touch x", ASK),
        ("Bash(npm test:*)", "npm test & touch x", ASK),
        ("Bash(npm test:*)", "npm test\ntouch x", ASK),
        ("Bash(npm test:*)", "npm(){ touch x; }; npm test", ASK),
        ("Bash(npm test:*)", "npm test # x", ASK),
        ("Bash(npm test:*)", "env npm test", ASK),
        ("Bash(npm test:*)", "xargs npm test", ASK),
        ("Bash(npm test:*)", "npm test < /etc/passwd", ASK),
        ("Bash(npm test:*)", "npm test <<< x", ASK),
        ("Bash(npm test:*)", "sudo npm test", DENY),
        ("Bash(npm test:*)", "npm test && rm -rf x", DENY),
        ("Bash(npm test)", "npm test", ALLOW),
        ("Bash(npm test)", "npm test x", ASK),
        ("Bash(npm test)", "npm  'test'", ALLOW),
        ("Bash(git * main)", "git merge main", ALLOW),
        ("Bash(git * main)", "git merge --no-ff main", ALLOW),
        ("Bash(git * main)", "git merge main x", ASK),
        ("Bash(npm run test*)", "npm run test:unit", ALLOW),
        ("Bash(npm run test*)", "npm run build", ASK),
        ("Bash(rm \\*)", "rm *", ALLOW),
        ("Bash(rm \\*)", "rm x", ASK),
        ("Bash(a && b > c)", "a && b > c", ALLOW),
        ("Bash(a && b > c)", "a && b > d", ASK),
        ("Bash", "touch x", ALLOW),
        ("Bash", "touch x > y $(id) &", ALLOW),
        ("Bash", "touch \u200b", ASK),
        ("Bash", "rm -r x", DENY),
        ("bash(touch:*)", "touch x", ALLOW),
        ("background_run(touch:*)", "touch x", ASK),
    ],
)
def test_what_a_shell_rule_lets_pass(text: str, command: str, expected: Behaviour, plain_scope: Scope) -> None:
    assert behaviour(command, plain_scope, allowing(text)) == expected


def test_a_compound_passes_when_every_part_does(plain_scope: Scope) -> None:
    rules = allowing("Bash(npm test:*)", "Bash(make lint)")

    verdict = judge("npm test && make lint && ls", plain_scope, rules)

    assert (verdict.behaviour, verdict.step, verdict.rule) == (ALLOW, 4, "Bash(npm test:*)")
    assert [part.rule for part in verdict.parts] == ["Bash(npm test:*)", "Bash(make lint)", None]
    assert behaviour("npm test && make all", plain_scope, rules) == ASK


# What they forbid


@pytest.mark.parametrize(
    ("text", "command", "expected"),
    [
        ("Bash(curl:*)", "curl x", DENY),
        ("Bash(curl:*)", "/usr/bin/curl x", DENY),
        ("Bash(curl:*)", 'cu"r"l x', DENY),
        ("Bash(curl:*)", "ls; curl x", DENY),
        ("Bash(curl:*)", "ls | xargs curl", DENY),
        ("Bash(curl:*)", "timeout 5 env A=1 curl x", DENY),
        ("Bash(curl:*)", "sh -c 'curl x'", DENY),
        ("Bash(curl:*)", "echo $(curl x)", DENY),
        ("Bash(curl:*)", "f(){ curl x; }; f", DENY),
        ("Bash(curl:*)", "c=curl; $c x", DENY),
        ("Bash(curl:*)", "find . -exec curl {} \\;", DENY),
        ("Bash(curl:*)", "curly x", ASK),
        ("Bash(git push:*)", "git push origin", DENY),
        ("Bash(git push:*)", "git -C . push", DENY),
        ("Bash(git push:*)", "git --no-pager push", DENY),
        ("Bash(git push:*)", "git -c a=b push", DENY),
        ("Bash(git push:*)", "git pull", ASK),
        ("Bash(ls)", "ls", DENY),
        ("Bash(ls)", "ls -la", ALLOW),
        ("Bash(ls:*)", "cd src && ls -la", DENY),
        ("Bash", "ls", DENY),
        ("Read(secrets/**)", "cat secrets/x", DENY),
        ("Read(secrets/**)", "cat ./sub/../secrets/x", DENY),
        ("Read(secrets/**)", "cd secrets && cat x", DENY),
        ("Read(secrets/**)", "cat < secrets/x", DENY),
        ("Read(secrets/**)", "jq . secrets/x", DENY),
        ("Read(secrets/**)", "cd secrets && jq . x", DENY),
        ("Read(secrets/**)", "cat src/secrets/x", ALLOW),
        ("Read(secrets/**)", "grep -r x .", ASK),
        ("Read(secrets/**)", "grep -r x src", ALLOW),
        ("Read(.env)", "cat sub/.env", DENY),
        ("Read(.env)", "rg x", ALLOW),
        ("Read(.env)", "rg --hidden x", ASK),
        ("Read(*.md)", "cat README.md", DENY),
        ("Edit(src/**)", "echo x > src/y", DENY),
        ("Edit(src/**)", "sed -i s/a/b/ src/y", DENY),
        ("Edit(src/**)", "cp y src/z", DENY),
        ("Edit(src/**)", "cat src/a.py", ALLOW),
    ],
)
def test_what_a_deny_rule_binds(text: str, command: str, expected: Behaviour, plain_scope: Scope) -> None:
    verdict = judge(command, plain_scope, denying(text))

    assert verdict.behaviour == expected
    if expected == DENY:
        assert (verdict.step, verdict.rule, verdict.suggested_rules) == (2, text, ())


def test_no_mode_and_no_allow_rule_passes_a_deny_rule(plain_scope: Scope) -> None:
    rules = RuleSet(allow=(rule("Bash"), rule("Bash(ls)")), deny=(rule("Bash(ls)"),))

    assert [judge("ls", plain_scope, rules, mode).behaviour for mode in ("default", "plan", "auto")] == [DENY] * 3


def test_ask_rules_hold_back_what_would_pass(plain_scope: Scope) -> None:
    verdict = judge("git status", plain_scope, asking("Bash(git status)"))

    assert (verdict.behaviour, verdict.rule, verdict.suggested_rules) == (ASK, "Bash(git status)", ())
    both = RuleSet(allow=(rule("Bash(npm test)"),), ask=(rule("Bash(npm:*)"),))
    assert behaviour("npm test", plain_scope, both) == ASK


# Files


def test_rules_are_loaded_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "permissions.json"
    path.write_text('\ufeff{"allow": ["Bash(npm test:*)"], "deny": ["Read(.env)"], "ask": []}', encoding="utf-8")

    assert load_rules(path, "project") == RuleSet(
        allow=(parse_rule("Bash(npm test:*)", source="project"),), deny=(parse_rule("Read(.env)", source="project"),)
    )
    assert load_rules(tmp_path / "none.json", "user") == RuleSet()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "the file is no JSON"),
        ("[]", "the file has to be"),
        ('{"alow": []}', "the lists of a rule file are allow, deny and ask"),
        ('{"allow": "Bash"}', "it has to be a list"),
        ('{"allow": ["Bash", 3]}', "allow[1]: '3' is not a rule: it has to be a string"),
        ('{"deny": ["Bash(ls"]}', "deny[0]: 'Bash(ls' is not a rule: write Tool or Tool(pattern)"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_that_names_it(content: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "permissions.json"
    path.write_text(content)

    with pytest.raises(BadRule) as error:
        load_rules(path, "user")

    assert str(error.value).startswith(f"permissions: {path}")
    assert says in str(error.value)


def test_rules_are_saved_once_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "home" / "permissions.json"

    for _ in range(2):
        save_rule(path, rule("Bash(npm test:*)"))
    save_rule(path, rule("Read(.env)"), "deny")

    assert json.loads(path.read_text()) == {"allow": ["Bash(npm test:*)"], "deny": ["Read(.env)"]}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (remove_rule(path, "Bash(npm test:*)"), remove_rule(path, "Bash(npm test:*)")) == (True, False)
    assert json.loads(path.read_text()) == {"allow": [], "deny": ["Read(.env)"]}
    assert not remove_rule(tmp_path / "none.json", "Bash")


def test_a_broken_file_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "permissions.json"
    path.write_text('{"allow": ["Bash(ls"]}')

    with pytest.raises(BadRule):
        save_rule(path, rule("Bash(ls)"))

    assert path.read_text() == '{"allow": ["Bash(ls"]}'


def test_an_untrusted_projects_rules_only_tighten() -> None:
    rules = RuleSet(allow=(rule("Bash"),), deny=(rule("Read(x)"),), ask=(rule("Edit"),))

    assert rules.tightening() == RuleSet(deny=(rule("Read(x)"),), ask=(rule("Edit"),))
    assert rules.with_rules(rules.tightening()).deny == (rule("Read(x)"), rule("Read(x)"))
