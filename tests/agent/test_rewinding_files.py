"""Files put back by rewinds: one after the other, after words-only ones, beside other people's changes and cancels."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from helloclaw.agent.backups import LIMIT_BYTES, Backups
from helloclaw.agent.catalog import delete_session
from helloclaw.agent.rewind import Restored, restore
from helloclaw.agent.session import Session
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Cancel, Rewind, Say
from helloclaw.protocol.events import FileChange
from helloclaw.tools.change import edit_file, write_file
from helloclaw.tools.registry import open_context
from tests.agent.test_between_turns import heard_of, idle, write
from tests.support.model_server import Call, ModelServer, Turn
from tests.support.world import Heard, World


async def rewind(session: Session, heard: Heard, to: int, *, files: bool = True) -> out.Rewound:
    heard.events.clear()
    session.send(Rewind(to=to, files=files))
    rewound = await heard_of(heard, out.Rewound)
    await idle(session)
    return rewound


def script_writes(server: ModelServer, *contents: str) -> None:
    """Each content is written to `a.txt` in a turn of its own."""
    for content in contents:
        server.script(write("a.txt", content), Turn(text="Done."))


async def test_two_rewinds_one_after_the_other(world: World, server: ModelServer) -> None:
    script_writes(server, "one", "two", "three")
    async with world.session(allow=("Edit",)) as (session, heard):
        for number in range(3):
            await session.turn(Say(text=f"turn {number}"))
        first, second, third = session.rewind_points()
        assert [point.files for point in (first, second, third)] == [("a.txt",)] * 3
        assert (await rewind(session, heard, third.seq)).restored == ("a.txt",)
        assert (world.workdir / "a.txt").read_text() == "two"
        assert (await rewind(session, heard, first.seq)).restored == ("a.txt",)
        assert (world.workdir / "a.txt").exists() is False
        assert session.rewind_points() == []


async def test_files_follow_after_a_rewind_of_the_words_only(world: World, server: ModelServer) -> None:
    """Also in a resumed session: what the taken-back turn did to the file is still to be undone."""
    script_writes(server, "one", "two")
    (world.workdir / "a.txt").write_text("原文")
    server.script(Turn(calls=(Call(name="read_file", input={"path": "a.txt"}),)), Turn(text="Read."))
    async with world.session(allow=("Edit",)) as (session, heard):
        (world.workdir / "a.txt").unlink()
        await session.turn(Say(text="first"))
        await session.turn(Say(text="second"))
        second = session.rewind_points()[1]
        assert (await rewind(session, heard, second.seq, files=False)).restored == ()
        assert (world.workdir / "a.txt").read_text() == "two"
        session_id = session.id
    async with world.session(resume=session_id) as (session, heard):
        (point,) = session.rewind_points()
        assert point.files == ("a.txt",)
        rewound = await rewind(session, heard, point.seq)
        assert (rewound.restored, rewound.left) == (("a.txt",), ())
        assert (world.workdir / "a.txt").exists() is False


async def test_a_fork_can_put_files_back_too(world: World, server: ModelServer) -> None:
    (world.workdir / "a.txt").write_text("before")
    server.script(Turn(calls=(Call(name="read_file", input={"path": "a.txt"}),)), Turn(text="Read."))
    script_writes(server, "after")
    async with world.session(allow=("Edit",)) as (session, _):
        await session.turn(Say(text="read"))
        await session.turn(Say(text="write"))
        original = session.id
    async with world.session(resume=original, fork=True) as (session, heard):
        delete_session(world.home, original)
        assert list(world.home.sessions.glob(f"{original}*")) == []
        assert (await rewind(session, heard, session.rewind_points()[1].seq)).restored == ("a.txt",)
    assert (world.workdir / "a.txt").read_text() == "before"


async def test_what_somebody_else_changed_stays_and_can_be_put_back_once_it_is_gone(
    world: World, server: ModelServer
) -> None:
    path = world.workdir / "a.txt"
    script_writes(server, "one", "two")
    async with world.session(allow=("Edit",)) as (session, heard):
        await session.turn(Say(text="first"))
        await session.turn(Say(text="second"))
        first, second = session.rewind_points()
        path.write_text("the person's own")
        assert (await rewind(session, heard, second.seq)).left == ("a.txt",)
        assert path.read_text() == "the person's own"
        path.write_text("two")
        assert (await rewind(session, heard, first.seq)).restored == ("a.txt",)
        assert path.exists() is False


async def test_what_the_person_wrote_between_two_changes_is_not_gone_back_over(
    world: World, server: ModelServer
) -> None:
    path = world.workdir / "a.txt"
    path.write_text("before")
    read = Turn(calls=(Call(name="read_file", input={"path": "a.txt"}),))
    server.script(read, write("a.txt", "one"), Turn(text="Done."), read, write("a.txt", "two"), Turn(text="Done."))
    async with world.session(allow=("Edit",)) as (session, heard):
        await session.turn(Say(text="first"))
        path.write_text("the person's own")
        await session.turn(Say(text="second"))
        rewound = await rewind(session, heard, session.rewind_points()[0].seq)
        assert (rewound.restored, rewound.left, path.read_text()) == ((), ("a.txt",), "two")


async def test_going_back_as_far_as_the_persons_own_edit_restores_it(world: World, server: ModelServer) -> None:
    path = world.workdir / "a.txt"
    read = Turn(calls=(Call(name="read_file", input={"path": "a.txt"}),))
    server.script(write("a.txt", "one"), Turn(text="Done."), read, write("a.txt", "two"), Turn(text="Done."))
    async with world.session(allow=("Edit",)) as (session, heard):
        await session.turn(Say(text="first"))
        path.write_text("the person's own")
        await session.turn(Say(text="second"))
        first, second = session.rewind_points()
        rewound = await rewind(session, heard, second.seq)
        assert (rewound.restored, path.read_text()) == (("a.txt",), "the person's own")
        rewound = await rewind(session, heard, first.seq)
        assert (rewound.left, path.read_text()) == (("a.txt",), "the person's own")


async def test_a_file_the_person_deleted_is_not_made_again(world: World, server: ModelServer) -> None:
    path = world.workdir / "a.txt"
    path.write_text("before")
    server.script(Turn(calls=(Call(name="read_file", input={"path": "a.txt"}),)), write("a.txt", "after"), Turn())
    async with world.session(allow=("Edit",)) as (session, heard):
        await session.turn(Say(text="go"))
        path.unlink()
        rewound = await rewind(session, heard, session.rewind_points()[0].seq)
        assert (rewound.restored, rewound.left, path.exists()) == ((), ("a.txt",), False)


async def test_a_new_file_that_is_gone_already_is_as_it_was(world: World, server: ModelServer) -> None:
    script_writes(server, "new")
    async with world.session(allow=("Edit",)) as (session, heard):
        await session.turn(Say(text="go"))
        (world.workdir / "a.txt").unlink()
        rewound = await rewind(session, heard, session.rewind_points()[0].seq)
        assert (rewound.restored, rewound.left) == (("a.txt",), ())


async def test_a_script_stays_executable(world: World, server: ModelServer) -> None:
    path = world.workdir / "run.sh"
    path.write_text("#!/bin/sh\necho 1\n")
    path.chmod(0o750)
    edit = Call(name="edit_file", input={"path": "run.sh", "old_text": "1", "new_text": "2"})
    server.script(Turn(calls=(Call(name="read_file", input={"path": "run.sh"}),)), Turn(calls=(edit,)), Turn())
    async with world.session(allow=("Edit",)) as (session, heard):
        await session.turn(Say(text="go"))
        assert (await rewind(session, heard, session.rewind_points()[0].seq)).restored == ("run.sh",)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("#!/bin/sh\necho 1\n", 0o750)


async def test_a_cancelled_call_tells_what_it_did(world: World, server: ModelServer) -> None:
    """Cancelled while its thread was writing: either nothing happened, or the rewind knows of it."""
    script_writes(server, "new\n" * 200_000)
    async with world.session(allow=("Edit",)) as (session, heard):
        session.subscribe(lambda event: session.send(Cancel()) if isinstance(event, out.ToolStart) else None)
        assert (await session.turn(Say(text="go"))).reason == "interrupted"
        path = world.workdir / "a.txt"
        (ended,) = heard.of(out.ToolEnd)
        assert [change.path for change in ended.changes] == ([str(path)] if path.exists() else [])
        await rewind(session, heard, session.rewind_points()[0].seq)
        assert path.exists() is False


async def test_a_cancel_does_not_tear_a_rewind(world: World, server: ModelServer) -> None:
    script_writes(server, "one")
    async with world.session(allow=("Edit",)) as (session, heard):
        await session.turn(Say(text="go"))
        session.send(Rewind(to=session.rewind_points()[0].seq, files=True))
        while not session.busy or heard.of(out.Rewound):
            await asyncio.sleep(0)
        for _ in range(3):
            await asyncio.sleep(0)
        session.send(Cancel())
        await idle(session)
        exists = (world.workdir / "a.txt").exists()
        assert exists is (heard.of(out.Rewound) == [])


async def test_what_a_file_held_is_kept_before_it_is_gone(tmp_path: Path) -> None:
    """A process that is killed while it replaces a file leaves the copy."""
    path = Path(os.path.realpath(tmp_path)) / "a.txt"
    context = open_context("session", path.parent)
    kept: list[tuple[bytes, bytes]] = []
    call = context.for_call(
        report=lambda _: None, approval=None, keep=lambda data: kept.append((data, path.read_bytes()))
    )
    for content in ("one", "two", "two"):
        await write_file.run(write_file.parse({"path": "a.txt", "content": content}), call)
    edit = {"path": "a.txt", "old_text": "two", "new_text": "three"}
    await edit_file.run(edit_file.parse(edit), call)
    await context.close()
    assert (kept, path.read_text()) == ([(b"one", b"one"), (b"two", b"two")], "three")


async def test_an_edit_whose_copy_cannot_be_kept_is_made_and_not_undone(world: World, server: ModelServer) -> None:
    path = world.workdir / "a.txt"
    path.write_text("before")
    server.script(Turn(calls=(Call(name="read_file", input={"path": "a.txt"}),)), write("a.txt", "after"), Turn())
    async with world.session(allow=("Edit",)) as (session, heard):
        world.home.sessions.mkdir(parents=True, exist_ok=True)
        (world.home.sessions / f"{session.id}.files").write_text("in the way")
        await session.turn(Say(text="go"))
        assert [event.error for event in heard.of(out.ToolEnd)] == [None, None]
        rewound = await rewind(session, heard, session.rewind_points()[0].seq)
        assert (rewound.left, path.read_text()) == (("a.txt",), "after")


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = Path(os.path.realpath(tmp_path)) / "地方"
    place.mkdir()
    return place


def a_symlink(path: Path) -> None:
    path.rename(path.with_name("real"))
    path.symlink_to(path.with_name("real"))


def a_loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def a_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def a_moved_parent(path: Path) -> None:
    path.parent.rename(path.parent.with_name("moved"))
    path.parent.symlink_to(path.parent.with_name("moved"))


@pytest.mark.parametrize("trap", [a_symlink, a_loop, a_directory, a_fifo, a_moved_parent])
def test_nothing_but_the_very_file_is_put_back(place: Path, trap: Callable[[Path], None], tmp_path: Path) -> None:
    backups = Backups(tmp_path / "s.files")
    path = place / "文件.txt"
    path.write_bytes(b"after")
    trap(path)
    change = FileChange(path=str(path), before=backups.keep(b"before"), after=sha(b"after"))
    assert restore([change], backups, lambda _: True) == Restored(left=(str(path),))
    files = (each for each in tmp_path.rglob("*") if each.is_file() and each.parent.name != "s.files")
    assert {each.read_bytes() for each in files} <= {b"after"}


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("0" * 64, "a copy that was never kept"),
        ("../../outside", "a name that is no name"),
    ],
)
def test_without_the_copy_the_file_is_left(place: Path, before: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"x")
    path = place / "f"
    path.write_bytes(b"after")
    change = FileChange(path=str(path), before=before, after=sha(b"after"))
    assert restore([change], Backups(tmp_path / "s.files"), lambda _: True) == Restored(left=(str(path),)), text
    assert path.read_bytes() == b"after"


def test_what_is_too_large_or_has_been_tampered_with_is_not_put_back(place: Path, tmp_path: Path) -> None:
    backups = Backups(tmp_path / "s.files")
    large = b"x" * (LIMIT_BYTES + 1)
    name = backups.keep(b"small")
    assert (backups.keep(large), backups.load(sha(large))) == (sha(large), None)
    (tmp_path / "s.files" / name).write_bytes(b"other")
    path = place / "f"
    path.write_bytes(b"after")
    changes = [FileChange(path=str(path), before=before, after=sha(b"after")) for before in (name, sha(large))]
    assert restore(changes, backups, lambda _: True) == Restored(left=(str(path), str(path)))
    path.write_bytes(large)
    changes = [FileChange(path=str(path), before=name, after=sha(large))]
    assert restore(changes, backups, lambda _: True) == Restored(left=(str(path),))


def test_a_path_that_may_not_be_written_is_left(place: Path, tmp_path: Path) -> None:
    backups = Backups(tmp_path / "s.files")
    (place / "f").write_bytes(b"after")
    change = FileChange(path=str(place / "f"), before=backups.keep(b"before"), after=sha(b"after"))
    assert restore([change], backups, lambda _: False) == Restored(left=(str(place / "f"),))
    assert restore([change], backups, lambda _: True).paths == (str(place / "f"),)
