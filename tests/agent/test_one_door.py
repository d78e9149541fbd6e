"""There is one place where a tool runs, behind the gate; and where nobody can be asked, a question is a no."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import helloclaw
from helloclaw.protocol import events as out
from tests.support.model_server import Call, ModelServer, Turn
from tests.support.world import World

_SOURCES = Path(helloclaw.__file__).parent
_TREES = {
    str(path.relative_to(_SOURCES)): ast.parse(path.read_text(encoding="utf-8")) for path in _SOURCES.rglob("*.py")
}
_DOOR = "agent/dispatch.py: _execute"


def functions(tree: ast.AST, name: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Every node with the name of the innermost function that it is in."""
    for node in ast.iter_child_nodes(tree):
        inside = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else name
        yield inside, node
        yield from functions(node, inside)


def takes_run_of_a_tool(node: ast.AST) -> bool:
    """`tool.run`, `self._tool.run`, `admitted.tool.run`, `find(…).run`: called, or taken to be called elsewhere."""
    if not (isinstance(node, ast.Attribute) and node.attr == "run" and isinstance(node.ctx, ast.Load)):
        return False
    owner = node.value
    while isinstance(owner, ast.Await | ast.Call | ast.Subscript):
        owner = owner.func if isinstance(owner, ast.Call) else owner.value
    name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
    return "tool" in name.casefold() or name == "find"


def tool_functions(tree: ast.Module) -> set[str]:
    """The names of the functions that tools of this module are made of."""
    made = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name))
    given = (arg for call in made if call.func.id == "Tool" for arg in call.args[2:3])  # type: ignore[union-attr]
    return {each.id for each in given if isinstance(each, ast.Name)}


def test_a_tool_runs_in_one_function_only() -> None:
    found = [
        f"{module}: {function}"
        for module, tree in _TREES.items()
        for function, node in functions(tree)
        if takes_run_of_a_tool(node)
    ]
    assert found == [_DOOR]


def test_what_a_tool_does_is_called_by_nobody_else() -> None:
    of_tools = {module: made for module, tree in _TREES.items() if (made := tool_functions(tree))}
    assert {Path(module).name for module in of_tools} >= {"shell.py", "background.py", "change.py", "read.py"}
    called: list[str] = []
    for module, tree in _TREES.items():
        own = of_tools.get(module, set[str]())
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in own:
                called.append(f"{module} calls its own {node.func.id}")
            elif isinstance(node, ast.ImportFrom) and node.module:
                source = f"{node.module.removeprefix('helloclaw.').replace('.', '/')}.py"
                taken = {alias.name for alias in node.names} & of_tools.get(source, set())
                called += [f"{module} imports {name} of {source}" for name in sorted(taken)]
    assert called == []


def test_nobody_else_makes_an_admission() -> None:
    """What `_execute` runs was made by the gate, whose one way out is through `decide`."""
    made = [
        module
        for module, tree in _TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Admitted"
    ]
    assert made == ["agent/admission.py"]


_ASKED = (
    ("bash", {"command": "touch made"}),
    ("bash", {"command": "cat ~/.ssh/id_rsa"}),
    ("background_run", {"command": "touch made"}),
    ("write_file", {"path": "made", "content": "x"}),
    ("read_file", {"path": "../home/secret.pem"}),
    ("web_fetch", {"url": "https://example.org/?leak"}),
)


@pytest.mark.parametrize("mode", ["default", "plan", "auto"])
async def test_where_nobody_can_be_asked_a_question_is_a_no(world: World, server: ModelServer, mode: str) -> None:
    world.home.config.parent.mkdir(parents=True)
    world.home.config.write_text('{"permissions": {"sandbox": "off"}}')
    calls = tuple(Call(name=name, input=given) for name, given in _ASKED)
    server.script(Turn(calls=calls), Turn(text="done"))
    end, heard = await world.turn("go", mode=mode, interactive=False)
    denied = [each.name for each in heard.of(out.ToolDenied) if each.source == "permission"]
    assert (end.reason, denied) == ("done", [name for name, _ in _ASKED])
    assert (heard.of(out.PermissionAsk), heard.of(out.ToolEnd), heard.of(out.ToolStart)) == ([], [], [])
    assert list(world.workdir.iterdir()) == []
