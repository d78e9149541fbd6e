"""Every tool but the shell: files, the web, the agent's own books, and tools that nobody knows."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from helloclaw.permissions.decide import decide
from helloclaw.permissions.rules import RuleSet
from helloclaw.permissions.verdict import Behaviour, Call, Scope, Verdict
from helloclaw.protocol.events import Mode
from tests.permissions.judging import NO_RULES, allowing, asking, denying

ALLOW, ASK, DENY = Behaviour


def read(path: str) -> Call:
    return Call(tool="read_file", input={"path": path}, read_only=True, reads=(path,))


def write(path: str, tool: str = "write_file") -> Call:
    return Call(tool=tool, input={"path": path}, writes=(path,))


def fetch(url: str) -> Call:
    return Call(tool="web_fetch", input={"url": url}, read_only=True, urls=(url,))


def tool(name: str, *, read_only: bool = False) -> Call:
    return Call(tool=name, input={}, read_only=read_only)


def judged(call: Call, scope: Scope, rules: RuleSet = NO_RULES, mode: Mode = "default") -> Verdict:
    return decide(call, mode, rules, scope)


def summary(verdict: Verdict) -> tuple[Behaviour, str, tuple[str, ...]]:
    return verdict.behaviour, verdict.reason, verdict.suggested_rules


# Files


def test_reading_inside_is_free_outside_is_asked_about(plain_scope: Scope) -> None:
    assert summary(judged(read("README.md"), plain_scope)) == (ALLOW, "reading inside the workspace is free", ())
    assert summary(judged(read("/etc/hosts"), plain_scope)) == (
        ASK,
        "/etc/hosts is outside the workspace",
        ("Read(//etc/hosts)", "Read(//etc/**)"),
    )
    assert summary(judged(read(".env"), plain_scope)) == (ASK, ".env looks like a secret", ("Read(.env)",))
    assert summary(judged(read("~/notes/a.md"), plain_scope)) == (
        ASK,
        "~/notes/a.md is outside the workspace",
        ("Read(~/notes/a.md)", "Read(~/notes/**)"),
    )


def test_writing_asks_and_offers_a_rule_for_the_file_and_its_directory(plain_scope: Scope) -> None:
    assert summary(judged(write("src/a.py"), plain_scope)) == (
        ASK,
        "it writes src/a.py",
        ("Edit(src/a.py)", "Edit(src/**)"),
    )
    assert summary(judged(write("README.md"), plain_scope)) == (ASK, "it writes README.md", ("Edit(README.md)",))
    assert judged(write("src/a.py"), plain_scope, mode="auto").behaviour == ASK


@pytest.mark.parametrize(
    "name", ["a b.py", "a*b?.py", "[x].py", "a(b).py", "文档.md", "a\\b", "sub/x y/z", "-x", "!x", "~x", " x"]
)
def test_any_file_name_can_be_named_by_a_rule(name: str, plain_scope: Scope) -> None:
    rules = judged(write(name), plain_scope).suggested_rules

    for rule in rules:
        assert judged(write(name), plain_scope, allowing(rule)).behaviour == ALLOW
    assert rules or name in ("!x", "~x", " x")


def test_the_agents_controls_are_never_written(plain_scope: Scope) -> None:
    everything = allowing("Edit", "Edit(**)", "Edit(.claude/**)", "Edit(.hooks.json)")

    for path in (".hooks.json", ".claude/settings.json", "src/../.hooks.disabled", "~/.helloclaw/config.json"):
        for name in ("write_file", "edit_file", "somebodys_tool"):
            verdict = judged(write(path, name), plain_scope, everything)
            assert (verdict.behaviour, verdict.step, verdict.suggested_rules) == (DENY, 2, ())
    assert judged(read(".hooks.json"), plain_scope).behaviour == ALLOW


@pytest.mark.parametrize(
    ("rule", "path", "expected"),
    [
        ("Edit", "src/a.py", ALLOW),
        ("Edit", ".git/hooks/pre-commit", ASK),
        ("Edit", ".env", ASK),
        ("Edit(**)", "src/a.py", ALLOW),
        ("Edit(**)", ".git/config", ASK),
        ("Edit(.git/**)", ".git/config", ALLOW),
        ("Edit(**)", "../x", ASK),
        ("Edit(src/**)", "src/deep/a.py", ALLOW),
        ("Edit(src/**)", "srcs/a.py", ASK),
        ("Edit(src)", "src/a.py", ALLOW),
        ("Edit(src/*)", "src/a.py", ALLOW),
        ("Edit(src/*)", "src/deep/a.py", ASK),
        ("Edit(src/*.py)", "src/a.py", ALLOW),
        ("Edit(src/*.py)", "src/a.js", ASK),
        ("Edit(**/*.py)", "src/deep/a.py", ALLOW),
        ("Edit(/src/**)", "src/a.py", ALLOW),
        ("Edit(./src/**)", "src/a.py", ALLOW),
        ("Edit(~/x/**)", "~/x/y", ALLOW),
        ("Edit(//tmp/x/**)", "/tmp/x/y", ALLOW),
        ("Edit(/tmp/x/**)", "/tmp/x/y", ALLOW),
        ("Edit(a?.py)", "ab.py", ALLOW),
        ("Edit([ab].py)", "a.py", ALLOW),
        ("Edit([!ab].py)", "a.py", ASK),
        ("Read(src/**)", "src/a.py", ASK),
        ("write_file(src/**)", "src/a.py", ALLOW),
        ("edit_file(src/**)", "src/a.py", ASK),
        ("Bash", "src/a.py", ASK),
    ],
)
def test_what_a_path_rule_lets_pass(rule: str, path: str, expected: Behaviour, plain_scope: Scope) -> None:
    assert judged(write(path), plain_scope, allowing(rule)).behaviour == expected


@pytest.mark.parametrize(
    ("rule", "call", "expected"),
    [
        ("Read(src/**)", read("src/a.py"), DENY),
        ("Read(src/**)", read("SRC/a.py"), DENY),
        ("Read(src/**)", read("src"), DENY),
        ("Read(src/*)", read("src/deep/x"), DENY),
        ("Read(.env)", read("deep/.env"), DENY),
        ("Read(.env*)", read("/other/.env.local"), DENY),
        ("Read(src/**)", read("tests/a.py"), ALLOW),
        ("Read", read("README.md"), DENY),
        ("Edit", write("src/a.py"), DENY),
        ("Edit(src/**)", write("src/a.py", "somebodys_tool"), DENY),
        ("Edit(src/**)", read("src/a.py"), ALLOW),
        ("read_file", read("README.md"), DENY),
    ],
)
def test_what_a_path_rule_forbids(rule: str, call: Call, expected: Behaviour, plain_scope: Scope) -> None:
    assert judged(call, plain_scope, denying(rule), mode="auto").behaviour == expected


def test_rules_bind_where_a_link_ends_and_where_it_is(scope: Scope) -> None:
    (scope.workdir / "link").symlink_to("src")
    (scope.workdir / "out").symlink_to("/etc")

    assert judged(read("link/a.py"), scope, denying("Read(src/**)")).behaviour == DENY
    assert judged(read("link/a.py"), scope, denying("Read(link/**)")).behaviour == DENY
    assert judged(write("link/a.py"), scope, allowing("Edit(link/**)")).behaviour == ALLOW
    assert judged(write("link/a.py"), scope, allowing("Edit(src/**)")).behaviour == ALLOW
    assert judged(write("out/x"), scope, allowing("Edit(**)")).behaviour == ASK
    assert judged(read("out/hosts"), scope).behaviour == ASK


def test_searching_asks_where_a_rule_forbids_part_of_it(plain_scope: Scope) -> None:
    search = Call(tool="search_content", input={"pattern": "x"}, read_only=True, reads=(".",))

    assert judged(search, plain_scope).behaviour == ALLOW
    assert judged(search, plain_scope, denying("Read(src/private/**)")).behaviour == ASK
    assert judged(search, plain_scope, denying("Read(//elsewhere/**)")).behaviour == ALLOW


def test_ask_rules_hold_back_reads(plain_scope: Scope) -> None:
    verdict = judged(read("README.md"), plain_scope, asking("Read(*.md)"), mode="auto")

    assert (verdict.behaviour, verdict.rule) == (ASK, "Read(*.md)")


# The web


def test_only_addresses_that_were_given_are_free(plain_scope: Scope) -> None:
    scope = msgspec.structs.replace(plain_scope, known_urls=frozenset({"https://example.org/a#top"}))

    assert judged(fetch("https://example.org/a"), scope).behaviour == ALLOW
    assert summary(judged(fetch("https://example.org/a?secret=1"), scope)) == (
        ASK,
        "nobody gave it the address https://example.org/a?secret=1",
        ("WebFetch(domain:example.org)",),
    )
    assert judged(fetch("https://example.org/a"), scope, denying("WebFetch(domain:example.org)")).behaviour == DENY


@pytest.mark.parametrize(
    ("rule", "url", "expected"),
    [
        ("WebFetch", "https://x.org", ALLOW),
        ("WebFetch(domain:x.org)", "https://x.org/a", ALLOW),
        ("WebFetch(domain:x.org)", "https://X.ORG:8080/a", ALLOW),
        ("WebFetch(domain:x.org)", "https://a.x.org/", ASK),
        ("WebFetch(domain:*.x.org)", "https://a.x.org/", ALLOW),
        ("WebFetch(domain:*.x.org)", "https://ax.org/", ASK),
        ("WebFetch(domain:x.org)", "https://x.org@evil.org/", ASK),
        ("WebFetch(domain:x.org)", "https://evil.org\\@x.org/", ASK),
        ("WebFetch(domain:x.org)", "https://x.org.evil.org/", ASK),
        ("WebFetch(domain:x.org)", "file://x.org/etc/passwd", ASK),
        ("WebFetch(domain:x.org)", "https://x.org\t/", ASK),
        ("WebFetch(domain:x.org)", "https://[", ASK),
    ],
)
def test_what_a_domain_rule_lets_pass(rule: str, url: str, expected: Behaviour, plain_scope: Scope) -> None:
    assert judged(fetch(url), plain_scope, allowing(rule)).behaviour == expected


@pytest.mark.parametrize("url", ["https://x.org", "https://a.x.org", "https://u@x.org", "https://X.org."])
def test_a_domain_that_is_forbidden_is_so_with_all_below_it(url: str, plain_scope: Scope) -> None:
    assert judged(fetch(url), plain_scope, denying("WebFetch(domain:x.org)")).behaviour == DENY


# The rest


@pytest.mark.parametrize(
    "name",
    [
        "TodoWrite",
        "calculator",
        "check_background",
        "web_search",
        "task_list",
        "memory_search",
        "memory_add",
        "task_create",
        "load_skill",
    ],
)
def test_the_agents_own_books_are_free(name: str, plain_scope: Scope) -> None:
    assert judged(tool(name), plain_scope).behaviour == ALLOW


@pytest.mark.parametrize(
    "name", ["run_subagent", "spawn_teammate", "cron_create", "cron_delete", "memory_cleanup", "mcp__x__y", "my_tool"]
)
def test_what_reaches_further_asks_and_offers_the_tool(name: str, plain_scope: Scope) -> None:
    verdict = judged(tool(name), plain_scope, mode="auto")

    assert summary(verdict) == (ASK, f"{name} needs your approval", (name,))
    assert judged(tool(name), plain_scope, allowing(name)).behaviour == ALLOW


def test_a_tool_that_says_it_only_reads_is_not_believed_unasked(plain_scope: Scope) -> None:
    assert judged(tool("my_tool", read_only=True), plain_scope, mode="auto").behaviour == ASK


def test_mcp_tools_by_server(plain_scope: Scope) -> None:
    assert judged(tool("mcp__a__x"), plain_scope, allowing("mcp__a")).behaviour == ALLOW
    assert judged(tool("mcp__a__x"), plain_scope, allowing("mcp__a__*")).behaviour == ALLOW
    assert judged(tool("mcp__ab__x"), plain_scope, allowing("mcp__a")).behaviour == ASK
    assert judged(tool("mcp__a__x"), plain_scope, denying("mcp__a")).behaviour == DENY


def test_agents_by_type(plain_scope: Scope) -> None:
    explore = Call(tool="run_subagent", input={"prompt": "x", "agent_type": "Explore"})

    assert judged(explore, plain_scope, allowing("Task(Explore)")).behaviour == ALLOW
    assert judged(explore, plain_scope, allowing("Task(general-purpose)")).behaviour == ASK


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (read("README.md"), ALLOW),
        (read("/etc/hosts"), ASK),
        (write("README.md"), DENY),
        (fetch("https://x.org"), ASK),
        (tool("TodoWrite"), ALLOW),
        (tool("memory_add"), ALLOW),
        (tool("task_create"), DENY),
        (tool("run_subagent"), DENY),
        (tool("send_message"), DENY),
        (tool("cron_create"), DENY),
        (tool("my_tool"), DENY),
        (tool("my_tool", read_only=True), ASK),
    ],
)
def test_plan_mode_refuses_what_writes_or_starts_agents(call: Call, expected: Behaviour, plain_scope: Scope) -> None:
    verdict = judged(call, plain_scope, allowing("Edit", "run_subagent"), mode="plan")

    assert verdict.behaviour == expected
    if expected == DENY:
        assert (verdict.step, verdict.suggested_rules) == (3, ())


def test_the_order_of_steps(plain_scope: Scope) -> None:
    assert judged(read("README.md"), plain_scope, mode="auto").step == 3
    assert judged(read("README.md"), plain_scope, mode="default").step == 4
    assert judged(write("x"), plain_scope, allowing("Edit"), mode="auto").step == 4
    assert judged(write("x"), plain_scope).step == 5
    assert judged(write("x"), plain_scope, denying("Edit")).step == 2


def test_a_shell_call_without_a_command_asks(plain_scope: Scope) -> None:
    assert judged(Call(tool="bash", input={}), plain_scope, allowing("Bash")).behaviour == ASK


@pytest.mark.parametrize("path", ["a\x00b", "\ud800", "", "x" * 5000, "~", "~nobody/x", "//etc/hosts"])
def test_strange_paths_get_a_verdict(path: str, plain_scope: Scope) -> None:
    assert judged(write(path), plain_scope).behaviour == ASK
    assert judged(read(path), plain_scope).behaviour in (ALLOW, ASK)


def test_home_in_the_workspace_is_free_to_read(scope: Scope) -> None:
    workspace = scope.home / ".helloclaw" / "workspace"
    workspace.mkdir(parents=True)

    assert judged(read(str(workspace / "MEMORY.md")), scope).behaviour == ALLOW
    assert judged(read("~/.helloclaw/workspace/USER.md"), scope).behaviour == ALLOW
    assert judged(read("~/.helloclaw/config.json"), scope).behaviour == ASK


def test_settings_with_keys_are_secret_even_if_home_is_the_working_directory(scope: Scope) -> None:
    at_home = msgspec.structs.replace(
        scope, workdir=scope.home, cwd=scope.home, roots=(Path(os.path.realpath(scope.home)),)
    )

    assert judged(read(".helloclaw/config.json"), at_home).behaviour == ASK
    assert judged(read("notes.md"), at_home).behaviour == ALLOW


def test_somebodys_own_shell_tool_is_judged_as_a_shell(plain_scope: Scope) -> None:
    def run(command: str) -> Call:
        return Call(tool="run_remote", input={"command": command}, command=command)

    assert judged(run("ls"), plain_scope).behaviour == ALLOW
    assert summary(judged(run("make"), plain_scope)) == (ASK, "make is not known to only read", ("run_remote",))
    assert judged(run("make | tee x"), plain_scope, allowing("run_remote")).behaviour == ALLOW
    assert judged(run("make"), plain_scope, allowing("Bash(make)")).behaviour == ASK
    assert judged(run("make"), plain_scope, denying("Bash(make:*)")).behaviour == DENY
    assert judged(run("ls"), plain_scope, denying("run_remote")).behaviour == DENY
    assert judged(run("rm -r x"), plain_scope, allowing("run_remote")).behaviour == DENY
