"""Plain functions as tools."""

from __future__ import annotations

import textwrap
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest

from helloclaw.tools.base import ToolError, ToolOutput
from helloclaw.tools.context import ToolContext
from helloclaw.tools.registry import open_context, tool_from_function


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return open_context("s", tmp_path)


async def run(tool_or_function: Any, context: ToolContext, **arguments: Any) -> ToolOutput:
    tool = tool_from_function(tool_or_function)
    return await tool.run(tool.parse(arguments), context)


def weather(city: str, days: Annotated[int, msgspec.Meta(ge=1)] = 1, unit: Literal["c", "f"] = "c") -> str:
    """The weather of a city.

    From a table.
    """
    return f"{city} {days} {unit}"


async def test_the_signature_is_the_schema_and_the_docstring_the_description(context: ToolContext) -> None:
    tool = tool_from_function(weather, read_only=True, parallel_safe=True)
    assert msgspec.to_builtins(tool.spec) == {
        "name": "weather",
        "description": "The weather of a city.\n\nFrom a table.",
        "input_schema": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer", "minimum": 1, "default": 1},
                "unit": {"type": "string", "enum": ["c", "f"], "default": "c"},
            },
            "required": ["city"],
        },
    }
    assert (tool.read_only, tool.parallel_safe) == (True, True)
    assert await run(weather, context, city="北京", days=2) == ToolOutput(text="北京 2 c")
    for wrong in ({}, {"city": 1}, {"city": "x", "days": 0}, {"city": "x", "unit": "k"}, {"city": "x", "zip": "1"}):
        with pytest.raises(msgspec.ValidationError):
            tool.parse(wrong)


async def test_plain_functions_run_in_a_thread_and_async_ones_in_the_loop(context: ToolContext) -> None:
    def plain() -> bool:
        return threading.current_thread() is threading.main_thread()

    async def awaited() -> bool:
        return threading.current_thread() is threading.main_thread()

    assert (await run(plain, context)).text == "false"
    assert (await run(awaited, context)).text == "true"


@dataclass
class Point:
    x: int
    where: Path


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        ("text", "text"),
        (None, "Done."),
        ({"键": [1, 2.5, None]}, '{"键":[1,2.5,null]}'),
        (Point(1, Path("/p")), '{"x":1,"where":"/p"}'),
        ({1, }, "[1]"),
    ],
)  # fmt: skip
async def test_what_is_returned_becomes_text(context: ToolContext, returned: object, text: str) -> None:
    def give() -> object:
        return returned

    assert await run(give, context) == ToolOutput(text=text)


async def test_outputs_errors_and_context_pass_through(context: ToolContext) -> None:
    def give(ctx: ToolContext, name: str) -> ToolOutput:
        return ToolOutput(text=f"{name} in {ctx.workdir.name}", is_error=True)

    def fail() -> None:
        raise ToolError("do something else")

    output = await run(give, context, name="x")
    assert output == ToolOutput(text=f"x in {context.workdir.name}", is_error=True)
    assert "ctx" not in tool_from_function(give).spec.input_schema["properties"]
    with pytest.raises(ToolError, match="do something else"):
        await run(fail, context)


async def test_mutable_defaults_are_not_shared(context: ToolContext) -> None:
    def collect(into: list[int] = []) -> list[int]:  # noqa: B006 - what people write
        into.append(1)
        return into

    assert [(await run(collect, context)).text for _ in range(2)] == ["[1]", "[1]"]


def by_position(a: int, /) -> int:
    return a


def variadic(*a: int) -> int:
    return len(a)


# The standard library's function has no type hints.
@pytest.mark.parametrize("function", [textwrap.dedent, by_position, variadic])
def test_what_a_model_cannot_call_is_refused(function: Any) -> None:
    with pytest.raises(TypeError, match=r"parameter '(a|text)'"):
        tool_from_function(function)


def test_names_must_be_names() -> None:
    with pytest.raises(ValueError, match="can't be a tool's name"):
        tool_from_function(lambda: 1)
    assert tool_from_function(lambda: 1, name="one", description="One.").spec.description == "One."
