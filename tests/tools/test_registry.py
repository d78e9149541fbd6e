"""The tool set: its size, its facts, and how a call finds its tool."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from helloclaw.permissions.verdict import Call
from helloclaw.tools.base import Tool, ToolOutput
from helloclaw.tools.registry import Toolbox, default_tools, explain_bad_arguments, lean_tools, tool_from_function


def size(tools: tuple[Tool, ...]) -> int:
    """Tokens, at four characters each."""
    return len(msgspec.json.encode(Toolbox(tools).specs)) // 4


def test_the_tools_cost_few_tokens() -> None:
    assert size(default_tools()) < 2500
    assert size(lean_tools()) < 400


def test_names_and_promises() -> None:
    assert {tool.name: (tool.read_only, tool.parallel_safe) for tool in default_tools()} == {
        "read_file": (True, True),
        "write_file": (False, False),
        "edit_file": (False, False),
        "search_content": (True, True),
        "web_fetch": (True, True),
        "web_search": (True, True),
        "bash": (False, False),
        "background_run": (False, False),
        "check_background": (True, False),
        "TodoWrite": (True, False),
        "task_create": (False, False),
        "task_get": (True, False),
        "task_list": (True, False),
        "task_update": (False, False),
        "claim_task": (False, False),
        "load_skill": (True, True),
        "memory_search": (True, True),
        "memory_get": (True, True),
        "memory_add": (False, False),
        "memory_update_longterm": (False, False),
        "memory_list": (True, True),
        "memory_cleanup": (False, False),
        "cron_create": (False, False),
        "cron_list": (True, False),
        "cron_delete": (False, False),
        "run_subagent": (False, True),
        "compress": (True, False),
        "calculator": (True, True),
    }
    assert [tool.name for tool in lean_tools()] == ["read_file", "write_file", "edit_file", "bash", "search_content"]


@pytest.mark.parametrize(
    ("name", "arguments", "facts"),
    [
        ("read_file", {"path": "a"}, {"reads": ("a",), "read_only": True}),
        ("search_content", {"pattern": "x"}, {"reads": (".",), "read_only": True}),
        ("write_file", {"path": "a", "content": "b"}, {"writes": ("a",)}),
        ("edit_file", {"path": "a", "old_text": "b", "new_text": "c"}, {"writes": ("a",)}),
        ("web_fetch", {"url": "HTTP://Example.org:80#a"}, {"urls": ("http://example.org/",), "read_only": True}),
        ("web_search", {"query": "x"}, {"read_only": True}),
        ("bash", {"command": "ls"}, {"command": "ls"}),
        ("background_run", {"command": "ls"}, {"command": "ls"}),
        ("calculator", {"expression": "1"}, {"read_only": True}),
    ],
)
def test_calls_say_what_they_touch(name: str, arguments: dict[str, str], facts: dict[str, object]) -> None:
    tool = Toolbox(default_tools()).find(name)
    assert tool is not None
    assert tool.call(arguments, tool.parse(arguments)) == Call(tool=name, input=arguments, **facts)  # type: ignore[arg-type]


def test_specs_are_always_the_same_bytes() -> None:
    toolbox = Toolbox(default_tools())
    assert toolbox.specs is toolbox.specs
    assert msgspec.json.encode(toolbox.specs) == msgspec.json.encode(Toolbox(default_tools()).specs)


def test_lean_tools_are_the_same_tools_with_shorter_words() -> None:
    full = {tool.name: tool for tool in default_tools()}
    for lean in lean_tools():
        assert lean.run is full[lean.name].run
        assert len(lean.spec.description) < len(full[lean.name].spec.description)


def test_tools_are_found_by_name_and_alias() -> None:
    def echo(prompt: str) -> str:
        return prompt

    own = tool_from_function(echo)
    toolbox = Toolbox((*default_tools(), own), aliases={"execute_command": "bash"})
    assert toolbox.find("echo") is own
    assert toolbox.find("execute_command") is toolbox.find("bash")
    assert toolbox.find("task") is toolbox.find("run_subagent") is not None
    assert Toolbox((own,)).find("task") is None


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    toolbox = Toolbox(default_tools())
    assert toolbox.unknown("ReadFile") == "There is no tool 'ReadFile'; did you mean read_file?"
    assert toolbox.unknown("todo_write") == "There is no tool 'todo_write'; did you mean TodoWrite?"
    assert toolbox.unknown("xyzzy").startswith("There is no tool 'xyzzy'; there are: read_file, write_file,")


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="more than one tool is named 'bash'"):
        Toolbox((*default_tools(), *lean_tools()[3:4]))


def test_bad_arguments_are_answered_with_the_schema() -> None:
    tool = Toolbox(default_tools()).find("write_file")
    assert tool is not None
    with pytest.raises(msgspec.ValidationError) as caught:
        tool.parse({"path": "a", "text": "b"})
    assert explain_bad_arguments(tool, str(caught.value)) == (
        "write_file was not run, its arguments are wrong: Object contains unknown field `text`\n"
        'They must fit this JSON Schema: {"type":"object","properties":{"path":{"type":"string"},'
        '"content":{"type":"string"}},"required":["path","content"]}'
    )


def test_every_tool_has_its_prose() -> None:
    prose = Path(__file__).parents[2] / "src" / "helloclaw" / "tools" / "prose"
    assert {path.stem for path in prose.glob("*.md")} == {tool.name for tool in default_tools()}
    assert {path.stem for path in (prose / "lean").glob("*.md")} == {tool.name for tool in lean_tools()}


def test_outputs_are_plain_values() -> None:
    assert msgspec.json.decode(msgspec.json.encode(ToolOutput(text="x")), type=ToolOutput) == ToolOutput(text="x")
