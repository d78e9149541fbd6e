"""Commands in each kind of sandbox that this system has, as root where the tests are, and as an ordinary user."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from helloclaw.sandbox.offer import Offer, probe, try_landlock
from helloclaw.sandbox.session import SessionSandbox

NOBODY = 65534


class Cell:
    """A working directory and a sandbox for it. `user` is who runs the commands, None for whoever runs the tests."""

    def __init__(self, root: Path, offer: Offer, user: int | None) -> None:
        self.user = user
        self.workdir = root / "工作 1"
        self.home = root / "home"
        self.outside = root / "outside"
        for directory in (root, self.workdir, self.home, self.outside):
            directory.mkdir(exist_ok=True)
            self.give(directory)
        self.kind = offer.kind
        self.sandbox = SessionSandbox(
            offer, workdir=self.workdir, home=self.home, product_home=self.home / ".helloclaw"
        )

    def give(self, path: Path) -> None:
        """Let the user of the commands own it."""
        if self.user is not None:
            os.chown(path, self.user, self.user)

    def file(self, name: str, text: str = "") -> Path:
        path = self.workdir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        for each in (path, *path.parents):
            if self.workdir in each.parents:
                self.give(each)
        return path

    async def start(self, text: str, environ: dict[str, str] | None = None) -> tuple[int, str]:
        """Run a shell text confined: exit code and both outputs."""
        user = {} if self.user is None else {"user": self.user, "group": self.user, "extra_groups": []}
        async with self.sandbox.confined(("/bin/bash", "--noprofile", "--norc", "-c", text), self.workdir) as launch:
            if self.user is not None and (temporary := self.sandbox.temporary):
                self.give(temporary)
            process = await asyncio.create_subprocess_exec(
                *launch.arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                cwd=self.workdir,
                env={"PATH": os.environ["PATH"], "HOME": str(self.home), **(environ or {}), **launch.environ},
                pass_fds=launch.inherited,
                start_new_session=True,
                **user,
            )
            launch.started()
            try:
                said, _ = await process.communicate()
            except asyncio.CancelledError:
                process.kill()
                await process.wait()
                raise
        return process.returncode or 0, said.decode()

    async def fails(self, text: str) -> str:
        code, said = await self.start(text)
        assert code != 0, f"{text} was done: {said}"
        return said

    async def works(self, text: str) -> str:
        code, said = await self.start(text)
        assert code == 0, f"{text} failed: {said}"
        return said


def offers() -> list[Offer]:
    found = [probe()] if probe().kind == "bubblewrap" else []
    abi, problem = try_landlock()
    return found if problem else [*found, Offer(kind="landlock", abi=abi)]


def cells() -> list[tuple[Offer, int | None]]:
    own: list[tuple[Offer, int | None]] = [(offer, None) for offer in offers()]
    # Landlock's command starts with our Python, which other users need not be able to reach.
    return own + [(offer, NOBODY) for offer in offers() if os.geteuid() == 0 and offer.kind == "bubblewrap"]


@pytest.fixture(params=cells(), ids=lambda each: f"{each[0].kind}-{'nobody' if each[1] else 'self'}")
def cell(request: pytest.FixtureRequest) -> Iterator[Cell]:
    offer, user = request.param
    # Not where tests usually are: a sandbox has a /tmp of its own, in which all the rest would simply be missing.
    base = Path("/srv") if os.geteuid() == 0 else Path.home() / ".cache"
    base.mkdir(exist_ok=True)
    root = Path(tempfile.mkdtemp(prefix="helloclaw-test-", dir=base))
    root.chmod(0o755)
    cell = Cell(root, offer, user)
    yield cell
    cell.sandbox.close()
    shutil.rmtree(root)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Somebody who listens outside of the sandbox."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server
