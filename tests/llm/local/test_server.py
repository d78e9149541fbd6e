"""llama.cpp's server in its child process, with a tiny model."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import stat
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from helloclaw.llm.local.server import LocalServer, ServerFailed
from tests.llm.local.tiny_gguf import write_tiny_gguf

pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_tiny_gguf(tmp_path / "tiny.gguf")


async def start(gguf: Path, directory: Path) -> LocalServer:
    return await LocalServer.start(gguf, log=directory / "logs" / "model.log", state_directory=directory / "states")


@pytest.fixture
async def server(tiny: Path, tmp_path: Path) -> AsyncIterator[LocalServer]:
    server = await start(tiny, tmp_path)
    yield server
    await server.stop()


async def status(url: str, key: str = "") -> int:
    async with httpx2.AsyncClient(trust_env=False) as client:
        return (await client.get(url, headers={"authorization": f"Bearer {key}"} if key else {})).status_code


async def test_it_answers_on_loopback_only_who_has_the_key(server: LocalServer) -> None:
    assert server.base_url.startswith("http://127.0.0.1:")
    assert await status(f"{server.base_url}/props", server.api_key) == 200
    assert await status(f"{server.base_url}/props") == 401
    assert await status(f"{server.base_url}/props", "wrong") == 401


async def test_what_it_needs_not_serve_it_does_not(server: LocalServer) -> None:
    for path in ("/", "/slots", "/metrics", "/tools"):
        assert await status(f"{server.base_url}{path}", server.api_key) >= 400


async def test_its_files_are_private(server: LocalServer, tmp_path: Path) -> None:
    modes = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("logs", "logs/model.log", "states")}
    assert modes == {"logs": 0o700, "logs/model.log": 0o600, "states": 0o700}


async def test_stopping_ends_it(tiny: Path, tmp_path: Path) -> None:
    server = await start(tiny, tmp_path)
    assert server.alive
    await server.stop()
    assert not server.alive
    with pytest.raises(httpx2.ConnectError):
        await status(server.base_url)


@pytest.mark.parametrize("death", [signal.SIGKILL, signal.SIGTERM])
async def test_the_death_of_its_parent_ends_it(death: signal.Signals, tiny: Path, tmp_path: Path) -> None:
    """The child holds the socket pair's end that it inherited; its death is the end of file on the other."""
    ours, theirs = socket.socketpair()
    script = (
        "import asyncio, os, pathlib, sys\n"
        "from helloclaw.llm.local import server\n"
        "spawn = server.subprocess.Popen\n"
        "def inherit(*args, **kwargs): return spawn(*args, pass_fds=[int(sys.argv[3])], **kwargs)\n"
        "server.subprocess.Popen = inherit\n"
        "async def main():\n"
        "    directory = pathlib.Path(sys.argv[2])\n"
        "    await server.LocalServer.start(\n"
        "        pathlib.Path(sys.argv[1]), log=directory / 'log', state_directory=directory / 'states')\n"
        "    print('ready', flush=True)\n"
        "    await asyncio.sleep(1000)\n"
        "asyncio.run(main())\n"
    )
    fd = theirs.fileno()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", script, str(tiny), str(tmp_path), str(fd)),
        pass_fds=(fd,),
        stdout=asyncio.subprocess.PIPE,
    )
    theirs.close()
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    process.send_signal(death)
    await process.wait()
    assert await asyncio.wait_for(asyncio.to_thread(ours.recv, 1), 20) == b""
    ours.close()


async def test_cancelled_while_it_loads_it_is_gone(tiny: Path, tmp_path: Path) -> None:
    os.truncate(tiny, 0)
    tiny.unlink()
    os.mkfifo(tiny)  # llama.cpp waits for a writer
    task = asyncio.create_task(start(tiny, tmp_path))
    log = tmp_path / "logs" / "model.log"
    while not log.exists():  # until the child has been started
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_is_no_model_is_named_with_llama_cpps_reason(tmp_path: Path) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"this is text")
    with pytest.raises(ServerFailed) as caught:
        await start(bad, tmp_path)
    assert str(caught.value).startswith(f"llama.cpp can't run {bad}: ")
    assert "invalid magic" in str(caught.value)
    assert caught.value.hint == (
        f"Its log is {tmp_path / 'logs' / 'model.log'}. To get the weights anew: helloclaw model pull"
    )


async def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ServerFailed, match=r"none\.gguf: No such file"):
        await start(tmp_path / "none.gguf", tmp_path)


async def test_a_grown_log_is_begun_anew(tiny: Path, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "model.log"
    log.parent.mkdir()
    log.write_bytes(b"x" * 1_000_001)
    server = await start(tiny, tmp_path)
    await server.stop()
    assert log.stat().st_size < 1_000_000
