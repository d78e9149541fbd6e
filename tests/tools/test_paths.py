"""Resolving what the model wrote, and not being led elsewhere by a symlink that is exchanged meanwhile."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from helloclaw.permissions.verdict import Call
from helloclaw.tools.base import ToolError
from helloclaw.tools.context import Approval
from helloclaw.tools.paths import approval_of, open_regular, pinned_parent, resolve_path
from tests.tools.conftest import Bench


def test_paths_are_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "真").mkdir()
    (tmp_path / "link").symlink_to("真")
    assert resolve_path("a/../b.txt", tmp_path) == tmp_path / "b.txt"
    assert resolve_path("link/文件.txt", tmp_path) == tmp_path / "真" / "文件.txt"
    assert resolve_path("~/notes", tmp_path) == tmp_path / "home" / "notes"
    assert resolve_path("/etc/hosts", tmp_path) == Path(os.path.realpath("/etc/hosts"))


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("a\0b", "NUL"),
        ("~nobody-of-this-name/x", "no such user"),
        ("\ud800", "valid text"),
    ],
)
def test_paths_that_name_nothing(raw: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=reason):
        resolve_path(raw, tmp_path)


def test_a_file_that_became_a_symlink_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    path = resolve_path("plain.txt", tmp_path)
    path.symlink_to("secret")
    with pytest.raises(ToolError, match="replaced by a symlink"), open_regular(path):
        pass


def test_a_directory_that_became_a_symlink_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f").write_text("secret")
    (tmp_path / "inside").mkdir()
    path = resolve_path("inside/f", tmp_path)
    (tmp_path / "inside").rmdir()
    (tmp_path / "inside").symlink_to("outside")
    with pytest.raises(ToolError, match="moved or replaced"), open_regular(path):
        pass
    with pytest.raises(ToolError, match="Not a directory"), pinned_parent(path):
        pass


def test_a_pinned_directory_stays_the_one_that_was_checked(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "inside").mkdir()
    with pinned_parent(tmp_path / "inside" / "f") as pinned:
        (tmp_path / "inside").rename(tmp_path / "moved")
        (tmp_path / "inside").symlink_to("outside")
        pinned.write_text("here")
    assert (tmp_path / "moved" / "f").read_text() == "here"
    assert not (tmp_path / "outside" / "f").exists()


async def test_a_call_stays_with_the_path_it_was_approved_for(bench: Bench, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (bench.workdir / "plain").write_text("plain")
    link = bench.workdir / "link"
    link.symlink_to("plain")
    approval = approved(bench.workdir / "plain")
    assert (await bench.call("read_file", approval, path="link")).text == "1\tplain"
    link.unlink()
    link.symlink_to(secret)
    for tool, arguments in (("read_file", {}), ("write_file", {"content": "x"}), ("search_content", {"pattern": "."})):
        with pytest.raises(ToolError, match="when it was approved"):
            await bench.call(tool, approval, path="link", **arguments)
    assert secret.read_text() == "secret"


def approved(*paths: Path) -> Approval:
    return Approval(paths=frozenset(paths), cwd=paths[0].parent)


def test_the_files_a_call_names_are_resolved(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("real")
    call = Call(tool="t", input={}, reads=("link", "a/../b"), writes=("link", "c"))
    named = frozenset(tmp_path / name for name in ("real", "b", "c"))
    assert approval_of(call, tmp_path) == Approval(paths=named, cwd=tmp_path)


async def test_a_cd_does_not_move_what_was_approved(bench: Bench) -> None:
    (bench.workdir / "sub").mkdir()
    (bench.workdir / "sub" / "f").write_text("x")
    approval = approved(bench.workdir / "f")
    await bench.call("bash", approval, command="cd sub")
    with pytest.raises(ToolError, match="when it was approved"):
        await bench.call("read_file", approval, path="f")
    for tool in ("bash", "background_run"):
        with pytest.raises(ToolError, match=f"the command was approved for {bench.workdir}"):
            await bench.call(tool, approval, command="cat f")


async def test_a_symlink_swapped_all_the_time_never_leaks(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f").write_text("secret")
    (bench.workdir / "good").mkdir()
    (bench.workdir / "good" / "f").write_text("plain")
    over = threading.Event()

    def swap() -> None:
        spare, link = bench.workdir / "spare", bench.workdir / "link"
        while not over.is_set():
            for target in (tmp_path / "outside", bench.workdir / "good"):
                spare.symlink_to(target)
                spare.replace(link)

    (bench.workdir / "link").symlink_to(bench.workdir / "good")
    approval = approved(bench.workdir / "good" / "f")
    thread = threading.Thread(target=swap)
    thread.start()
    seen: set[str] = set()
    try:
        for attempt in range(200):
            try:
                seen.add((await bench.call("read_file", approval, path="link/f")).text)
                await bench.call("write_file", approval, path="link/f", content="plain" + " " * (attempt % 2))
            except ToolError:
                continue
    finally:
        over.set()
        thread.join()
    assert seen <= {"1\tplain", "1\tplain "}
    assert (tmp_path / "outside" / "f").read_text() == "secret"


async def test_a_file_saved_all_the_time_can_be_read(bench: Bench) -> None:
    path, spare = bench.workdir / "f", bench.workdir / "spare"
    path.write_text("saved")
    over = threading.Event()

    def save() -> None:
        while not over.is_set():
            spare.write_text("saved")
            spare.replace(path)

    thread = threading.Thread(target=save)
    thread.start()
    try:
        assert {await bench.text("read_file", path="f") for _ in range(200)} == {"1\tsaved"}
    finally:
        over.set()
        thread.join()
