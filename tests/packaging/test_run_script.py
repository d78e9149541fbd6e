"""scripts/run in a checkout that nobody has set up, with nothing on PATH but the system's own programs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PASSED_ON = ("SSL_CERT_FILE", "SSL_CERT_DIR", "PIP_INDEX_URL", "UV_DEFAULT_INDEX", "HTTPS_PROXY", "https_proxy")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a clone would hold, under a name that shells stumble over."""
    there = tmp_path_factory.mktemp("run") / "我的 claw's clone"
    for name in ("scripts", "src", "pyproject.toml", "uv.lock", "README.md", "LICENSE"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        there.mkdir(exist_ok=True)
        copy(ROOT / name, there / name)
    return there


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Somebody's on a new machine. The only other program is this Python, since the system may have no python3."""
    programs = tmp_path_factory.mktemp("bin")
    (programs / "python3").symlink_to(sys.executable)
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    home = tmp_path_factory.mktemp("home")
    cache = {"UV_CACHE_DIR": os.environ["UV_CACHE_DIR"]} if "UV_CACHE_DIR" in os.environ else {}
    return passed | cache | {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8"}


def start(*command: str | Path, environment: dict[str, str], cwd: Path) -> tuple[str, str]:
    """Standard output and error of a command that must succeed."""
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_first_start_sets_up_and_says_so_on_stderr_only(
    checkout: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    out, err = start(checkout / "scripts/run", "--version", environment=environment, cwd=tmp_path)
    assert out.startswith("helloclaw ")
    assert f"Setting HelloClaw up in {checkout}/.venv" in err

    link = tmp_path / "claw"
    link.symlink_to(checkout / "scripts/run")
    assert start(link, "--version", environment=environment, cwd=Path("/")) == (out, "")

    # A copy makes an environment of its own; the copied one would run the code of the old place.
    copy = tmp_path / "copy"
    shutil.copytree(checkout, copy, symlinks=True)
    _, err = start(copy / "scripts/run", "--version", environment=environment, cwd=tmp_path)
    assert f"Setting HelloClaw up in {copy}/.venv" in err
    where = (copy / ".venv/bin/python", "-c", "import helloclaw; print(helloclaw.__file__)")
    assert start(*where, environment=environment, cwd=tmp_path) == (f"{copy}/src/helloclaw/__init__.py\n", "")


def test_without_python_it_says_what_to_install(tmp_path: Path) -> None:
    """Only the shell's own programs on PATH."""
    checkout, programs = tmp_path / "checkout", tmp_path / "bin"
    shutil.copytree(ROOT / "scripts", checkout / "scripts")
    programs.mkdir()
    for name in ("sh", "cat", "cmp", "mkdir", "id"):
        (programs / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    done = subprocess.run(
        ["/bin/sh", checkout / "scripts/run"],
        env={"PATH": str(programs)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    wanted = "HelloClaw needs Python 3.11 or newer, and there is no python3 on PATH. On Debian: apt install python3\n"
    assert (done.returncode, done.stdout, done.stderr.splitlines(keepends=True)[-1]) == (1, "", wanted)
