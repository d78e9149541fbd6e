"""Reading by shell commands obeys the rules of reading files: secrets, links, the outside, searches through trees."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from helloclaw.permissions.paths import LOOK_LIMIT, is_control, is_secret, runs_by_itself
from helloclaw.permissions.verdict import Behaviour, Scope
from tests.permissions.judging import allowing, behaviour, judge

ALLOW, ASK, DENY = Behaviour


@pytest.mark.parametrize(
    "name",
    [
        ".env",
        ".env.local",
        ".envrc",
        "x.pem",
        "server.key",
        "id_rsa",
        "id_ed25519.pub",
        "id_backup",
        ".netrc",
        "credentials",
        "aws_credentials.json",
        ".git-credentials",
        "secrets.yml",
        ".npmrc",
        ".bash_history",
        "sub/.ssh/config",
        "sub/.aws/x",
        "X.PEM",
        "Credentials.JSON",
        ".env/x",
        "service-account.json",
        "prod.tfvars",
    ],
)
def test_names_that_look_secret(name: str, plain_scope: Scope) -> None:
    assert is_secret(f"/w/{name}")
    assert behaviour(f"cat {name}", plain_scope) == ASK
    assert judge(f"cat {name}", plain_scope).reason == f"{name} looks like a secret"


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "id_map.py",
        "id_token.ts",
        "secret_santa.md",
        "credentials.py",
        "keyboard.c",
        "environment.py",
        "env",
        "monkey",
        "pem",
        "history.md",
        "password.py",
        "ssh/config",
        "key",
        "x.keys.py",
    ],
)
def test_names_that_only_sound_secret(name: str, plain_scope: Scope) -> None:
    assert not is_secret(f"/w/{name}")
    assert behaviour(f"cat {name}", plain_scope) == ALLOW


def test_links_are_judged_by_where_they_end(scope: Scope) -> None:
    outside = scope.workdir.parent / "outside.txt"
    outside.write_text("x")
    (scope.workdir / "inside").symlink_to("README.md")
    (scope.workdir / "out").symlink_to(outside)
    (scope.workdir / "up").symlink_to("..")
    (scope.workdir / "key").symlink_to("id_rsa")
    (scope.workdir / "loop").symlink_to("loop")

    verdicts = {
        command: behaviour(command, scope)
        for command in (
            "cat inside",
            "cat out",
            "cat up/outside.txt",
            "cat key",
            "ls up",
            "cd up && ls",
            "cat loop",
            "wc -l < out",
        )
    }

    assert verdicts == {
        "cat inside": ALLOW,
        "cat out": ASK,
        "cat up/outside.txt": ASK,
        "cat key": ASK,
        "ls up": ASK,
        "cd up && ls": ASK,
        "cat loop": ALLOW,
        "wc -l < out": ASK,
    }


def test_through_a_link_nobody_knows_what_the_parent_is(scope: Scope) -> None:
    (scope.workdir / "deep" / "er").mkdir(parents=True)
    (scope.workdir / "link").symlink_to("deep/er")

    assert behaviour("cd link && ls", scope) == ASK
    assert behaviour("ls link/..", scope) == ALLOW


def test_patterns_are_judged_by_what_they_match(scope: Scope) -> None:
    assert behaviour("cat *", scope) == ALLOW

    (scope.workdir / "server.key").write_text("x")
    assert (behaviour("cat *", scope), behaviour("cat *.md", scope), behaviour("ls *", scope)) == (ASK, ALLOW, ALLOW)

    (scope.workdir / "-delete").write_text("x")
    assert (behaviour("find *", scope), behaviour("find ./*", scope)) == (ASK, ALLOW)

    (scope.workdir / "out.md").symlink_to("/etc/passwd")
    assert behaviour("cat *.md", scope) == ASK


def test_files_named_like_options_do_not_become_options(scope: Scope) -> None:
    (scope.workdir / "--pre=evil").write_text("x")
    (scope.workdir / "-oPWN").write_text("x")

    assert [behaviour(command, scope) for command in ("rg foo *", "sort *", "git log *", "uniq *")] == [ASK] * 4
    assert behaviour("wc -l ./*", scope) == ALLOW


def test_dot_patterns_take_in_the_parent(scope: Scope) -> None:
    (scope.workdir / ".env").write_text("K=1")

    assert [behaviour(command, scope) for command in ("cat .e*", "ls .*", "cat .??v", "cat [.]env")] == [
        ASK,
        ASK,
        ASK,
        ALLOW,
    ]


def test_searches_that_would_read_a_secret_ask(scope: Scope) -> None:
    (scope.workdir / "sub" / ".env").write_text("K=1")

    assert judge("grep -rn K .", scope).reason == "the search would read sub/.env, which looks like a secret"
    assert behaviour("grep -rn K src", scope) == ALLOW
    assert behaviour("rg K", scope) == ALLOW  # leaves hidden files out by itself
    assert behaviour("rg --hidden K", scope) == ASK
    assert behaviour("rg -uu K", scope) == ASK
    assert behaviour("rg --files --hidden", scope) == ALLOW
    assert behaviour("find . -name '*.py'", scope) == ALLOW


def test_following_links_asks_unless_all_were_seen_to_stay_inside(scope: Scope) -> None:
    (scope.workdir / "src" / "b").symlink_to("a.py")
    assert (behaviour("grep -R x src", scope), behaviour("diff -r src tests", scope)) == (ALLOW, ALLOW)

    (scope.workdir / "src" / "c").symlink_to("/etc/passwd")
    assert (behaviour("grep -R x src", scope), behaviour("diff -r src tests", scope)) == (ASK, ASK)
    assert (behaviour("grep -r x src", scope), behaviour("diff -r --no-dereference src tests", scope)) == (ALLOW, ALLOW)

    for number in range(LOOK_LIMIT):
        (scope.workdir / "tests" / str(number)).touch()
    assert (behaviour("grep -R x tests", scope), behaviour("grep -r x tests", scope)) == (ASK, ALLOW)


def test_more_roots_are_free_to_read(scope: Scope, tmp_path: Path) -> None:
    more = Path(os.path.realpath(tmp_path))
    wider = msgspec.structs.replace(scope, roots=(*scope.roots, more))

    assert (behaviour(f"cat {more}/x", scope), behaviour(f"cat {more}/x", wider)) == (ASK, ALLOW)


def test_outside_the_workspace_even_the_current_directory_asks(scope: Scope) -> None:
    outside = msgspec.structs.replace(scope, cwd=scope.workdir.parent)

    assert [
        behaviour(command, outside)
        for command in ("ls", "git status", "cat x", "rg foo", "grep -r x", "find", "pwd", "date")
    ] == [
        ASK,
        ASK,
        ASK,
        ASK,
        ASK,
        ASK,
        ALLOW,
        ALLOW,
    ]


def test_roots_are_compared_by_whole_names(scope: Scope) -> None:
    (scope.workdir.parent / "work2").mkdir()

    assert behaviour("cat ../work2/x", scope) == ASK
    assert behaviour(f"cat {scope.workdir}2/x", scope) == ASK
    assert behaviour(f"cat {scope.workdir}/README.md", scope) == ALLOW


def test_read_rules_count_for_shell_reads(scope: Scope) -> None:
    assert behaviour("cat /etc/hosts", scope, allowing("Read(//etc/hosts)")) == ALLOW
    assert behaviour("cat /etc/hosts /etc/passwd", scope, allowing("Read(//etc/hosts)")) == ASK
    assert behaviour("cat ~/notes/a.md", scope, allowing("Read(~/notes/**)")) == ALLOW
    assert behaviour("cat ~/notes/../x", scope, allowing("Read(~/notes/**)")) == ASK
    assert behaviour("cat .env", scope, allowing("Read(.env)")) == ALLOW
    assert behaviour("cat .env", scope, allowing("Read(**)")) == ASK


def test_a_rule_for_a_reading_program_does_not_open_the_disk(scope: Scope) -> None:
    for command in (
        "cat /etc/passwd",
        "cat ~/.ssh/id_rsa",
        "cat $x",
        "cat /etc/*",
        "cat < /etc/passwd",
        "cat --foo /etc/passwd",
    ):
        assert behaviour(command, scope, allowing("Bash(cat:*)")) == ASK
    assert behaviour("cat /etc/passwd", scope, allowing("Bash(cat /etc/passwd)")) == ALLOW


@pytest.mark.parametrize(
    "path",
    [
        ".hooks.json",
        "sub/.hooks.json",
        ".hooks.disabled",
        ".claude/x",
        ".claude",
        ".CLAUDE/x",
        "~/.helloclaw/config.json",
        "~/.helloclaw/trust.json",
        "~/.helloclaw/permissions.json",
        "~/.helloclaw/.env",
    ],
)
def test_controls_may_not_be_written(path: str, plain_scope: Scope) -> None:
    for command in (
        f"echo x > {path}",
        f"tee {path}",
        f"cp x {path}",
        f"touch {path}",
        f"rm {path}",
        f"sed -i s/a/b/ {path}",
    ):
        assert behaviour(command, plain_scope) == DENY


@pytest.mark.parametrize(
    "path", ["hooks.json", "claude/x", ".claudia", "~/.helloclaw/workspace/MEMORY.md", ".github/x"]
)
def test_other_files_are_no_controls(path: str, plain_scope: Scope) -> None:
    assert behaviour(f"echo x > {path}", plain_scope) == ASK


def test_a_link_to_a_control_is_one(scope: Scope) -> None:
    (scope.workdir / "x").symlink_to(".hooks.json")
    (scope.workdir / "d").symlink_to(".claude")

    assert (behaviour("echo > x", scope), behaviour("echo > d/y", scope)) == (DENY, DENY)


def test_the_products_home_may_be_elsewhere(scope: Scope) -> None:
    elsewhere = scope.workdir.parent / "elsewhere"
    moved = msgspec.structs.replace(scope, controls=(*scope.controls, elsewhere / "config.json"))

    assert behaviour(f"echo > {elsewhere}/config.json", moved) == DENY
    assert behaviour(f"mv {elsewhere} x", moved) == DENY
    assert is_control(str(elsewhere / "config.json"), moved)


@pytest.mark.parametrize(
    "path", ["/w/.git/config", "/w/.git/hooks/x", "/w/.husky/x", "/w/.vscode/tasks.json", "/h/.bashrc", "/w/.envrc"]
)
def test_what_runs_by_itself(path: str) -> None:
    assert runs_by_itself(path)
