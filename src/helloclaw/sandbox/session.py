"""Start a command confined, as the system offers it: its arguments, what it inherits, and the end of all in it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from helloclaw.sandbox import landlock
from helloclaw.sandbox.bubblewrap import plan
from helloclaw.sandbox.launch import CannotConfine, Launch
from helloclaw.sandbox.offer import Kind, Offer
from helloclaw.sandbox.placeholders import placeholders
from helloclaw.sandbox.profile import Profile, controls, entries_of, profile_for
from helloclaw.sandbox.seccomp import socket_filter

_CONFINE = Path(__file__).with_name("confine.py")
# How long the kernel may take to end what is in a process namespace whose first process has ended.
_PATIENCE_S = 2.0


class SessionSandbox:
    """The sandbox of one session, whose commands share a `temporary` directory. `close` it in the end."""

    def __init__(self, offer: Offer, *, workdir: Path, home: Path, product_home: Path) -> None:
        self._offer = offer
        self._workdir = Path(os.path.realpath(workdir))
        self._home = home
        self._product_home = product_home
        self.temporary: Path | None = None

    @property
    def kind(self) -> Kind:
        return self._offer.kind

    def check(self) -> str:
        """Why a command could not be confined here now; empty if it could."""
        if self._offer.kind == "none":
            return self._offer.problem
        try:
            controls(self._workdir, self._home, self._product_home)
        except CannotConfine as error:
            return str(error)
        return ""

    @asynccontextmanager
    async def confined(self, arguments: Sequence[str], cwd: Path) -> AsyncGenerator[Launch]:
        if self.temporary is None:
            self.temporary = Path(tempfile.mkdtemp(prefix="helloclaw-"))
        profile = self._profile(self.temporary)
        match self._offer.kind:
            case "bubblewrap":
                async with _in_namespaces(self._offer.program, profile, arguments, cwd) as launch:
                    yield launch
            case "landlock":
                with _open_files() as opened:
                    yield _under_landlock(self._offer.abi, profile, arguments, opened)
            case "none":
                raise CannotConfine(self._offer.problem)

    def close(self) -> None:
        if self.temporary is not None:
            shutil.rmtree(self.temporary, ignore_errors=True)
            self.temporary = None

    def _profile(self, temporary: Path) -> Profile:
        return profile_for(self._workdir, temporary, self._home, self._product_home)


@asynccontextmanager
async def _in_namespaces(program: str, profile: Profile, arguments: Sequence[str], cwd: Path) -> AsyncGenerator[Launch]:
    with placeholders(profile.missing), _open_files() as opened:
        steps = socket_filter(platform.machine(), network=True)
        if steps is None:
            raise CannotConfine(f"no filter for sockets is known on {platform.machine()}")
        ended, alive = os.pipe()
        filter_fd = opened.file(steps)
        opened.add(alive)
        prefix = plan(program, profile, cwd, filter_fd=filter_fd, alive_fd=alive)
        try:
            yield Launch(arguments=(*prefix, *arguments), inherited=(filter_fd, alive), started=opened.close)
        finally:
            opened.close()
            await _end_of(ended)


def _under_landlock(abi: int, profile: Profile, arguments: Sequence[str], opened: _OpenFiles) -> Launch:
    rules = landlock.ruleset(profile, abi, entries_of, socket_filter(platform.machine(), network=False))
    rules_fd = opened.file(landlock.encoded(rules))
    prefix = (sys.executable, "-I", "-S", str(_CONFINE), str(rules_fd))
    return Launch(
        arguments=(*prefix, *arguments),
        inherited=(rules_fd,),
        environ={"TMPDIR": str(profile.temporary)},
        started=opened.close,
    )


async def _end_of(pipe: int) -> None:
    """Wait until nobody holds the other end of a pipe, then close it: the namespace is empty."""
    loop = asyncio.get_running_loop()
    empty = asyncio.Event()
    os.set_blocking(pipe, False)

    def look() -> None:
        with contextlib.suppress(BlockingIOError):
            if not os.read(pipe, 4096):  # whoever is inside may have written into it
                empty.set()

    loop.add_reader(pipe, look)
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                await empty.wait()
    finally:
        loop.remove_reader(pipe)
        os.close(pipe)


class _OpenFiles:
    """Files for a child to inherit, closed here as soon as it has them."""

    def __init__(self) -> None:
        self._handles: list[int] = []

    def add(self, handle: int) -> None:
        self._handles.append(handle)

    def file(self, data: bytes) -> int:
        """A new file with `data`, to be read from its start."""
        handle = os.memfd_create("helloclaw-sandbox")
        self.add(handle)
        with open(handle, "wb", closefd=False) as stream:
            stream.write(data)
        os.lseek(handle, 0, os.SEEK_SET)
        return handle

    def close(self) -> None:
        while self._handles:
            os.close(self._handles.pop())


@contextlib.contextmanager
def _open_files() -> Generator[_OpenFiles]:
    """Files for a child to inherit; what is still open is closed on leaving."""
    opened = _OpenFiles()
    try:
        yield opened
    finally:
        opened.close()
