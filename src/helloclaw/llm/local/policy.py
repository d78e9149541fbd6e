"""What a small model may do next, and what becomes of a call it should not make. Pure; the numbers are measured.

The model says with its first token whether it is about to call or to answer, and how sure it is. Where it is wrong, it
is wrong in one direction: it declares a thing done that it has only looked at, gives up at the first error, or makes
the same call again. Each rule here is against one of these.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from msgspec import Struct

from helloclaw.llm.local.conversation import Step, Turn
from helloclaw.llm.messages import AnyCall, ToolCall, ToolSpec

LOOKING = frozenset({"read_file", "search_content"})

CALL_AT_FIRST = 0.4
"""Odds of a call from which on there is one: at most 0.30 for small talk and knowledge, at least 0.51 for work."""

CALL_FOR_NAMED_FILE = 0.05
"""The same where the request names a file: «the name field in Cargo.toml» has 0.07."""

CALL_AFTER_LOOKING = 0.01
"""After a read, odds are 0.02 and more when something is still to be done, 0.003 and less when not."""

CALL_AFTER_DOING = 0.5

MUST_TRY_AGAIN = 2
"""Failures in a row after which another call has to come; after one more the model may, and then has to, answer."""

_NAMES_FILE = re.compile(r"\w\.[A-Za-z]{1,5}\b")
_SED = re.compile(r"sed -i\b[^|&]* ([^\s'\"|;&<>]+)")
"""An edit by guess, where it is the whole command and names one file."""

_CREATES = re.compile(
    r"\b(?:creat|writ|wrote|mak|sav|generat|put|new|stor|record|output|copy|cop)|[写创建造生存复放记]", re.IGNORECASE
)
_CHANGES = re.compile(
    r"^(?!.*\?|what|how|why|which|should)(?=.*(?:\b(?:fix|chang|replac|updat|modif|correct|edit|set|bump)|[改换修设]|更新))",
    re.IGNORECASE | re.DOTALL,
)

_ASKS = re.compile(r"[?？吗]|什么|多少|哪|几|^(?:what|how|which|who|when|where|tell|show)\b", re.IGNORECASE)

NO_OUTPUT = "(no output)"
"""What `bash` says of a command that printed nothing and did not fail."""

MAX_STEPS = 12
_REMEMBERED = 3


class Choice(Struct, frozen=True, kw_only=True):
    """What comes next: a call of one of `tools`, or an answer if there are none."""

    tools: tuple[ToolSpec, ...]

    @property
    def answer(self) -> bool:
        return not self.tools


ANSWER = Choice(tools=())


def settled(turn: Turn, tools: Sequence[ToolSpec]) -> Choice | None:
    """The choice, where the turn so far leaves none to the model; None where its odds decide.

    A command that says nothing answers no question: more often it was wrong (quotes, a column) than the answer is no.
    """
    failures = _failures(turn)
    if not tools or len(turn.steps) >= MAX_STEPS or failures > MUST_TRY_AGAIN + 1:
        return ANSWER
    if 0 < failures <= MUST_TRY_AGAIN:
        return _without(_tried_twice(turn), tools)
    if len(turn.steps) == 1 and turn.steps[0].result == NO_OUTPUT and _ASKS.search(turn.request):
        return _without(turn.steps[0].call.name, tools)
    return None


def chosen(turn: Turn, tools: Sequence[ToolSpec], odds: float) -> Choice:
    """`odds` of a call, from 0 to 1, by the model's first token.

    A tool that was refused in this turn stays refused. After reading a file that is to be changed comes the change.
    """
    if not turn.steps:
        threshold = CALL_FOR_NAMED_FILE if _NAMES_FILE.search(turn.request) else CALL_AT_FIRST
    elif turn.steps[-1].call.name in LOOKING:
        threshold = CALL_AFTER_LOOKING
    else:
        threshold = CALL_AFTER_DOING
    if odds < threshold:
        return ANSWER
    refused = {step.call.name for step in turn.steps if step.refused}
    left = tuple(tool for tool in tools if tool.name not in refused)
    if turn.steps and turn.steps[-1].call.name == "read_file" and _CHANGES.search(turn.request):
        return Choice(tools=tuple(tool for tool in left if tool.name == "edit_file") or left)
    return Choice(tools=left)


def look_first(call: AnyCall, turns: Sequence[Turn], tools: Sequence[ToolSpec]) -> AnyCall:
    """Before a change of a file that was not read comes the reading: else the model makes up what it replaces.

    A file to be written is looked for, unless the request is to create something: reading what is not there is no harm.
    """
    path = _changed_file(call, turns[-1].request)
    if path is None or not any(tool.name == "read_file" for tool in tools):
        return call
    if any(step.call.name in ("read_file", "write_file") and _path(step.call) == path for step in _steps(turns)):
        return call
    return ToolCall(id=call.id, name="read_file", input={"path": path})


def _changed_file(call: AnyCall, request: str) -> object:
    """The path of a file that `call` would change without having to create it, else None."""
    match call.name:
        case "edit_file":
            return _path(call)
        case "write_file" if not _CREATES.search(request):
            return _path(call)
        case "bash" if isinstance(call, ToolCall):
            edited = _SED.fullmatch(str(call.input.get("command")))
            return edited[1] if edited else None
        case _:
            return None


def better_tools(call: AnyCall, turn: Turn, tools: Sequence[ToolSpec]) -> Choice | None:
    """Where a file that was read would be written anew, the tools without `write_file`: it loses the rest of the file.

    Not once an edit has failed. None where the call is as good as any.
    """
    if not isinstance(call, ToolCall) or call.name != "write_file":
        return None
    if not any(tool.name == "edit_file" for tool in tools):
        return None
    path = call.input.get("path")
    read = any(step.call.name == "read_file" and _path(step.call) == path and not step.failed for step in turn.steps)
    tried = any(step.call.name == "edit_file" and step.failed for step in turn.steps)
    return _without("write_file", tools) if read and not tried else None


def repeated(call: AnyCall, turn: Turn) -> bool:
    return any(_same(step.call, call) for step in turn.steps[-_REMEMBERED:])


def instead_of(call: AnyCall, turn: Turn, tools: Sequence[ToolSpec]) -> Choice:
    """What to do where the model would make the same call again: try another tool after a failure, else answer."""
    return _without(call.name, tools) if _failures(turn) else ANSWER


def _without(name: str, tools: Sequence[ToolSpec]) -> Choice:
    return Choice(tools=tuple(tool for tool in tools if tool.name != name))


def _tried_twice(turn: Turn) -> str:
    """The tool that has failed twice in a row, or ""."""
    last = turn.steps[-2:]
    return last[0].call.name if len(last) == 2 and all(step.failed for step in last) and _one_tool(last) else ""


def _one_tool(steps: Sequence[Step]) -> bool:
    return len({step.call.name for step in steps}) == 1


def _failures(turn: Turn) -> int:
    return sum(1 for _ in takewhile(lambda step: step.failed, reversed(turn.steps)))


def _same(one: AnyCall, other: AnyCall) -> bool:
    match one, other:
        case ToolCall(), ToolCall():
            return (one.name, one.input) == (other.name, other.input)
        case _:
            return False


def _steps(turns: Sequence[Turn]) -> list[Step]:
    return [step for turn in turns for step in turn.steps]


def _path(call: AnyCall) -> object:
    return call.input.get("path") if isinstance(call, ToolCall) else None
