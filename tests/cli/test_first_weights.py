"""With nothing set up the embedded model is used, and its weights are fetched first; seen where they can't be had."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Program
from tests.support.model_server import silent_listener

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def models(program: Program, tmp_path: Path) -> Path:
    """An empty directory for weights, and no network but the test's own."""
    program.environ |= {"HELLOCLAW_MODELS": str(tmp_path / "models"), "PIP_RETRIES": "0", "UV_HTTP_RETRIES": "0"}
    program.environ |= {"HTTPS_PROXY": NOWHERE, "PIP_INDEX_URL": NOWHERE, "UV_DEFAULT_INDEX": NOWHERE}
    return tmp_path / "models"


def announcement(models: Path) -> str:
    return (
        "The embedded model answers here, on this computer. Fetching its weights, once: Qwen2.5-Coder-1.5B-Instruct "
        f"Q4_K_M, 1.1 GB, into {models} (Ctrl-C stops; what came is kept). For another model see: helloclaw model\n"
    )


@pytest.mark.slow
def test_without_a_network_it_says_what_it_wanted_and_that_a_retry_may_help(program: Program, models: Path) -> None:
    ended = program("-p", "hi", timeout=120)
    assert (ended.code, ended.out) == (75, "")
    assert ended.err.startswith(announcement(models) + "helloclaw: Qwen2.5-Coder-1.5B-Instruct Q4_K_M could not be")


def test_ctrl_c_stops_the_fetching(program: Program, models: Path) -> None:
    with silent_listener() as index:
        process = subprocess.Popen(
            program.command("-p", "hi"),
            cwd=program.workdir,
            env=program.environ | {"PIP_INDEX_URL": index, "UV_DEFAULT_INDEX": index},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        said = process.stderr.readline()
        while not models.exists():  # from here on it is fetching
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    assert (said, out, process.returncode) == (announcement(models), "", 130)


@pytest.mark.parametrize(
    "chosen",
    [
        {"LLM_MODEL_ID": "local/mine.gguf"},
        {"MODEL_ID": "claude-sonnet-5-5"},
    ],
)
def test_no_other_model_fetches_anything(program: Program, models: Path, chosen: dict[str, str]) -> None:
    ended = program("-p", "hi", "--max-turns", "1", timeout=60, **chosen)
    assert ended.code != 0
    assert "Fetching" not in ended.err
    assert not models.exists()
