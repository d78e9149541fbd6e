"""Every example runs, as a program of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.model_server import Call, ModelServer, Turn

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
# A notebook's cells in order, in which `await` may stand.
NOTEBOOK = """
import ast, asyncio, inspect, json, sys
names = {"__name__": "__main__"}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] == "code":
        code = compile("".join(cell["source"]), "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        done = eval(code, names)
        if inspect.iscoroutine(done):
            asyncio.run(done)
"""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def run(server: ModelServer, root: Path, *words: str) -> str:
    environ = {name: value for name, value in os.environ.items() if name.startswith(("PYTHON", "PATH"))}
    environ |= {"HOME": str(root), "HELLOCLAW_HOME": str(root / "home"), "LLM_MODEL_ID": "scripted"}
    environ |= {"LLM_BASE_URL": f"{server.base_url}/v1", "LLM_API_KEY": "k"}
    (root / "work").mkdir()
    done = subprocess.run(
        [sys.executable, *words], cwd=root / "work", env=environ, capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_ask(server: ModelServer, tmp_path: Path) -> None:
    server.script(Turn(text="Hello there."))
    assert run(server, tmp_path, str(EXAMPLES / "ask.py"), "Hi") == "Hello there.\n"


def test_stream(server: ModelServer, tmp_path: Path) -> None:
    server.script(Turn(calls=(Call(name="calculator", input={"expression": "6*7"}),)), Turn(text="It is 42."))
    assert run(server, tmp_path, str(EXAMPLES / "stream.py")) == "\n[calculator]\nIt is 42.\n"


def test_tools(server: ModelServer, tmp_path: Path) -> None:
    server.script(
        Turn(calls=(Call(name="stock", input={"article": "lamp"}),)),
        Turn(calls=(Call(name="bash", input={"command": "touch x"}),)),
        Turn(text="Seven lamps."),
    )
    said = run(server, tmp_path, str(EXAMPLES / "tools.py"))
    assert said.splitlines() == ["? bash: {'command': 'touch x'}", "Seven lamps."]
    assert "lamp: 7 pieces" in str(server.posts[1].json)
    assert list((tmp_path / "home" / "workspace").glob("x")) == []


def test_front_end(server: ModelServer, tmp_path: Path) -> None:
    server.script(Turn(calls=(Call(name="bash", input={"command": "touch x"}),)), Turn(text="Then not."))
    lines = run(server, tmp_path, str(EXAMPLES / "front_end.py"), "Touch x").splitlines()
    assert lines[:2] == ["[bash is refused]", "Then not."]
    assert lines[2].startswith("(done, 2 steps, session ")
    assert not (tmp_path / "work" / "x").exists()


def test_the_notebook(server: ModelServer, tmp_path: Path) -> None:
    server.script(
        Turn(text="Noted."),
        Turn(text="You prefer short answers."),
        Turn(calls=(Call(name="stock", input={"article": "lamp"}),)),
        Turn(text="Seven."),
    )
    server.always(Turn(text="[SILENT]"))  # to a note of the session before, if it comes to that
    said = run(server, tmp_path, "-c", NOTEBOOK, str(EXAMPLES / "quickstart.ipynb"))
    for text in ("Noted.\n", "You prefer short answers.", "Seven.\n", "User prefers short answers"):
        assert text in said


def test_each_is_named_and_run() -> None:
    scripts = {path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".ipynb")}
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert {name for name in scripts if f"]({name})" in listed} == scripts
    tested = Path(__file__).read_text(encoding="utf-8")
    assert {name for name in scripts if f'"{name}"' in tested} == scripts
