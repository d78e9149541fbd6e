"""Read what the small model says: how an answer begins, and the call that a constrained answer is. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from msgspec import Struct

from helloclaw.llm.messages import AnyCall, MalformedCall, ToolCall

_CALL_STARTS = ("{", "```", "<tool")
_EXPLAINING = ("To", "要", "为了")
"""«To count the lines, you can run …»: said of things that should be done, not explained."""

LOOP_LINES = 24
LOOP_CHARACTERS = 12
LOOP_WINDOW = 400
LOOP_PERIOD = 100
LOOP_TOKENS = 400
"""How far back circles are looked for: lines of so many characters; characters, and how soon they recur; tokens."""

CUT_OFF = "it was cut off because it is too long; write less at a time"
LOOPED = "it repeats itself without end; write something shorter"

_NAME = re.compile(r'\{"name": "([^"]+)"')


class Said(Struct, frozen=True, kw_only=True):
    """What a constrained answer came to. `trouble` says why it is not whole, for the model."""

    text: str
    trouble: str = ""


def odds_of_call(first_tokens: Mapping[str, float]) -> float:
    """From 0 to 1: the share of beginnings that lead to a call."""
    total = sum(first_tokens.values())
    calls = sum(
        odds
        for token, odds in first_tokens.items()
        if token.lstrip().startswith(_CALL_STARTS) or token.strip() in _EXPLAINING
    )
    return calls / total if total else 0.0


def repeats_itself(text: str) -> bool:
    """Whether `text` goes round in circles, as small models do: by the same lines, or to the letter."""
    lines = [line for line in text.replace("\\n", "\n").split("\n")[-LOOP_LINES:] if len(line) >= LOOP_CHARACTERS]
    if lines and max(map(lines.count, lines)) > LOOP_LINES // 3:
        return True
    end = text[-LOOP_WINDOW:]
    return len(end) == LOOP_WINDOW and any(end[period:] == end[:-period] for period in range(1, LOOP_PERIOD + 1))


def read_call(said: Said, call_id: str) -> AnyCall:
    """The call that was said; the grammar has kept it to one."""
    try:
        found = json.loads(said.text)
        return ToolCall(id=call_id, name=found["name"], input=cast("dict[str, Any]", found["arguments"]))
    except (ValueError, KeyError, TypeError) as error:
        named = _NAME.match(said.text)
        name = named[1] if named else "unknown"
        return MalformedCall(id=call_id, name=name, raw=said.text, error=said.trouble or str(error))


def arguments_text(call: AnyCall) -> str:
    """The arguments as the model wrote them, or as it might have."""
    match call:
        case ToolCall(input=arguments):
            return json.dumps(arguments, ensure_ascii=False)
        case MalformedCall(raw=raw):
            return raw
