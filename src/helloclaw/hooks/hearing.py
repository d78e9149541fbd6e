"""What a hook is told: variables in its environment, and the same as JSON on stdin. Pure.

A variable can hold 128 KB on Linux, all of them together often no more than 2 MB with the arguments. So what is longer
is cut in the environment, and `HOOK_TRUNCATED` names the variables that were; stdin always has everything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from helloclaw.hooks.config import HookEvent
from helloclaw.tools.environment import rebuild

VARIABLE_BYTES = 96 * 1024
"""How much of a value goes into one variable."""

_OWN = ("HOOK_EVENT", "HOOK_TOOL_NAME", "HOOK_TOOL_INPUT", "HOOK_TOOL_OUTPUT", "HOOK_TRUNCATED")


class Happening(Struct, frozen=True, kw_only=True):
    """An event. `output` is what a tool gave back, None before it ran and for events about no tool."""

    event: HookEvent
    tool: str = ""
    input: dict[str, Any] = {}
    output: str | None = None
    is_error: bool = False


def environment(happening: Happening, environ: Mapping[str, str], workdir: str) -> dict[str, str]:
    """The hook's environment, rebuilt from ours as for any command: no keys, nothing that steers other programs."""
    values = {
        "HOOK_EVENT": happening.event,
        "HOOK_TOOL_NAME": happening.tool,
        "HOOK_TOOL_INPUT": as_json(happening.input),
    }
    if happening.output is not None:
        values["HOOK_TOOL_OUTPUT"] = happening.output
    fitting = {name: _fitting(value) for name, value in values.items()}
    cut = " ".join(name for name, value in values.items() if len(value.encode("utf-8", "replace")) > VARIABLE_BYTES)
    kept = {name: value for name, value in rebuild(environ).items() if name not in _OWN}
    return kept | {"CLAUDE_PROJECT_DIR": workdir} | fitting | ({"HOOK_TRUNCATED": cut} if cut else {})


def heard(happening: Happening, session_id: str, workdir: str) -> bytes:
    """The JSON for stdin, in UTF-8."""
    members: dict[str, Any] = {
        "hook_event_name": happening.event,
        "session_id": session_id,
        "cwd": workdir,
        "tool_name": happening.tool,
        "tool_input": happening.input,
    }
    if happening.output is not None:
        members |= {"tool_output": happening.output, "is_error": happening.is_error}
    return as_json(members).encode("utf-8", "replace")


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _fitting(value: str) -> str:
    """`value` as a variable can hold it: no NUL, no half characters, not too long."""
    data = value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace")
    return data[:VARIABLE_BYTES].decode("utf-8", "ignore")
