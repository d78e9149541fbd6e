"""A person's own commands: files that stand for a message, whatever they are called and hold."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.i18n import Phrase
from helloclaw.settings.trust import trust
from helloclaw.slash.base import Leave, Reply, SendText
from helloclaw.slash.own import LIMIT_BYTES, expanded, own_commands
from helloclaw.slash.registry import run_line
from tests.slash.test_commands import Front, front
from tests.support.model_server import ModelServer
from tests.support.world import World


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def world(tmp_path: Path, server: ModelServer) -> World:
    return World(tmp_path, server)


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


async def names(say: Front) -> list[str]:
    return [command.name for command in own_commands(say).commands]


def later() -> int:
    """When what was written now has long been left alone."""
    return time.time_ns() + 60_000_000_000


async def test_a_command_stands_for_a_message(world: World) -> None:
    put(
        world.home.root / "commands",
        "review.md",
        "---\ndescription: Look it over\n---\nReview $ARGUMENTS; begin at $1.\n",
    )
    put(world.home.root / "commands", "问候.md", "用中文问好。")
    async with front(world) as say:
        assert await run_line("/review src tests", say) == Reply(effect=SendText("Review src tests; begin at src."))
        assert await run_line("/问候 小王", say) == Reply(effect=SendText("用中文问好。\n\n小王"))
        helps = {command.name: (command.usage, command.about) for command in own_commands(say).commands}
    assert helps == {"review": ("ARGUMENTS", "Look it over"), "问候": ("", "用中文问好。")}


async def test_a_directory_has_commands_only_when_it_is_trusted(world: World) -> None:
    put(world.workdir / ".claude" / "commands", "git/push.md", "Push it.")
    put(world.workdir / ".claude" / "commands", "both.md", "Of the project.")
    put(world.home.root / "commands", "both.md", "Of the person.")
    async with front(world) as say:
        assert await names(say) == ["both"]
        trust(world.home, world.workdir)
        assert await names(say) == ["both", "git:push"]
        assert await run_line("/both", say) == Reply(effect=SendText("Of the project."))
        assert await run_line("/git:push", say) == Reply(effect=SendText("Push it."))
        put(world.workdir / ".claude" / "commands", "git/push.md", "Push it somewhere else.")
        assert await names(say) == ["both"]


async def test_a_built_in_name_cant_be_taken(world: World) -> None:
    put(world.home.root / "commands", "exit.md", "Delete everything.")
    async with front(world) as say:
        assert await run_line("/exit", say) == Reply(effect=Leave())
        told = "/exit is a command of the program; give the file exit.md another name"
        assert f"* {told}" in (await say("/help")).markdown


async def test_a_changed_file_counts_at_once(world: World) -> None:
    path = put(world.home.root / "commands", "x.md", "one")
    async with front(world) as say:
        assert await run_line("/x", say) == Reply(effect=SendText("one"))
        path.write_text("two")
        assert await run_line("/x", say) == Reply(effect=SendText("two"))
        path.unlink()
        assert (await run_line("/x", say)) != Reply(effect=SendText("two"))


async def test_a_file_that_is_as_it_was_is_not_read_again(world: World) -> None:
    path = put(world.home.root / "commands", "x.md", "one")
    async with front(world) as say:
        (first,), (second,) = own_commands(say, later).commands, own_commands(say, later).commands
        assert second is first
        path.write_text("another")
        (changed,) = own_commands(say, later).commands
        assert await changed.run("", say) == Reply(effect=SendText("another"))


async def test_a_link_to_itself_is_named_and_the_rest_goes_on(world: World) -> None:
    folder = world.home.root / "commands"
    put(folder, "good.md", "fine")
    (folder / "loop.md").symlink_to("loop.md")
    (folder / "round").symlink_to("round")
    async with front(world) as say:
        found = own_commands(say)
        assert await run_line("/good", say) == Reply(effect=SendText("fine"))
    why = Phrase("system.ELOOP")
    assert found.problems == (Phrase("slash.own.unreadable", path=str(folder / "loop.md"), why=why),)


async def test_files_that_are_no_commands_are_named(world: World, tmp_path: Path) -> None:
    folder = world.home.root / "commands"
    put(folder, "good.md", "fine")
    put(folder, "sp ace.md", "no")
    put(folder, "\u202eevil.md", "no")
    put(folder, "empty.md", "---\ndescription: nothing\n---\n\n")
    put(folder, "long.md", "x" * (LIMIT_BYTES + 1))
    (folder / "latin.md").write_bytes(b"caf\xe9")
    (folder / "link.md").symlink_to(put(tmp_path, "outside.md", "secret"))
    os.mkfifo(folder / "fifo.md")
    async with front(world) as say:
        found = own_commands(say)
        shown = (await say("/help")).markdown
    assert [command.name for command in found.commands] == ["good"]
    assert sorted(problem.key for problem in found.problems) == [
        "slash.own.bad_name",
        "slash.own.bad_name",
        "slash.own.empty",
        "slash.own.not_utf8",
        "slash.own.outside",
        "slash.own.outside",
        "slash.own.too_long",
    ]
    assert ("latin.md" in shown, "\u202e" not in shown) == (True, True)


@given(st.text(), st.text())
def test_arguments_are_put_in_once_and_as_they_are(text: str, arguments: str) -> None:
    plain = text.replace("$", "")
    assert expanded(f"{plain}$ARGUMENTS {plain}", arguments) == f"{plain}{arguments} {plain}"


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("$1, then $2; $3.", "one two", "one, then two; ."),
        ("$ARGUMENTS的用法", "正则", "正则的用法"),
        ("$ARGUMENTS_LIST and $100 and $0", "one", "$ARGUMENTS_LIST and $100 and $0"),
        ("$1 $ARGUMENTS", "$2 $ARGUMENTS", "$2 $2 $ARGUMENTS"),
        (r"\g<0> $1", r"\1", r"\g<0> \1"),
    ],
)
def test_places_for_arguments(text: str, arguments: str, said: str) -> None:
    assert expanded(text, arguments) == said


async def test_what_a_file_says_of_itself_is_text(world: World) -> None:
    hint, about = "`a|b` <x>", "**see** [here](https://example.org) | `x`"
    head = f"---\nargument-hint: {hint}\ndescription: {about}\nallowed-tools: Bash(*)\n"
    put(world.home.root / "commands", "odd.md", f"{head}---\nSay hello.")
    async with front(world) as say:
        table = (await say("/help")).markdown
        one = (await say("/help odd")).markdown
    about = r"\*\*see\*\* \[here\](https://example.org) \| \`x\`"
    assert f"| `/odd 'a\\|b' <x>` | {about} |" in table
    assert one == f"`/odd 'a|b' <x>`\n\n{about}"


async def test_an_accent_is_found_however_it_is_written(world: World) -> None:
    put(world.home.root / "commands", "re\u0301sume\u0301.md", "Sum up.")
    async with front(world) as say:
        assert await names(say) == ["r\u00e9sum\u00e9"]
        for typed in ("/r\u00e9sum\u00e9", "/re\u0301sume\u0301"):
            assert await run_line(typed, say) == Reply(effect=SendText("Sum up."))


async def test_a_folder_with_too_much_or_that_is_none_is_named(world: World) -> None:
    folder = world.home.root / "commands"
    for number in range(501):
        put(folder, f"c{number:03}.md", "x")
    trust(world.home, world.workdir)
    (world.workdir / ".claude").mkdir()
    async with front(world) as say:
        found = own_commands(say)
        assert (len(found.commands), found.problems) == (
            500,
            (Phrase("slash.own.too_many", path=str(folder), limit=500),),
        )
        shutil.rmtree(folder)
        folder.write_text("no folder")
        why = Phrase("system.ENOTDIR")
        assert own_commands(say).problems == (Phrase("slash.own.unreadable", path=str(folder), why=why),)
