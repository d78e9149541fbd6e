"""`python -m agents`, the seed's commands, in a checkout where nothing is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from helloclaw import __version__
from tests.cli.conftest import Program

CHECKOUT = Path(__file__).parents[2]


def run(program: Program, *words: str) -> tuple[int, str, str]:
    # Without `site` there is no installed package, only what the checkout itself holds.
    command = [sys.executable, "-S", "-m", *words]
    done = subprocess.run(command, cwd=CHECKOUT, env=program.environ, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_the_checkouts_own_source_is_found(program: Program) -> None:
    assert run(program, "agents", "--version") == (0, f"helloclaw {__version__}\n", "")
    code, text, _ = run(program, "agents", "repl", "--help")
    assert (code, text.splitlines()[0]) == (0, "talk, line by line (the same as without a command)")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_missing_package_is_one_line_with_what_to_do(program: Program, lang: str) -> None:
    code, text, problem = run(program, "agents", "config", "list", "--lang", lang)
    assert (code, text, problem.count("\n")) == (2, "", 1)
    assert [word for word in ("msgspec", sys.executable, "scripts/run") if word not in problem] == []


def test_the_web_is_the_web_command(program: Program) -> None:
    assert run(program, "agents.webui", "--no-open")[0] == 2
