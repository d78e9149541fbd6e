"""A call's arguments, from the text that a model wrote to a JSON object, or to an error that the model can act on.

Strict: nothing is repaired or guessed at, because the result is executed.
"""

from __future__ import annotations

import json
import re
from typing import Any, cast

from helloclaw.llm.messages import AnyCall, MalformedCall, ToolCall
from helloclaw.llm.text import encodable, has_half_character, join_halves

EXCERPT = 24
"""Bytes shown on each side of the place where parsing stopped."""

_PLACE = re.compile(r" at line (\d+) column (\d+)$")
_BIG_EXPONENT = re.compile(r"[eE]\+?\d{3}")


def parse_arguments(id: str, name: str, raw: Any, signature: str | None = None) -> AnyCall:  # noqa: A002 - the field's name
    """Make a call of `raw`: the arguments' JSON text, or an already decoded value, as some servers send.

    No text at all is an empty object: models leave it out for tools without parameters. `signature` is kept on the
    call.
    """
    text = "" if raw is None else join_halves(raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False))
    value = _parse(text)
    if isinstance(value, str):
        return MalformedCall(id=id, name=name, raw=encodable(text), error=value)
    return ToolCall(id=id, name=name, input=value, signature=signature)


def _parse(text: str) -> dict[str, Any] | str:
    """The object, or what is wrong with the text."""
    import jiter

    if not text.strip():
        return {}
    if has_half_character(text):
        return "The arguments hold half of a UTF-16 pair (a lone surrogate); write the whole character."
    try:
        value: Any = jiter.from_json(text.encode(), allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError as error:
        return _explain(str(error), text)
    if not isinstance(value, dict):
        return f"The arguments must be a JSON object, not {_kind(value)}."
    if _BIG_EXPONENT.search(text) and _out_of_range(value):
        return "The arguments hold a number that is out of range."
    return cast("dict[str, Any]", value)


def _explain(problem: str, text: str) -> str:
    """Say what and where; `problem` is jiter's."""
    message = f"The arguments are not valid JSON: {problem}"
    if place := _PLACE.search(problem):
        message += f", near {_excerpt(text, int(place[1]), int(place[2]))}"
    if problem.startswith("EOF"):
        return f"{message}. They end too early, so the call was cut off."
    if problem.startswith("control character"):
        return f"{message}. Inside a string write a newline as \\n and a tab as \\t."
    return f"{message}."


def _excerpt(text: str, line: int, column: int) -> str:
    data = text.encode()
    position = sum(len(row) + 1 for row in data.split(b"\n")[: line - 1]) + column
    around = data[max(position - EXCERPT, 0) : position + EXCERPT].decode(errors="ignore")
    return json.dumps(around, ensure_ascii=False)


def _out_of_range(value: Any) -> bool:
    """Whether a number such as `1e999` became infinite, which JSON can't write back."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return True
    return False


def _kind(value: object) -> str:
    match value:
        case list():
            return "an array"
        case str():
            return "a string"
        case bool():
            return "a boolean"
        case None:
            return "null"
        case _:
            return "a number"
