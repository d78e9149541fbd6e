"""Read what the small model says: how an answer begins, and the call that a constrained answer is. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from helloclaw.llm.messages import AnyCall, MalformedCall, ToolCall

_CALL_STARTS = ("{", "```", "<tool")
_EXPLAINING = ("To", "要", "为了")
"""«To count the lines, you can run …»: said of things that should be done, not explained."""

_NAME = re.compile(r'\{"name": "([^"]+)"')


def odds_of_call(first_tokens: Mapping[str, float]) -> float:
    """From 0 to 1: the share of beginnings that lead to a call."""
    total = sum(first_tokens.values())
    calls = sum(
        odds
        for token, odds in first_tokens.items()
        if token.lstrip().startswith(_CALL_STARTS) or token.strip() in _EXPLAINING
    )
    return calls / total if total else 0.0


def read_call(text: str, call_id: str, *, cut: bool) -> AnyCall:
    """The call in `text`, which the grammar has kept to one. `cut`: it was not finished."""
    try:
        found = json.loads(text)
        return ToolCall(id=call_id, name=found["name"], input=cast("dict[str, Any]", found["arguments"]))
    except (ValueError, KeyError, TypeError) as error:
        named = _NAME.match(text)
        reason = "it was cut off because it is too long; write less at a time" if cut else str(error)
        return MalformedCall(id=call_id, name=named[1] if named else "unknown", raw=text, error=reason)


def arguments_text(call: AnyCall) -> str:
    """The arguments as the model wrote them, or as it might have."""
    match call:
        case ToolCall(input=arguments):
            return json.dumps(arguments, ensure_ascii=False)
        case MalformedCall(raw=raw):
            return raw
