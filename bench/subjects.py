"""Who is measured, and how each is started: HelloClaw from its own wheel, the peers from PyPI, each in its own venv.

Every peer runs as its documentation says it runs best without a person: no confirmation, no update check, no price list
from the network, the tool that it brings for reading a file. A library without a command has a driver in `peers/`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tests.support.model_server import Call, Turn

PROMPT = "Look at the notes, one after the other."
KEY = "bench"
MODEL = "scripted"
DRIVERS = Path(__file__).parent / "peers"
DONE = Turn(text="All read.")


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where one run happens. `home` is the subject's own and lasts for the whole measurement."""

    venv: Path
    home: Path
    project: Path
    base_url: str


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One agent. Commands begin with a program in its venv's `bin`."""

    name: str
    requirement: str
    """For pip; empty for this checkout."""
    turn: Callable[[Place, str], list[str]]
    """The command of one headless turn, in a new session of the given name."""
    call: Callable[[str], Call]
    """How its model would ask for a file."""
    help: tuple[str, ...] = ()
    version: tuple[str, ...] = ()
    last: Turn = DONE
    """What its model says when it is done."""
    env: Callable[[Place], Mapping[str, str]] = lambda _: {}
    prepare: Callable[[Place], None] = lambda _: None
    """Write what it wants to find in its home."""
    in_memory: bool = False
    """Home and project on a file system in memory, where fsync costs nothing."""
    note: str = ""
    """What a reader must know to judge its numbers."""


def _read_file(path: str) -> Call:
    return Call(name="read_file", input={"path": path})


def _bash(path: str) -> Call:
    return Call(name="bash", input={"command": f"cat {path}"})


def _helloclaw_env(place: Place) -> dict[str, str]:
    return {"LLM_MODEL_ID": MODEL, "LLM_API_KEY": KEY, "LLM_BASE_URL": f"{place.base_url}/v1"}


def _helloclaw_turn(_place: Place, _session: str) -> list[str]:
    return ["helloclaw", "-p", PROMPT, "--max-turns", "1000"]


HELLOCLAW = Subject(
    name="helloclaw",
    requirement="",
    help=("helloclaw", "--help"),
    version=("helloclaw", "--version"),
    turn=_helloclaw_turn,
    call=_read_file,
    env=_helloclaw_env,
    note="`read_file`",
)

HELLOCLAW_BASH = replace(
    HELLOCLAW, name="helloclaw, bash", help=(), version=(), call=_bash, note="the same, with `bash`: `cat FILE`"
)
HELLOCLAW_IN_MEMORY = replace(
    HELLOCLAW, name="helloclaw, no disk", help=(), version=(), in_memory=True, note="`read_file`, fsyncs cost nothing"
)


def _prepare_nanobot(place: Place) -> None:
    defaults = {"workspace": str(place.project), "model": MODEL, "provider": "custom", "maxToolIterations": 1000}
    provider = {"apiKey": KEY, "apiBase": f"{place.base_url}/v1"}
    config = place.home / ".nanobot/config.json"
    config.parent.mkdir(exist_ok=True)
    config.write_text(json.dumps({"agents": {"defaults": defaults}, "providers": {"custom": provider}}))


NANOBOT = Subject(
    name="nanobot-ai",
    requirement="nanobot-ai==0.3.5",
    help=("nanobot", "--help"),
    version=("nanobot", "--version"),
    turn=lambda _place, session: ["nanobot", "agent", "--no-markdown", "-s", session, "-m", PROMPT],
    call=_read_file,
    prepare=_prepare_nanobot,
    note="`read_file`",
)

SUBMIT = Call(name="bash", input={"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"})

MINI_SWE_AGENT = Subject(
    name="mini-swe-agent",
    requirement="mini-swe-agent==2.4.6",
    help=("mini", "--help"),
    turn=lambda place, _session: [
        *("mini", "-y", "--exit-immediately", "-l", "0", "-m", f"openai/{MODEL}", "-t", PROMPT),
        *("-o", str(place.home / "trajectory.json")),
    ],
    call=_bash,
    last=Turn(text="Done.", calls=(SUBMIT,)),
    env=lambda place: {
        "OPENAI_API_BASE": f"{place.base_url}/v1",
        "OPENAI_API_KEY": KEY,
        "MSWEA_CONFIGURED": "true",
        "MSWEA_SILENT_STARTUP": "1",
        "MSWEA_COST_TRACKING": "ignore_errors",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    },
    note="`bash`: `cat FILE`, its only tool",
)

HELLO_AGENTS = Subject(
    name="hello-agents",
    requirement="hello-agents==1.0.0",
    turn=lambda _place, _session: ["python", str(DRIVERS / "hello_agents_turn.py"), PROMPT],
    call=lambda path: Call(name="Read", input={"path": path}),
    env=lambda place: {"LLM_MODEL_ID": MODEL, "LLM_API_KEY": KEY, "LLM_BASE_URL": f"{place.base_url}/v1"},
    note="`SimpleAgent` with its `ReadTool`",
)

PYDANTIC_AI = Subject(
    name="pydantic-ai",
    requirement="pydantic-ai-slim[openai]==2.68.0",
    turn=lambda _place, _session: ["python", str(DRIVERS / "pydantic_ai_turn.py"), PROMPT],
    call=_read_file,
    env=lambda place: {"OPENAI_BASE_URL": f"{place.base_url}/v1", "OPENAI_API_KEY": KEY, "MODEL": MODEL},
    note="a bare library: a function of ours as the tool; no session, no permissions, nothing saved",
)

SUBJECTS = (HELLOCLAW, HELLOCLAW_IN_MEMORY, HELLOCLAW_BASH, NANOBOT, MINI_SWE_AGENT, HELLO_AGENTS, PYDANTIC_AI)
