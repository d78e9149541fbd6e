"""Git commands that only read are free, unless the repository's own settings would make them run something."""

from __future__ import annotations

from pathlib import Path

import pytest

from helloclaw.permissions.verdict import Behaviour, Scope
from tests.permissions.judging import behaviour, judge

ALLOW, ASK, _ = Behaviour

_COMMANDS = ("git status", "git log -3", "git diff", "git show HEAD", "git ls-files", "git branch -a")
_USUAL = """[core]
\trepositoryformatversion = 0
\tbare = false
\tfsmonitor = true
[remote "origin"]
\turl = git@example.org:x/y.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
\tremote = origin
[user]
\tname = Me
[filter "lfs"]
\tclean = git-lfs clean -- %f
\tsmudge = git-lfs smudge -- %f
\tprocess = git-lfs filter-process
[diff "python"]
\txfuncname = "^def"
"""


def make_repository(place: Path, config: str) -> None:
    (place / ".git").mkdir(parents=True)
    (place / ".git" / "config").write_text(config)


def test_a_usual_repository_is_free(scope: Scope) -> None:
    make_repository(scope.workdir, _USUAL)

    assert [behaviour(command, scope) for command in _COMMANDS] == [ALLOW] * len(_COMMANDS)
    assert behaviour("cd src && git status", scope) == ALLOW
    assert behaviour("git -C src status", scope) == ALLOW


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ("[core]\n\tfsmonitor = ./evil\n", "core.fsmonitor"),
        ("[core] fsmonitor = ./evil\n", "core.fsmonitor"),
        ("[CORE]\nFsMonitor=evil\n", "core.FsMonitor"),
        ('[diff "x"]\n\ttextconv = ./evil\n', "diff.x.textconv"),
        ('[diff "x"]\n\tcommand = ./evil\n', "diff.x.command"),
        ("[diff]\n\texternal = ./evil\n", "diff.external"),
        ('[filter "x"]\n\tclean = ./evil\n', "filter.x.clean"),
        ('[filter "lfs"]\n\tprocess = ./evil filter-process\n', "filter.lfs.process"),
        ("[include]\n\tpath = ../evil\n", "include.path"),
        ('[includeIf "gitdir:x"]\n\tpath = ../evil\n', "includeif.gitdir:x.path"),
        ("[gpg]\n\tprogram = ./evil\n", "gpg.program"),
        ("[log]\n\tshowSignature = true\n", "log.showSignature"),
        ("[pretty]\n\tx = %G?\n", "pretty.x"),
        ("[core]\n\tworktree = /\n", "core.worktree"),
        ("[extensions]\n\tpartialClone = origin\n", "extensions.partialClone"),
        ("[core]\n\tbare = false\n\tfs\\\nmonitor = x\n", "core.fsmonitor"),
    ],
)
def test_settings_that_name_programs_ask(config: str, named: str, scope: Scope) -> None:
    make_repository(scope.workdir, config)

    verdict = judge("git status", scope)

    assert (verdict.behaviour, verdict.reason) == (
        ASK,
        f"this repository's settings name programs to run ({named})",
    )


def test_the_repository_that_counts_is_the_one_the_command_is_in(scope: Scope) -> None:
    make_repository(scope.workdir / "sub", "[core]\n\tfsmonitor = ./evil\n")

    assert [
        behaviour(command, scope)
        for command in ("git status", "cd sub && git status", "git -C sub log", "cd sub; git diff")
    ] == [
        ALLOW,
        ASK,
        ASK,
        ASK,
    ]


def test_bare_repositories_among_the_files_ask(scope: Scope) -> None:
    for name in ("objects", "refs"):
        (scope.workdir / "sub" / name).mkdir()
    (scope.workdir / "sub" / "HEAD").write_text("ref: refs/heads/main\n")

    assert behaviour("cd sub && git status", scope) == ASK


def test_worktrees_and_submodules_are_looked_up(scope: Scope) -> None:
    make_repository(scope.workdir, _USUAL)
    worktree = scope.workdir / ".git" / "worktrees" / "w"
    worktree.mkdir(parents=True)
    (worktree / "commondir").write_text("../..\n")
    (scope.workdir / "sub" / ".git").write_text(f"gitdir: {worktree}\n")
    assert behaviour("cd sub && git status", scope) == ALLOW

    (scope.workdir / ".git" / "config").write_text("[core]\n\tfsmonitor = ./evil\n")
    assert behaviour("cd sub && git status", scope) == ASK


def test_a_submodules_settings_count_for_the_whole(scope: Scope) -> None:
    make_repository(scope.workdir, _USUAL)
    module = scope.workdir / ".git" / "modules" / "m"
    module.mkdir(parents=True)
    (module / "config").write_text("[core]\n\tworktree = ../../../m\n")
    assert behaviour("git status", scope) == ALLOW

    (module / "config").write_text("[core]\n\tfsmonitor = ./evil\n")
    assert behaviour("git status", scope) == ASK
