"""The program as a person starts it: a process of its own, a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.model_server import ModelServer


class Ended(NamedTuple):
    code: int
    out: str
    err: str


class Program:
    """Runs `helloclaw` in an empty directory, with nothing of the tester's settings."""

    def __init__(self, root: Path) -> None:
        self.person = root / "person"
        self.home = self.person / ".helloclaw"
        self.workdir = root / "work"
        self.person.mkdir()
        self.workdir.mkdir()
        self.environ = {"HOME": str(self.person), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        # What the interpreter itself is run with.
        self.environ |= {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}

    def command(self, *words: str | bytes) -> list[str | bytes]:
        return [sys.executable, "-m", "helloclaw", *words]

    def __call__(
        self,
        *words: str | bytes,
        stdin: bytes | int = subprocess.DEVNULL,
        timeout: float = 30,
        **environ: str,
    ) -> Ended:
        given = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
        done = subprocess.run(  # noqa: PLW1510 - the exit code is what tests look at
            self.command(*words),
            cwd=self.workdir,
            env=self.environ | environ,
            capture_output=True,
            timeout=timeout,
            **given,  # pyright: ignore[reportArgumentType] - either of the two
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def talking(program: Program, server: ModelServer) -> Program:
    """The program with the scripted server as its model."""
    program.environ |= {"LLM_MODEL_ID": "scripted", "LLM_BASE_URL": f"{server.base_url}/v1", "LLM_API_KEY": "k"}
    return program
