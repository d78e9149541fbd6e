"""The embedded model on its real weights, through the command line: read a file, write Chinese, run a script.

`scripts/test` fetches the weights (1.1 GB) to `HELLOCLAW_MODELS` first. A model of 1.5 billion parameters may miss once
in a while, so each task may be tried twice; `bench/local_model.py` measures how often it does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helloclaw.llm.local.weights import find, models_directory, pulled

TRIES = 2
LIMIT_S = 300

pytestmark = pytest.mark.weights


@pytest.fixture
def workdir(tmp_path: Path) -> Path:
    directory = models_directory(tmp_path / "none", os.environ)
    if pulled(find("local"), directory) is None:
        if "HELLOCLAW_MODELS" not in os.environ:
            pytest.skip("no weights here: `scripts/test` fetches them, or set HELLOCLAW_MODELS")
        pytest.fail(f"no weights in {directory}: run `helloclaw model pull`")
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def ask(workdir: Path, prompt: str, *rules: str) -> dict[str, Any]:
    """The result object of a turn for which nothing is configured but where the weights are."""
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(workdir.parent),
        "HELLOCLAW_MODELS": os.environ["HELLOCLAW_MODELS"],
    }
    allowed = [word for rule in rules for word in ("--allow", rule)]
    ended = subprocess.run(
        [sys.executable, "-m", "helloclaw", "-p", prompt, "--output-format", "json", *allowed],
        env=environ,
        cwd=workdir,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr.decode()
    return json.loads(ended.stdout)


def test_it_names_what_a_file_holds(workdir: Path) -> None:
    (workdir / "notes.txt").write_text("The blue whale weighs 150 tonnes.\n")
    answers = [ask(workdir, "What is in the file notes.txt?") for _ in range(TRIES)]
    assert any("whale" in each["text"] and "150" in each["text"] for each in answers), answers
    assert max(each["steps"] for each in answers) >= 2, "it has to look, not to guess"


def test_it_creates_a_file_with_chinese_text(workdir: Path) -> None:
    target = workdir / "问候.txt"
    for _ in range(TRIES):
        ask(workdir, "写一个文件 问候.txt，内容是“你好，世界”", "Edit")
        if target.exists():
            break
    assert target.read_text(encoding="utf-8").rstrip("\n") == "你好，世界"


def test_it_runs_a_script_and_reports_its_output(workdir: Path) -> None:
    (workdir / "hello.py").write_text('print("The answer is", 6 * 7 * 11)\n')
    prompt = "Run the script hello.py and tell me what it prints."
    answers = [ask(workdir, prompt, "Bash(python3:*)", "Bash(python:*)") for _ in range(TRIES)]
    assert any("462" in each["text"] for each in answers), answers
