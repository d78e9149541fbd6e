"""The shared corpus, read in place: beside the repository, or where `HELLOCLAW_CORPUS` says."""

from __future__ import annotations

import os
from operator import attrgetter
from pathlib import Path

import pytest

from helloclaw.permissions.verdict import Behaviour, Scope
from tests.permissions.judging import Case, behaviour, load_cases

_REPOSITORY = Path(__file__).resolve().parents[2]
_CORPUS = Path(os.environ.get("HELLOCLAW_CORPUS") or _REPOSITORY.parent / "shared" / "corpus") / "shell-commands.jsonl"
_CASES = load_cases(_CORPUS) if _CORPUS.exists() else []

# The corpus is handed out apart from the repository; without it there is nothing to compare with.
pytestmark = pytest.mark.skipif(not _CASES, reason=f"{_CORPUS} is not there; set HELLOCLAW_CORPUS")


@pytest.mark.parametrize("case", _CASES, ids=attrgetter("id"))
def test_verdict_is_never_looser_than_the_corpus(case: Case, plain_scope: Scope) -> None:
    assert behaviour(case.cmd, plain_scope) >= case.verdict


@pytest.mark.parametrize("case", [case for case in _CASES if case.must_allow], ids=attrgetter("id"))
def test_everyday_reads_pass_unasked(case: Case, plain_scope: Scope) -> None:
    assert behaviour(case.cmd, plain_scope) == Behaviour.ALLOW
