"""What goes wrong unseen is written down for later, and not over what a person reads."""

from __future__ import annotations

import subprocess
import sys

import pytest

from helloclaw.cli.log_file import KEPT, MOST_BYTES, NAME
from tests.cli.conftest import Program
from tests.support.model_server import ModelServer, Turn

BEGIN = """
import asyncio, gc, logging, os, sys, warnings
from helloclaw.cli.log_file import keep_log
from helloclaw.cli.parse import parse
from helloclaw.cli.run import Run
from helloclaw.cli.terminal import Terminal
from helloclaw.i18n import texts
keep_log(Run(parse(sys.argv[1:]), Terminal.of_process(), texts("en"), os.environ))
"""
WRITE = """
logging.getLogger("helloclaw.x").info("not worth it")
logging.getLogger("helloclaw.x").warning("a name: %s", "\\x1b[31m red")
warnings.warn("a warning", RuntimeWarning)
async def main():
    async def fail():
        raise ValueError("of a task")
    task = asyncio.create_task(fail())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del task
    gc.collect()
asyncio.run(main())
"""


def run(program: Program, lines: str, *words: str) -> tuple[str, str]:
    environ = program.environ
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + lines, *words], capture_output=True, text=True, env=environ, check=True
    )
    return done.stdout, done.stderr


def test_warnings_and_lost_errors_are_in_a_private_file(program: Program) -> None:
    assert run(program, WRITE) == ("", "")
    log = program.home / "logs" / NAME
    text = log.read_text()
    wanted = ("WARNING helloclaw.x: a name: ", "RuntimeWarning: a warning", "ValueError: of a task")
    assert [each for each in wanted if each not in text] == []
    assert ("not worth it" in text, oct(log.stat().st_mode & 0o777)) == (False, "0o600")


def test_with_debug_it_is_shown_too_and_harms_no_terminal(program: Program) -> None:
    _, shown = run(program, WRITE, "--debug")
    assert ("a name: \\x1b[31m red" in shown, "\x1b" in shown, "of a task" in shown) == (True, False, True)


def test_it_does_not_grow_for_ever(program: Program) -> None:
    run(program, f"for _ in range({6 * MOST_BYTES // 100_000}): logging.error('x' * 100_000)")
    logs = program.home / "logs"
    assert sorted(path.name for path in logs.iterdir()) == [NAME, *(f"{NAME}.{n}" for n in range(1, KEPT + 1))]
    assert {path.stat().st_size <= MOST_BYTES for path in logs.iterdir()} == {True}
    assert {oct(path.stat().st_mode & 0o777) for path in logs.iterdir()} == {"0o600"}


@pytest.mark.parametrize("there", ["a file", "nothing"])
def test_where_it_cannot_be_written_the_program_goes_on(program: Program, there: str) -> None:
    if there == "a file":
        program.home.mkdir()
        (program.home / "logs").write_text("")
    else:
        program.environ["HELLOCLAW_HOME"] = "/proc/nowhere"
    assert run(program, WRITE) == ("", "")


def test_a_run_in_which_nothing_happens_leaves_no_log(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="Hello."))
    assert talking("-p", "hi").out == "Hello.\n"
    assert not (talking.home / "logs").exists()
