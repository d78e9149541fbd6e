"""The plan, its limits and its reminder."""

from __future__ import annotations

import msgspec
import pytest

from helloclaw.tools.todo import TodoItem, TodoList, todo_write
from tests.tools.conftest import Bench


def item(content: str, status: str = "pending") -> dict[str, str]:
    return {"content": content, "status": status, "activeForm": f"正在{content}"}


async def test_the_plan_is_shown(bench: Bench) -> None:
    items = [item("读代码", "completed"), item("改代码", "in_progress"), item("跑测试")]
    assert await bench.text("TodoWrite", items=items) == "[x] 读代码\n[>] 正在改代码\n[ ] 跑测试"
    assert bench.context.todo.items[2] == TodoItem(content="跑测试", status="pending", activeForm="正在跑测试")
    assert await bench.text("TodoWrite", items=[]) == "The todo list is empty."


async def test_only_one_item_is_in_progress(bench: Bench) -> None:
    await bench.text("TodoWrite", items=[item("a")])
    message = await bench.error("TodoWrite", items=[item("b", "in_progress"), item("c", "in_progress")])
    assert message == "2 items are in_progress (b; c); at most one may be"
    assert bench.context.todo.render() == "[ ] a"


@pytest.mark.parametrize(
    "items",
    [[item(str(n)) for n in range(21)], [item("a", "done")], [item("")], [{"content": "a", "status": "pending"}]],
)
def test_what_does_not_fit_is_refused(items: list[dict[str, str]]) -> None:
    with pytest.raises(msgspec.ValidationError):
        todo_write.parse({"items": items})


def test_a_reminder_comes_every_three_rounds_while_items_are_open() -> None:
    todo = TodoList()

    def rounds(count: int) -> list[bool]:
        passed: list[bool] = []
        for _ in range(count):
            todo.round_passed()
            passed.append(todo.reminder() is not None)
        return passed

    assert rounds(4) == [False] * 4
    todo.write([TodoItem(content="a", status="pending", activeForm="a")])
    assert rounds(7) == [False, False, True, False, False, True, False]
    todo.write([TodoItem(content="a", status="in_progress", activeForm="doing a")])
    assert rounds(2) == [False, False]
    todo.round_passed()
    assert todo.reminder() == (
        "<system-reminder>\nThe todo list was not updated for a while. If the work went on, update it with TodoWrite; "
        "do not mention this to the person.\n[>] doing a\n</system-reminder>"
    )
    todo.write([TodoItem(content="a", status="completed", activeForm="a")])
    assert rounds(4) == [False] * 4
