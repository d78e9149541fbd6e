"""`helloclaw memory`, from outside."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.conftest import Program


def captured(program: Program, *words: str) -> list[dict[str, Any]]:
    ended = program("memory", "capture", "--dry-run", "--json", *words)
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)["captured"]


def test_what_a_message_would_leave_behind(program: Program) -> None:
    assert captured(program, "我喜欢用深色主题。") == [{"category": "preference", "text": "用户喜欢用深色主题"}]
    assert captured(program, "My password is hunter2") == []
    assert not (program.home / "workspace" / "memory").exists()


def test_it_is_kept_without_dry_run(program: Program) -> None:
    ended = program("memory", "capture", "I prefer tea. My name is Ada.", "--lang", "en")
    assert ended.code == 0
    assert [line.partition(": ")[2] for line in ended.out.splitlines()] == ["User prefers tea", "My name is Ada"]
    (page,) = json.loads(program("memory", "--json").out)
    assert page["notes"] == 2
    rows = json.loads(program("memory", "show", page["name"], "--json").out)
    assert [(row["category"], row["text"], row["source"]["by"]) for row in rows] == [
        ("preference", "User prefers tea", "user"),
        ("entity", "My name is Ada", "user"),
    ]


def test_add_search_forget(program: Program) -> None:
    assert program("memory", "add", "--category", "fact", "周五下午", "不开会").code == 0
    assert "周五下午 不开会" in program("memory", "search", "周五").out
    assert program("memory", "search", "周六").code == 1
    (hit,) = json.loads(program("memory", "search", "开会", "--json").out)
    assert program("memory", "add", "周五下午不开会").code == 0
    ended = program("memory", "rm", hit["path"], str(hit["first"]), "--json")
    assert json.loads(ended.out) == {"removed": "周五下午 不开会"}
    assert program("memory", "search", "周五").code == 1
    assert program("memory", "rm", hit["path"], "1").code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("add", "my password is hunter2"),
        ("add", "--category", "secret", "x y"),
        ("show", "../../etc/passwd"),
        ("rm", "MEMORY.md", "x"),
        ("cleanup", "--days", "0"),
        ("search", "--limit", "-1", "x"),
    ],
)
def test_what_makes_no_sense_is_refused(program: Program, words: tuple[str, ...]) -> None:
    ended = program("memory", *words)
    assert (ended.code != 0, ended.out, "Traceback" in ended.err) == (True, "", False)


def test_old_pages_are_moved(program: Program) -> None:
    folder = program.home / "workspace" / "memory"
    folder.mkdir(parents=True)
    (folder / "2020-01-02.md").write_text("- old\n")
    assert json.loads(program("memory", "cleanup", "--json").out) == {"moved": ["memory/2020-01-02.md"]}
    assert program("memory", "cleanup", "--days", "5").out == ""


def test_a_message_from_standard_input(program: Program) -> None:
    ended = program("memory", "capture", "--dry-run", "--json", "-", stdin="记住：周一发布\n".encode())
    assert json.loads(ended.out) == {"captured": [{"category": "fact", "text": "周一发布"}]}
