"""Tools from plain functions: the signature becomes the input, the docstring the description."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable
from typing import Any, get_type_hints

import msgspec
from msgspec import NODEFAULT, Struct, defstruct

from helloclaw.tools.base import Tool, ToolOutput
from helloclaw.tools.context import ToolContext

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def tool_from_function(
    fn: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    read_only: bool = False,
    parallel_safe: bool = False,
) -> Tool:
    """Make `fn` callable by the model.

    Parameters need type hints; one hinted `ToolContext` is filled in and not shown. A plain function runs in a thread.
    What it returns goes to the model: text as it is, a `ToolOutput` as it is, anything else as JSON. `read_only` and
    `parallel_safe` are promises about `fn`. Raises `ValueError` or `TypeError` for what can't be made a tool.
    """
    tool_name = name or getattr(fn, "__name__", "")
    if not _NAME.fullmatch(tool_name):
        raise ValueError(f"{tool_name!r} can't be a tool's name: use 1 to 64 letters, digits, _ or -")
    hints = get_type_hints(fn, include_extras=True)
    parameters = inspect.signature(fn).parameters.values()
    context_names = [each.name for each in parameters if hints.get(each.name) is ToolContext]
    visible = [each for each in parameters if each.name not in context_names]
    input_type = _input_type(tool_name, visible, hints)
    names = [each.name for each in visible]

    async def run(call: Struct, context: ToolContext) -> ToolOutput:
        given = {each: getattr(call, each) for each in names} | dict.fromkeys(context_names, context)
        if inspect.iscoroutinefunction(fn):
            return _output(await fn(**given))
        returned = await asyncio.to_thread(fn, **given)
        return _output(await returned if inspect.isawaitable(returned) else returned)

    return Tool(
        tool_name,
        input_type,
        run,
        description=description if description is not None else inspect.getdoc(fn) or "",
        read_only=read_only,
        parallel_safe=parallel_safe,
    )


def _input_type(tool: str, parameters: list[inspect.Parameter], hints: dict[str, Any]) -> type[Struct]:
    fields: list[tuple[str, type, Any]] = []
    for each in parameters:
        if each.kind not in _BY_NAME:
            raise TypeError(f"{tool}: parameter {each.name!r} can't be given by name; a model gives all by name")
        if each.name not in hints:
            raise TypeError(f"{tool}: parameter {each.name!r} has no type hint; the model needs to know what to give")
        default = NODEFAULT if each.default is inspect.Parameter.empty else each.default
        fields.append((each.name, hints[each.name], default))
    return defstruct(f"{tool}_input", fields, frozen=True, kw_only=True, forbid_unknown_fields=True)


def _output(returned: object) -> ToolOutput:
    match returned:
        case ToolOutput():
            return returned
        case str():
            return ToolOutput(text=returned)
        case None:
            return ToolOutput(text="Done.")
        case _:
            return ToolOutput(text=msgspec.json.encode(returned, enc_hook=str).decode("utf-8"))
