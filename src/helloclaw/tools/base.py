"""What a tool is: a frozen input struct, an async function, and a few declared facts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cached_property
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

from helloclaw.llm.messages import ImageBlock, ToolSpec
from helloclaw.permissions.verdict import Call
from helloclaw.tools.context import ToolContext


class ToolOutput(Struct, frozen=True, kw_only=True):
    """What a tool gives back. `text` is for the model. `diff` is a unified diff, for screens, if a file was changed."""

    text: str
    is_error: bool = False
    images: tuple[ImageBlock, ...] = ()
    diff: str | None = None


class Facts(Struct, frozen=True, kw_only=True):
    """What one validated input touches; see `permissions.Call`."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    command: str | None = None


def _nothing(_: Any) -> Facts:
    return Facts()


class Tool:
    """One tool. `run` may raise `ToolError` for a failure the model can act on; any other exception is a bug, contained.

    `read_only` and `parallel_safe` are promises about `run`, on which permissions and dispatch build.
    """

    def __init__(
        self,
        name: str,
        input_type: type[Struct],
        run: Callable[[Any, ToolContext], Awaitable[ToolOutput]],
        *,
        description: str | None = None,
        read_only: bool = False,
        parallel_safe: bool = False,
        facts: Callable[[Any], Facts] = _nothing,
        preview: Callable[[Any, ToolContext], Awaitable[str | None]] | None = None,
    ) -> None:
        self.name = name
        self.input_type = input_type
        self.run = run
        self.read_only = read_only
        self.parallel_safe = parallel_safe
        self.preview = preview
        self._description = description
        self._facts = facts

    @cached_property
    def spec(self) -> ToolSpec:
        return ToolSpec(name=self.name, description=self.description, input_schema=input_schema(self.input_type))

    @cached_property
    def description(self) -> str:
        return self._description if self._description is not None else prose(self.name)

    def parse(self, raw: dict[str, Any]) -> Struct:
        """Validate arguments. Raises `msgspec.ValidationError`, whose text names the field."""
        return msgspec.convert(raw, self.input_type, strict=True)

    def call(self, raw: dict[str, Any], parsed: Any) -> Call:
        facts = self._facts(parsed)
        return Call(
            tool=self.name,
            input=raw,
            read_only=self.read_only,
            reads=facts.reads,
            writes=facts.writes,
            urls=facts.urls,
            command=facts.command,
        )


class ToolError(Exception):
    """A failure to report to the model: its text says what happened and what would work."""


def prose(name: str) -> str:
    """The tool's description for the model, from `tools/prose/NAME.md`."""
    return (files("helloclaw.tools") / "prose" / f"{name}.md").read_text(encoding="utf-8").strip()


def input_schema(input_type: type[Struct]) -> dict[str, Any]:
    """A self-contained JSON Schema object without titles: what every provider accepts as a tool's parameters."""
    (reference,), definitions = msgspec.json.schema_components([input_type], ref_template="#/$defs/{name}")
    schema = _inline(reference, definitions)
    schema.setdefault("properties", {})
    return schema


def _inline(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, dict):
        if ref := node.get("$ref"):
            return _inline(definitions[ref.rsplit("/", 1)[1]], definitions)
        return {key: _inline(value, definitions) for key, value in node.items() if key != "title"}
    if isinstance(node, list):
        return [_inline(item, definitions) for item in node]
    return node
