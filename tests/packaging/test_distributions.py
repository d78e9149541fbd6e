"""What people install: the wheel holds what it must and nothing more, and works where only it was installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.support.model_server import Call, ModelServer, Turn

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/helloclaw"
pytestmark = pytest.mark.slow


def uv() -> str:
    """scripts/test and `uv run` say which uv there is."""
    found = os.environ.get("UV") or shutil.which("uv")
    assert found, "building needs uv: run the tests with scripts/test"
    return found


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Standard output of a command that must succeed; without `env`, in this environment less its Python."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=clean if env is None else env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{command} exited {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the sdist, built from this checkout."""
    out = tmp_path_factory.mktemp("dist")
    run(uv(), "build", "--quiet", "--out-dir", out, cwd=ROOT)
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return wheel, sdist


def test_the_wheel_holds_the_package_and_nothing_else(distributions: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(distributions[0]) as wheel:
        inside = {name for name in wheel.namelist() if ".dist-info/" not in name}
    source = {path.relative_to(ROOT / "src") for path in PACKAGE.rglob("*") if path.is_file()}
    expected = {path.as_posix() for path in source if "__pycache__" not in path.parts}
    assert inside == expected
    assert {"helloclaw/py.typed", "helloclaw/tools/prose/bash.md"} <= inside


def test_the_sdist_builds_the_same_wheel(distributions: tuple[Path, Path], tmp_path: Path) -> None:
    wheel, sdist = distributions
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    run(uv(), "build", "--quiet", "--wheel", "--out-dir", tmp_path / "dist", cwd=unpacked)
    (again,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as other:
        assert one.namelist() == other.namelist()
    wanted = ["README.md", "LICENSE", "CONTRIBUTING.md", ".env.example", "scripts/run", "tests", "bench"]
    assert [name for name in wanted if not (unpacked / name).exists()] == []


@pytest.fixture(scope="module")
def installed(distributions: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of an empty environment into which plain pip has put the wheel."""
    venv = tmp_path_factory.mktemp("installed") / "venv"
    run(uv(), "venv", "--quiet", "--seed", "--python", sys.executable, venv, cwd=ROOT)
    run(venv / "bin/python", "-m", "pip", "install", "--quiet", distributions[0], cwd=ROOT)
    return venv / "bin"


@pytest.fixture
def person(tmp_path: Path) -> dict[str, str]:
    """The environment of somebody with an empty home and no key."""
    return {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "home"), "LANG": "C.UTF-8"}


def test_the_installed_command_knows_its_version_and_explains_itself(
    installed: Path, person: dict[str, str], tmp_path: Path
) -> None:
    from helloclaw import __version__

    assert run(installed / "helloclaw", "--version", cwd=tmp_path, env=person) == f"helloclaw {__version__}\n"
    assert "helloclaw -p" in run(installed / "helloclaw", "--help", cwd=tmp_path, env=person)


def test_the_installed_command_does_a_turn(installed: Path, person: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("The door code is 4711.\n", encoding="utf-8")
    with ModelServer() as server:
        server.script(Turn(calls=(Call(name="read_file", input={"path": "note.txt"}),)), Turn(text="It is 4711."))
        model = {"LLM_MODEL_ID": "scripted", "LLM_API_KEY": "k", "LLM_BASE_URL": f"{server.base_url}/v1"}
        said = run(installed / "helloclaw", "-p", "What is the door code?", cwd=tmp_path, env=person | model)
        seen = server.posts[1].json["messages"][-1]
    assert said == "It is 4711.\n"
    assert "The door code is 4711." in seen["content"]


def test_the_installed_library_is_typed_and_importable(installed: Path, tmp_path: Path) -> None:
    code = "import helloclaw, pathlib; helloclaw.HelloClawAgent; print(pathlib.Path(helloclaw.__file__).parent)"
    package = Path(run(installed / "python", "-c", code, cwd=tmp_path).strip())
    assert package.is_relative_to(installed.parent)
    assert (package / "py.typed").exists()
