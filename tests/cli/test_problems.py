"""What nobody foresaw: one line for the person, the whole of it in a log."""

from __future__ import annotations

import io
from pathlib import Path

from helloclaw.cli.problems import report
from helloclaw.cli.terminal import Terminal
from helloclaw.i18n import texts
from tests.cli.conftest import Program


def defect() -> RuntimeError:
    try:
        raise RuntimeError("half \x1b[31m way")
    except RuntimeError as error:
        return error


def reported(environ: dict[str, str], *, debug: bool = False) -> tuple[int, str]:
    shown = io.StringIO()
    terminal = Terminal(None, io.StringIO(), shown)
    return report(defect(), terminal, texts("en"), environ, debug=debug), shown.getvalue()


def test_a_defect_is_written_down_privately(tmp_path: Path) -> None:
    code, shown = reported({"HELLOCLAW_HOME": str(tmp_path / "home")})
    (log,) = (tmp_path / "home/logs").iterdir()
    what = "RuntimeError: half \\x1b[31m way"
    assert (code, shown) == (1, f"helloclaw: a defect in HelloClaw stopped it ({what}); details are in {log}\n")
    assert "test_problems.py" in log.read_text()
    assert (log.stat().st_mode & 0o777, log.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_where_no_log_can_be_written_debug_shows_it() -> None:
    code, shown = reported({"HELLOCLAW_HOME": "/proc/none"})
    assert (code, shown.endswith("; --debug shows the details\n"), "Traceback" in shown) == (1, True, False)
    code, shown = reported({"HELLOCLAW_HOME": "/proc/none"}, debug=True)
    assert (code, "Traceback" in shown) == (1, True)


def test_debug_shows_where_a_problem_comes_from_and_the_line_all_the_same(program: Program) -> None:
    plain, debugged = program("sessions", "show", "nope"), program("sessions", "show", "nope", "--debug")
    assert (plain.code, plain.err.count("\n"), debugged.code) == (2, 1, 2)
    assert debugged.err.startswith("Traceback")
    assert debugged.err.endswith(plain.err)
