"""What is offered while one types: commands, arguments, files of a real directory, in order."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from helloclaw.repl.compose.completion import Complete, command_offers, wants_completion
from helloclaw.repl.compose.composer import CommandHelp, Composed
from helloclaw.repl.compose.files import WorkFiles, directories, list_files
from tests.repl.compose.terminal import BACKSPACE, COMMANDS, DOWN, ENTER, TAB, typing


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    for name in (
        "src/repl/composer.py",
        "src/repl/compose/history.py",
        "src/main.py",
        "docs/说明 书.md",
        "docs/设置.md",
        "build/out.js",
        ".github/ci.yml",
        ".env",
        "README.md",
        "a b.txt",
        ".git/config",
    ):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).touch()
    (work / ".gitignore").write_text("build/\n", encoding="utf-8")
    return work


def complete(work: Path, commands: tuple[CommandHelp, ...] = COMMANDS) -> Complete:
    return Complete(lambda: work, lambda: commands, {"HOME": str(work.parent)})


async def texts_for(work: Path, before: str) -> list[str]:
    return [offer.text for offer in await complete(work).offers(before)]


@pytest.mark.parametrize(
    ("before", "texts"),
    [
        ("/", ["/help", "/mode ", "/model ", "/compact"]),
        ("/mo", ["/mode ", "/model "]),
        ("/el", ["/help", "/model "]),
        ("/cpt", ["/compact"]),
        ("/mode ", ["auto", "plan", "default"]),
        ("/mode pl", ["plan"]),
        ("/model x", []),
        ("/nothing ", []),
        (" /mo", []),
        ("say /mo", []),
        ("/mo\n", []),
        ("", []),
    ],
)
def test_commands_and_their_arguments(before: str, texts: list[str]) -> None:
    assert [offer.text for offer in command_offers(before, COMMANDS)] == texts


def test_the_menu_says_what_a_command_is_for() -> None:
    (offer,) = command_offers("/mode", COMMANDS[:2])
    assert (offer.shown, offer.about, offer.length) == ("/mode [default|plan|auto]", "the permission mode", 5)


@pytest.mark.parametrize(
    ("before", "texts"),
    [
        ("@comp", ["@src/repl/compose/", "@src/repl/composer.py", "@src/repl/compose/history.py"]),
        ("see @main", ["@src/main.py"]),
        ("看看@说", ['@"docs/说明 书.md"']),
        ('@"a b', ['@"a b.txt"']),
        ("@ab", ['@"a b.txt"']),
        ("@out", []),
        ("@.en", ["@.env"]),
        ("@.gith", ["@.github/", "@.github/ci.yml"]),
        ("@config", []),
        ("@./sr", ["@./src/"]),
        ("@~/wo", ["@~/work/"]),
        ("me@main", []),
        ("main", []),
        ("!cat READ", ["README.md"]),
        ("!cat a", ["a\\ b.txt"]),
        ("!cat a\\ b", ["a\\ b.txt"]),
        ("!ls src/r", ["src/repl/"]),
        ("!cat .e", [".env"]),
    ],
)
async def test_files(work: Path, before: str, texts: list[str]) -> None:
    assert await texts_for(work, before) == texts


async def test_paths_from_the_root(work: Path) -> None:
    assert await texts_for(work, f"@{work}/src/ma") == [f"@{work}/src/main.py"]


async def test_never_more_than_ten(work: Path) -> None:
    for number in range(30):
        (work / f"x{number}").touch()
    assert len(await texts_for(work, "@x")) == 10


def test_a_listing_leaves_out_what_git_ignores_and_what_is_hidden(work: Path) -> None:
    seen = ["README.md", "a b.txt", "docs/", "docs/设置.md", "docs/说明 书.md", "src/", "src/main.py", "src/repl/",
            "src/repl/compose/", "src/repl/compose/history.py", "src/repl/composer.py"]  # fmt: skip
    assert sorted(list_files(work, {}, hidden=False)) == seen
    hidden = [".env", ".github/", ".github/ci.yml", ".gitignore"]
    assert sorted(list_files(work, {}, hidden=True)) == hidden + seen


def test_names_that_can_not_be_typed_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "two\nlines").touch()
    (tmp_path / "bell\x07").touch()
    subprocess.run(["touch", b"\xff.txt"], cwd=tmp_path, check=True)
    assert list_files(tmp_path, {}, hidden=False) == []


def test_a_directory_that_is_gone_has_no_files(tmp_path: Path) -> None:
    assert list_files(tmp_path / "gone", {}, hidden=False) == []


def test_every_directory_on_the_way() -> None:
    assert directories(["a/b/c", "a/d", "e"]) == {"a/", "a/b/"}


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("/", True),
        ("/mode p", True),
        ("/x\n", False),
        ("@", True),
        ("a @b", True),
        ("a@b", False),
        ("!ls", False),
        ("x", False),
    ],
)
def test_when_the_menu_opens_by_itself(before: str, wanted: bool) -> None:
    assert wants_completion(before) is wanted


async def test_prompt_toolkit_gets_completions(work: Path) -> None:
    document = Document("see @main")
    completions = [c async for c in complete(work).get_completions_async(document, CompleteEvent())]
    assert [(c.text, c.start_position, c.display_text) for c in completions] == [("@src/main.py", -5, "src/main.py")]


async def test_typing_opens_the_menu_and_enter_takes_the_choice(tmp_path: Path, work: Path) -> None:
    async with typing(tmp_path) as t:
        await t.keys("see @main")
        assert await t.offered() == ["src/main.py"]
        await t.keys(DOWN)
        await t.keys(ENTER)
        assert (t.text, t.submitted) == ("see @src/main.py", [])


async def test_tab_completes_the_only_fit(tmp_path: Path, work: Path) -> None:
    async with typing(tmp_path) as t:
        await t.keys("!cat READ")
        await t.keys(TAB)
        await t.until(lambda: t.text == "!cat README.md")


async def test_a_chosen_command_without_argument_goes_off(tmp_path: Path) -> None:
    async with typing(tmp_path) as t:
        await t.keys("/comp")
        await t.offered()
        await t.keys(TAB)
        await t.keys(ENTER)
        assert t.submitted == [Composed(text="/compact")]


async def test_a_chosen_command_waits_for_its_argument(tmp_path: Path) -> None:
    async with typing(tmp_path) as t:
        await t.keys("/mod")
        await t.offered()
        await t.keys(TAB)
        await t.keys(ENTER)
        assert (t.text, t.submitted) == ("/mode ", [])


async def test_enter_submits_what_was_typed_if_nothing_was_chosen(tmp_path: Path) -> None:
    async with typing(tmp_path) as t:
        await t.keys("/mode plan")
        await t.keys(ENTER)
        assert t.submitted == [Composed(text="/mode plan")]


async def test_backspace_offers_anew(tmp_path: Path) -> None:
    async with typing(tmp_path) as t:
        await t.keys("/modx")
        await t.keys(BACKSPACE)
        assert await t.offered() == ["/mode [default|plan|auto]", "/model NAME"]


async def test_a_text_that_changed_while_files_were_looked_for_is_not_forgotten(tmp_path: Path, work: Path) -> None:
    async with typing(tmp_path) as t:
        await t.keys("@mainx")
        await t.keys(BACKSPACE)
        assert await t.offered() == ["src/main.py"]
        await t.keys("zz")
        t.composer.set_text("")
        await t.keys("see @comp")
        assert await t.offered() == ["src/repl/compose/", "src/repl/composer.py", "src/repl/compose/history.py"]


async def test_an_old_listing_serves_while_a_new_one_is_made(work: Path) -> None:
    files = WorkFiles({}, fresh_s=0)
    first = await files.below(work, hidden=False)
    (work / "fresh.py").touch()
    assert await files.below(work, hidden=False) is first
    async with asyncio.timeout(10):
        while (latest := await files.below(work, hidden=False)) is first:
            await asyncio.sleep(0.001)
    assert [match.text for match in latest.rank("fresh", 10)] == ["fresh.py"]


async def test_a_listing_is_made_once_for_many_keys(work: Path) -> None:
    files = WorkFiles({})
    one, two = await asyncio.gather(files.below(work, hidden=False), files.below(work, hidden=False))
    assert one is two
    assert await files.below(work, hidden=False) is one
