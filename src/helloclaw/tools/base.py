"""What a tool is: a frozen input struct, an async function, and a few declared facts."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from helloclaw.llm.messages import ImageBlock, ToolSpec
from helloclaw.permissions.verdict import Call

if TYPE_CHECKING:
    from helloclaw.tools.context import ToolContext


# Parts of a struct's schema that no model needs to see.
_UNSENT = frozenset({"title", "description", "additionalProperties"})


class FileContent(Struct, frozen=True, kw_only=True):
    """What a tool did to the file at a resolved path: its bytes before (None: there was none) and after."""

    path: Path
    before: bytes | None
    after: bytes


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
    """One tool. `run` may raise `ToolError` for a failure the model can act on; any other exception is a contained bug.

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

    def lean(self) -> Tool:
        """The same tool with the description for small models, from `tools/prose/lean/NAME.md`."""
        twin = copy.copy(self)
        twin.__dict__.pop("spec", None)
        twin.__dict__["description"] = prose(f"lean/{self.name}")
        return twin

    def parse(self, raw: dict[str, Any]) -> Struct:
        """Validate arguments. Raises `msgspec.ValidationError`, whose text names the field.

        A null for an optional parameter is how some models leave it out.
        """
        try:
            return msgspec.convert(raw, self.input_type, strict=True)
        except msgspec.ValidationError:
            optional = {field.encode_name for field in fields(self.input_type) if not field.required}
            given = {name: value for name, value in raw.items() if value is not None or name not in optional}
            if len(given) == len(raw):
                raise
            return msgspec.convert(given, self.input_type, strict=True)

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


class MustFail(ToolError):
    """Raised by a preview, too: the call can't succeed as things are, so that nobody need be asked about it.

    It tells the model nothing that the call would have needed a permission to find out.
    """


def prose(name: str) -> str:
    """The tool's description for the model, from `tools/prose/NAME.md`."""
    return (files("helloclaw.tools") / "prose" / f"{name}.md").read_text(encoding="utf-8").strip()


def input_schema(input_type: type[Struct]) -> dict[str, Any]:
    """A self-contained JSON Schema object: what every provider accepts as a tool's parameters, in few tokens.

    Titles, the structs' docstrings and `additionalProperties` (which `parse` refuses anyway) are left out.
    """
    (reference,), definitions = msgspec.json.schema_components([input_type], ref_template="#/$defs/{name}")
    schema = _inline(reference, definitions)
    schema.setdefault("properties", {})
    return schema


def _inline(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, dict):
        node = cast("dict[str, Any]", node)
        if ref := node.get("$ref"):
            return _inline(definitions[ref.rsplit("/", 1)[1]], definitions)
        if node.get("type") == "object" and "properties" in node:
            shown = {key: value for key, value in node.items() if key not in _UNSENT and value != []}
            named = {name: _inline(value, definitions) for name, value in node["properties"].items()}
            return shown | {"properties": named}
        if all(isinstance(value, str) for value in node.get("enum", (None,))):  # Gemini wants a type beside the values
            node = {"type": "string", **node}
        return {key: _inline(value, definitions) for key, value in node.items() if key != "title"}
    if isinstance(node, list):
        return [_inline(item, definitions) for item in cast("list[Any]", node)]
    return node
