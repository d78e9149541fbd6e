"""Grammars (GBNF) that keep a small model's answer to one tool call that can be run, or to text. Pure.

GBNF: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from helloclaw.llm.json_value import is_array, is_object
from helloclaw.llm.messages import ToolSpec

TEXT = "root ::= [^{`<] [^\\x00]*\n"
"""Anything that does not begin like a call: this model writes bare, fenced and tagged ones."""

_CHINESE = r"\u3000-\u9FFF\uFF00-\uFFEF"
"""Characters and punctuation."""

LATIN_TEXT = f"root ::= [^{{`<{_CHINESE}] [^\\x00{_CHINESE}]*\n"

_JSON = r"""
string ::= "\"" char* "\""
filled ::= "\"" char+ "\""
escaped ::= ["\\bfnrt/] | "u" hex hex hex hex
hex ::= [0-9a-fA-F]
integer ::= "-"? ("0" | [1-9] [0-9]{0,15})
number ::= integer ("." [0-9]{1,15})?
boolean ::= "true" | "false"
array ::= "[" (value (", " value)*)? "]"
object ::= "{" (string ": " value (", " string ": " value)*)? "}"
value ::= string | number | boolean | "null" | array | object
"""

_MAY_BE_EMPTY = frozenset({"content", "new_text"})


def call_grammar(tools: Sequence[ToolSpec], *, latin: bool = False) -> str:
    """One call of one of `tools`, as `{"name": "…", "arguments": {…}}`, with arguments that fit its schema.

    `latin`: with nothing Chinese in them.
    """
    root = " | ".join(f"call-{index}" for index in range(len(tools)))
    rules = [f"call-{index} ::= {_call(tool)}" for index, tool in enumerate(tools)]
    characters = f'char ::= [^"\\\\\\x7F\\x00-\\x1F{_CHINESE if latin else ""}] | "\\\\" escaped'
    return "\n".join([f"root ::= {root}", *rules, characters]) + _JSON


def _call(tool: ToolSpec) -> str:
    opening = _literal(f'{{"name": {json.dumps(tool.name)}, "arguments": {{')
    return " ".join([opening, *_arguments(tool.input_schema), _literal("}}")])


def _arguments(schema: Mapping[str, Any]) -> list[str]:
    """Required ones in their order. A small model leaves optional ones alone, unless there are no others."""
    properties = schema.get("properties")
    if not is_object(properties):
        return []
    listed = schema.get("required")
    required = [str(name) for name in listed if name in properties] if is_array(listed) else []
    if required:
        return [part for index, name in enumerate(required) for part in _pair(name, properties[name], index > 0)]
    alternatives = [" ".join(_pair(name, value, False)) for name, value in properties.items()]
    return [f"({' | '.join(alternatives)})?"] if alternatives else []


def _pair(name: str, schema: Any, later: bool) -> list[str]:
    return [_literal(f"{', ' if later else ''}{json.dumps(name, ensure_ascii=False)}: "), _value(name, schema)]


def _value(name: str, schema: Any) -> str:
    if not is_object(schema):
        return "value"
    choices = schema.get("enum")
    if is_array(choices) and choices:
        return f"({' | '.join(_literal(json.dumps(choice, ensure_ascii=False)) for choice in choices)})"
    match schema.get("type"):
        case "string":
            return "string" if name in _MAY_BE_EMPTY else "filled"
        case "integer" | "number" | "boolean" | "array" | "object" as kind:
            return str(kind)
        case _:
            return "value"


def _literal(text: str) -> str:
    """A GBNF terminal that matches `text`. Its escapes are those of JSON, as far as they are used here."""
    return json.dumps(text, ensure_ascii=False)
