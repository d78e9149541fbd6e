"""Read tool calls that a model wrote in its own markup because a gateway did not turn them into calls.

Pure parsers, one per dialect: DeepSeek's DSML and its older tokens, Kimi's tokens and XTML, MiniMax's XML. Each either
understands all the markup it is given or says that it does not; a call is never guessed from half of one. Finding the
markup in a stream is `text_filter`'s job.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from helloclaw.llm.json_value import is_array, is_object, object_or_empty
from helloclaw.llm.markup import BAR
from helloclaw.llm.messages import ToolSpec


class LeakedCall(Struct, frozen=True, kw_only=True):
    """A call as the markup has it. `raw` is the arguments' JSON text; `error` says why they can't be read."""

    name: str
    raw: str
    error: str = ""


class Leak(Struct, frozen=True, kw_only=True):
    """What a stretch of markup amounts to. `whole` is False when it was cut off or makes no sense; then nothing of it
    may run. `rest` is text that stood beside the calls."""

    calls: tuple[LeakedCall, ...] = ()
    rest: str = ""
    whole: bool = True


BROKEN = Leak(whole=False)
Schemas = Mapping[str, Mapping[str, Any]]
"""JSON Schema by tool name."""

_GAP = rf"(?:{BAR}|\s){{0,6}}"
DSML_TAG = re.compile(rf"<{_GAP}(/?){_GAP}DSML{_GAP}(/?)\s*([a-z_]*)([^<>]*)>", re.IGNORECASE)
_XML_TAG = re.compile(r"<(/?)(?:minimax:|antml:)?()(tool_calls?|function_calls|invoke|parameter)\b([^<>]*)>")
_BLOCKS = frozenset({"function_calls", "tool_calls", "function_call", "tool_call", "calls"})
_NAME = re.compile(r"""\bname\s*=\s*(["'])(.*?)\1""", re.DOTALL)
_STRING = re.compile(r"""\bstring\s*=\s*["']?(true|false)""", re.IGNORECASE)
_FUNCTION_ID = re.compile(r"^(?:functions?\.)?([\w.-]+?)(?::\d+)?$")
_FENCED = re.compile(r"^```\w*\s*\n(.*?)\n?```$", re.DOTALL)
_TOKEN = re.compile(rf"<{BAR}+\s*(/?tool[a-z▁_ ]*?)\s*{BAR}+>", re.IGNORECASE)
_XTML_CALL = re.compile(
    rf"<{BAR}open{BAR}>call\b([^<>]*)<{BAR}sep{BAR}>(.*?)<{BAR}close{BAR}>call<{BAR}sep{BAR}>", re.DOTALL
)
_XTML_ARGUMENT = re.compile(
    rf"<{BAR}open{BAR}>argument\b([^<>]*)<{BAR}sep{BAR}>(.*?)<{BAR}close{BAR}>argument<{BAR}sep{BAR}>", re.DOTALL
)
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')


def schemas_of(tools: Sequence[ToolSpec]) -> Schemas:
    return {tool.name: tool.input_schema for tool in tools}


def read_dsml(markup: str, schemas: Schemas) -> Leak:
    """`<｜DSML｜invoke name="f"><｜DSML｜parameter name="k" string="true">v</｜DSML｜parameter></｜DSML｜invoke>`, in a
    block of `function_calls` (V3.2) or `tool_calls` (V4), or bare. `string="false"` marks JSON."""
    return _read_invocations(DSML_TAG, markup, schemas)


def read_xml(markup: str, schemas: Schemas) -> Leak:
    """MiniMax: the same tree in `<minimax:tool_call>`, without types; the tool's schema says what is a string."""
    leak = _read_invocations(_XML_TAG, markup, schemas)
    unknown = schemas and any(call.name not in schemas for call in leak.calls)
    return BROKEN if unknown else leak


def _read_invocations(tag: re.Pattern[str], markup: str, schemas: Schemas) -> Leak:
    calls: list[LeakedCall] = []
    rest: list[str] = []
    position = 0
    while match := tag.search(markup, position):
        closing = bool(match[1] or match[2])
        rest.append(markup[position : match.start()])
        position = match.end()
        if match[3].lower() == "invoke" and not closing:
            call, position = _invocation(tag, markup, match, schemas)
            if call is None:
                return BROKEN
            calls.append(call)
        elif match[3].lower() == "parameter" and not closing:
            return BROKEN
    if not calls:
        return BROKEN
    rest.append(markup[position:])
    return Leak(calls=tuple(calls), rest="".join(rest))


def _invocation(
    tag: re.Pattern[str], markup: str, opening: re.Match[str], schemas: Schemas
) -> tuple[LeakedCall | None, int]:
    """The call that `opening` begins, and where it ends. None: it does not end, or has no name."""
    named = _NAME.search(opening[4])
    if named is None:
        return None, opening.end()
    name = html.unescape(named[2]).strip()
    if opening[4].rstrip().endswith("/"):
        return LeakedCall(name=name, raw="{}"), opening.end()
    values: dict[str, Any] = {}
    errors: list[str] = []
    position = opening.end()
    while match := tag.search(markup, position):
        closing = bool(match[1] or match[2])
        if match[3].lower() == "invoke" and closing:
            body = markup[position : match.start()].strip()
            return _call(name, values, body, errors), match.end()
        closer = tag.search(markup, match.end())
        if match[3].lower() != "parameter" or closing or closer is None or not (closer[1] or closer[2]):
            return None, position
        _add_value(values, errors, match[4], markup[match.end() : closer.start()], schemas.get(name, {}))
        position = closer.end()
    return None, position


def _call(name: str, values: dict[str, Any], body: str, errors: list[str]) -> LeakedCall:
    if errors:
        return LeakedCall(name=name, raw=_json(values), error="; ".join(errors))
    raw = _json(values) if values or not body else _unfenced(body)
    return LeakedCall(name=name, raw=raw)


def _add_value(
    values: dict[str, Any], errors: list[str], attributes: str, text: str, schema: Mapping[str, Any]
) -> None:
    named = _NAME.search(attributes)
    key = html.unescape(named[2]).strip() if named else ""
    typed = _STRING.search(attributes)
    if not key or key in values:
        errors.append(f"the parameter {key!r} is given twice" if key else "a parameter has no name")
    elif typed is None:
        values[key] = by_schema(text, schema, key)
    elif typed[1].lower() == "true":
        values[key] = text
    else:
        try:
            values[key] = msgspec.json.decode(text.strip())
        except (msgspec.DecodeError, UnicodeEncodeError) as error:
            errors.append(f"the parameter {key!r} is not JSON: {error}")


def by_schema(text: str, schema: Mapping[str, Any], key: str) -> Any:
    """A value without a type: a string unless the schema wants something else and the text is that in JSON."""
    wanted = object_or_empty(object_or_empty(schema.get("properties")).get(key))
    kinds: Any = wanted.get("type")
    if kinds in (None, "string") or (is_array(kinds) and "string" in kinds):
        return text
    try:
        return msgspec.json.decode(text.strip())
    except (msgspec.DecodeError, UnicodeEncodeError):
        return text


def read_tokens(markup: str, _: Schemas) -> Leak:
    """`<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{…}<|tool_call_end|>` (Kimi K2) and
    `<｜tool▁call▁begin｜>f<｜tool▁sep｜>{…}<｜tool▁call▁end｜>` (DeepSeek V3, V3.1)."""
    calls: list[LeakedCall] = []
    rest: list[str] = []
    pieces = _TOKEN.split(markup)
    rest.append(pieces[0])
    position = 1
    while position < len(pieces):
        kind, text = _token(pieces[position]), pieces[position + 1]
        position += 2
        if kind == "tool_call_begin":
            body, position, ended = _token_call(pieces, position, text)
            call = _call_of_tokens(*body)
            if call is None or not (ended or _is_object(call.raw)):
                return BROKEN
            calls.append(call)
        else:
            rest.append(text)
    return Leak(calls=tuple(calls), rest="".join(rest)) if calls else BROKEN


def _token_call(pieces: list[str], position: int, text: str) -> tuple[tuple[str, str | None], int, bool]:
    """Header and arguments of one call (None without a separator), where to go on, and if its end token came."""
    header, arguments, ended = text, None, False
    while position < len(pieces):
        kind = _token(pieces[position])
        if kind in {"tool_call_argument_begin", "tool_sep"} and arguments is None:
            arguments = pieces[position + 1]
            position += 2
            continue
        ended = kind == "tool_call_end"
        break
    return (header, arguments), position, ended


def _token(text: str) -> str:
    return text.strip().lower().replace("▁", "_").replace(" ", "_")


def _call_of_tokens(header: str, arguments: str | None) -> LeakedCall | None:
    if arguments is None:
        return call_of_json(header.strip())
    if header.strip() == "function":  # DeepSeek V3: the name is the first line of the second part
        header, _, arguments = arguments.strip().partition("\n")
    named = _FUNCTION_ID.match(header.strip())
    return LeakedCall(name=named[1], raw=_unfenced(arguments.strip())) if named else None


def call_of_json(text: str) -> LeakedCall | None:
    """A call written as one JSON object with a name and arguments, or nothing."""
    try:
        value: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
    return call_of_object(value)


CALL_KEYS = frozenset({"name", "arguments", "parameters", "type", "function", "id"})


def call_of_object(value: Any) -> LeakedCall | None:
    """`{"name", "arguments"}`, with `parameters` for `arguments` (Llama) or inside `{"function": {…}}` (OpenAI)."""
    if not is_object(value) or not CALL_KEYS.issuperset(value):
        return None
    function = value.get("function")
    inner = function if is_object(function) else value
    name, arguments = inner.get("name"), inner.get("arguments", inner.get("parameters"))
    if isinstance(arguments, str) and _is_object(arguments):
        arguments = msgspec.json.decode(arguments)
    if not isinstance(name, str) or not name or not isinstance(arguments, dict):
        return None
    return LeakedCall(name=name.removeprefix("functions."), raw=_json(arguments))


def read_xtml(markup: str, _: Schemas) -> Leak:
    """Kimi K3: `<|open|>call tool="f" index="0"<|sep|><|open|>argument key="k" type="string"<|sep|>v<|close|>…`."""
    calls: list[LeakedCall] = []
    for call in _XTML_CALL.finditer(markup):
        attributes = dict(_ATTRIBUTE.findall(call[1]))
        values: dict[str, Any] = {}
        errors: list[str] = []
        for argument in _XTML_ARGUMENT.finditer(call[2]):
            about = dict(_ATTRIBUTE.findall(argument[1]))
            string = "true" if about.get("type", "string") == "string" else "false"
            _add_value(values, errors, f'name="{about.get("key", "")}" string="{string}"', argument[2], {})
        if not attributes.get("tool"):
            return BROKEN
        calls.append(_call(html.unescape(attributes["tool"]), values, "", errors))
    opened = len(re.findall(rf"<{BAR}open{BAR}>call\b", markup))
    return Leak(calls=tuple(calls)) if calls and opened == len(calls) else BROKEN


def _unfenced(text: str) -> str:
    fenced = _FENCED.match(text)
    return (fenced[1] if fenced else text).strip()


def _is_object(raw: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(raw), dict)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return False


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
