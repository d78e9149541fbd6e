"""Texts that are made to cost time: denied unread or given up on, never waited for; and what people mean is not."""

from __future__ import annotations

import time

import pytest
from bench.costly import LENGTH, at_the_limit, families

from helloclaw.permissions.files import OsFiles, SeenFiles
from helloclaw.permissions.shell.screen import too_much
from helloclaw.permissions.verdict import Behaviour, Scope
from tests.permissions.judging import behaviour, judge

TOO_MUCH = (Behaviour.DENY, "it holds more than can be looked through")
_COSTLY = [
    pytest.param(text, id=f"{name}-{index}") for name, all_ in families().items() for index, text in enumerate(all_)
]


@pytest.mark.alone
@pytest.mark.parametrize("text", _COSTLY)
def test_no_text_takes_long(text: str, plain_scope: Scope) -> None:
    assert len(text) <= LENGTH
    for each in (text, at_the_limit(text)):
        start = time.process_time()
        judge(each, plain_scope)
        assert time.process_time() - start < 1  # before there were limits, up to hours


@pytest.mark.parametrize(
    "command",
    [
        "a=xx;" + "a=$a$a " * 60,  # 2⁶⁰ characters
        "a=xx;" + "a=$a$a;" * 60 + "echo $a | sh",
        "for i in a b c d;do " * 30 + "ls;" + "done;" * 30,
        "x='" + "eval " * 3_000 + "'; $x",
        "git submodule " + "foreach " * 1_000,
        ";".join(["cd a || cd b"] * 140) + "; touch " + "a " * 1_000,
    ],
)
def test_what_multiplies_is_denied(command: str, plain_scope: Scope) -> None:
    verdict = judge(command, plain_scope)
    assert (verdict.behaviour, verdict.reason) == TOO_MUCH


@pytest.mark.parametrize("unit", ["ls;", "ls\n", "a ", "'a' ", "* ", "{a,b} ", "$x ", "\\a", "a/"])
def test_too_many_parts_are_denied(unit: str, plain_scope: Scope) -> None:
    verdict = judge("ls " + unit * 3_001, plain_scope)
    assert (verdict.behaviour, verdict.reason) == TOO_MUCH


@pytest.mark.parametrize("wrapper", ["timeout 1 ", "nice ", "stdbuf -oL ", "python3 -m "])
def test_wrappers_without_end_are_no_error(wrapper: str, plain_scope: Scope) -> None:
    assert behaviour(wrapper * 400 + "ls", plain_scope) >= Behaviour.ASK
    assert behaviour(f"x='{wrapper * 3_000}'; $x ls", plain_scope) >= Behaviour.ASK
    assert behaviour("timeout 5 nice stdbuf -oL ls", plain_scope) == Behaviour.ALLOW


@pytest.mark.parametrize(
    "command",
    [
        "cat > notes.md <<'EOF'\n" + "a (b) | c; `d` $e\n" * 2_000 + "EOF\n",
        "cat > notes.md <<EOF\n" + "a (b) | c; $e\n" * 2_000 + "EOF\n",
        "git commit -m '" + "a; b | c (d)\n" * 500 + "'",
        'git commit -m "' + "a; b | c (d) $e\n" * 500 + '"',
        "git add " + " ".join(f"src/part_{number}/module.py" for number in range(700)),
        "# it's said; " * 500 + "\nls",
        "\n".join(f"echo {number} && test -f README.md" for number in range(90)),
    ],
    ids=["here-document", "expanded here-document", "message", "quoted message", "many files", "comment", "script"],
)
def test_long_texts_that_are_meant_are_not(command: str, plain_scope: Scope) -> None:
    assert too_much(command) is None
    assert behaviour(command, plain_scope) <= Behaviour.ASK


def test_a_here_document_that_holds_commands_counts() -> None:
    assert too_much("cat <<E\n" + "$(a) " * 400 + "\nE\n") is not None
    assert too_much("cat <<'E'\n" + "$(a) " * 400 + "\nE\n") is None


@pytest.mark.parametrize(
    "path",
    [
        "README.md", "src/../README.md", "in/a.py", "in/../README.md", "loop/x", "../home", "src/a.py/..",
        "no/../in/a.py",
        "/" * 3 + "etc", ".", "in/" + "no/" * 70 + "../" * 70 + "a.py", "no/" * 70 + "../" * 71 + "in/a.py", "é/../in",
        "a\0b/../in", "in/" + "x" * 5_000,
    ],
)  # fmt: skip
def test_looking_once_finds_the_same(path: str, scope: Scope) -> None:
    (scope.workdir / "in").symlink_to("src")
    (scope.workdir / "loop").symlink_to("loop")
    (scope.workdir / "out").symlink_to(scope.home)
    whole = path if path.startswith("/") else f"{scope.workdir}/{path}"
    seen = SeenFiles(OsFiles())
    assert [seen.realpath(whole), seen.realpath(whole)] == [OsFiles().realpath(whole)] * 2
