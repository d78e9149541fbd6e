"""Names that `find` and `xargs` hand on: free where all that is there is, and no name can be taken for another."""

from __future__ import annotations

import pytest

from helloclaw.permissions.paths import LOOK_LIMIT
from helloclaw.permissions.verdict import Behaviour, Scope
from tests.permissions.judging import behaviour, judge

ALLOW, ASK, _ = Behaviour
_HANDED_ON = (
    "find . -name '*.md' | xargs wc -l",
    "find . -print0 | xargs -0 cat",
    "rg -l foo | sort | head -5 | xargs grep -n foo",
    "grep -rl foo . | xargs -n 1 head -1",
    "find . | grep -v x | xargs -I{} head -1 {}",
    "find . -exec cat {} +",
    "find . -exec grep -l foo {} \\;",
)


@pytest.mark.parametrize("command", _HANDED_ON)
def test_it_passes_where_all_is_free(command: str, scope: Scope) -> None:
    assert behaviour(command, scope) == ALLOW


@pytest.mark.parametrize("command", _HANDED_ON)
@pytest.mark.parametrize("name", [".env", "deep/er/server.pem"])
def test_a_secret_among_them_is_asked_about(command: str, name: str, scope: Scope) -> None:
    (scope.workdir / name).parent.mkdir(parents=True, exist_ok=True)
    (scope.workdir / name).write_text("x")
    assert behaviour(command, scope) == ASK


@pytest.mark.parametrize("command", _HANDED_ON)
def test_a_link_that_leads_out_is_asked_about(command: str, scope: Scope) -> None:
    (scope.workdir / "src" / "out.md").symlink_to("/etc/passwd")
    assert behaviour(command, scope) == ASK


@pytest.mark.parametrize("command", _HANDED_ON)
def test_what_can_not_all_be_seen_is_asked_about(command: str, scope: Scope) -> None:
    for number in range(LOOK_LIMIT + 1):
        (scope.workdir / "src" / f"{number}.md").touch()
    assert behaviour(command, scope) == ASK


def test_files_of_code_are_free_however_many(scope: Scope) -> None:
    for number in range(LOOK_LIMIT + 1):
        (scope.workdir / "src" / f"{number}.py").touch()
    assert behaviour("find src -type f -name '*.py' -exec wc -l {} +", scope) == ALLOW
    assert behaviour("find src -name '*.py' -exec wc -l {} +", scope) == ASK
    assert behaviour("find src -type f -name '*.py' -o -name x -exec wc -l {} +", scope) == ASK


@pytest.mark.parametrize("name", ["a -o out", "-o", "a'b", 'a"b', "a\\b", "a\tb", "a\nb"])
def test_a_name_that_would_be_several_words_or_an_option_is_asked_about(name: str, scope: Scope) -> None:
    (scope.workdir / "src" / name).touch()
    verdict = judge("find . | xargs cat", scope)
    assert (verdict.behaviour, "could be taken for several" in verdict.reason) == (ASK, True)
    # `find` hands each on as one word that begins with where it started.
    assert behaviour("find . -exec cat {} +", scope) == ALLOW


@pytest.mark.parametrize(
    "command",
    [
        "find . -exec touch {} +",
        "find . -exec uniq {} {} \\;",  # the second is written
        "find . -exec uniq {} +",
        "find . -exec xxd {} +",
        "find . -exec awk {} README.md \\;",  # a program by the name of a file
        "find . -exec sed {} README.md \\;",
        "find . -exec sh -c 'cat {}' \\;",
        "find . -exec cat x{} \\;",
        "find . -exec git -C {} status \\;",
        "find . -execdir cat {} +",
        "find . -exec cat",
        "find . -exec {} +",
        "find / -exec cat {} +",
        "find .. -exec cat {} +",
        "find . -exec grep foo {} /etc/passwd +",
        "find . -exec grep -r foo {} .. \\;",
        "find . | xargs touch",
        "find . | xargs uniq",
        "find . | xargs sh -c",
        "find . | xargs -a names cat",
        "find . | xargs -d x cat",
        "find . | xargs -I % cat %",
        "find . | xargs -I{} awk {} README.md",
        "find . | xargs cat /etc/passwd",
        "find .. | xargs cat",
        "find . -printf '/etc/%f' | xargs cat",
        "find . | sed s,^,/etc/, | xargs cat",
        "find . | sort -n names | xargs cat",
        "find . | head -c 3 | xargs cat",
        "find . | xargs cat < names",
        "echo /etc/passwd | xargs cat",
        "cat names | xargs cat",
        "rg -n foo | xargs cat",
        "rg -l foo -r x | xargs cat",
        "rg -l foo --path-separator x | xargs cat",
        "grep -l foo --label=/etc/passwd | xargs cat",
        "git ls-files | xargs cat",
        "git ls-files -z | xargs cat",
        "git ls-files -z .. | xargs -0 cat",
        "find . | tee names | xargs cat",
        "find . ; cat names | xargs cat",
    ],
)
def test_anything_else_is_asked_about(command: str, scope: Scope) -> None:
    assert behaviour(command, scope) == ASK
