"""`always` for longer than this session, as a person does it: chosen in the menu, seen in the list, taken back."""

from __future__ import annotations

import json

from tests.cli.conftest import Program
from tests.repl.conftest import OpenWindow
from tests.support.model_server import Call, ModelServer, Turn
from tests.support.terminal_window import DOWN, ENTER, TerminalWindow

TOUCH = Turn(text="I will.", calls=(Call(name="bash", input={"command": "touch made"}),))
READY = "/help"
RULE = "Bash(touch made)"
WIDER = "Bash(touch:*)"


def asked(window: TerminalWindow) -> str:
    """The question stands on the screen, and the moment in which keys are dropped is over."""
    return window.until(lambda w: "Yes, once" in "\n".join(w.rows) and "in a moment" not in "\n".join(w.rows))


def offered(seen: str) -> list[str]:
    return [line.split(". ", 1)[1].strip() for line in seen.splitlines() if "Always" in line]


def test_everywhere_until_it_is_taken_back(open_window: OpenWindow, talking: Program, server: ModelServer) -> None:
    server.script(TOUCH, Turn(text="Once."), TOUCH, Turn(text="Twice."), TOUCH, Turn(text="Thrice."))
    with open_window() as window:
        window.until(READY)
        window.type(f"do it{ENTER}")
        assert offered(asked(window)) == [
            f"Always in this session: {RULE} (a)",
            f"Always, in every directory: {RULE}",
            f"Always in this session: {WIDER}",
        ]
        window.type(DOWN + DOWN + ENTER)
        window.until("Once.")
        window.until(f"Allowed from now on in every directory: {RULE}")
    with open_window() as window:
        window.until(READY)
        window.type(f"again{ENTER}")
        assert "wants to run" not in window.until("Twice.")
    saved = str(talking.home / "permissions.json")
    row = {"behaviour": "allow", "rule": RULE, "place": saved}
    assert json.loads(talking("permissions", "list", "--json").out) == [row]
    assert talking("permissions", "rm", RULE).out == f"{RULE} is removed from {saved}.\n"
    with open_window() as window:
        window.until(READY)
        window.type(f"once more{ENTER}")
        asked(window)
        window.type("n")
        window.until("Thrice.")


def test_in_a_trusted_project(open_window: OpenWindow, talking: Program, server: ModelServer) -> None:
    assert talking("trust").code == 0
    server.script(TOUCH, Turn(text="Once."))
    with open_window() as window:
        window.until(READY)
        window.type(f"do it{ENTER}")
        assert offered(asked(window))[:3] == [
            f"Always in this session: {RULE} (a)",
            f"Always in this project: {RULE}",
            f"Always, in every directory: {RULE}",
        ]
        window.type(DOWN + DOWN + ENTER)
        window.until(f"Allowed from now on in this project: {RULE}")
        window.until("Once.")
    project = str(talking.workdir / ".claude" / "permissions.json")
    assert json.loads(talking("trust", "--list", "--json").out) == [
        {"directory": str(talking.workdir), "unchanged": True}
    ]
    assert json.loads(talking("permissions", "list", "--json").out) == [
        {"behaviour": "allow", "rule": RULE, "place": project}
    ]
    assert talking("permissions", "check", "touch made").out.startswith("allowed")
    assert json.loads(talking("permissions", "rm", RULE, "--json").out) == {
        "removed": RULE, "place": project, "places": [project],
    }  # fmt: skip
    assert talking("permissions", "check", "touch made").out.startswith("asks")
