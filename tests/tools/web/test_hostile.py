"""Servers that mean harm: bodies without end, bombs, and those that keep a client waiting."""

from __future__ import annotations

import asyncio
import gzip
import time
import zlib
from pathlib import Path

import pytest

from helloclaw.tools.web.download import Limits
from helloclaw.tools.web.inflate import Inflater
from tests.tools.web.conftest import Site, Web, reply, surfing

GIGABYTE = 1024 * 1024 * 1024
MEGABYTE = 1024 * 1024
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n"


class Growth:
    """How far this process's memory grows beyond what it has now, at its highest."""

    def __init__(self) -> None:
        Path("/proc/self/clear_refs").write_text("5")  # the high-water mark begins anew: proc(5)
        self._before = self._high()

    @property
    def bytes(self) -> int:
        return self._high() - self._before

    def _high(self) -> int:
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def bomb() -> bytes:
    """A gigabyte of text as a megabyte of gzip. It is never unpacked to its end, where the checksum would be wrong."""
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(b"boom " * (MEGABYTE // 5)) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + block * 1024


async def test_a_body_without_end(web: Web) -> None:
    sent = 0

    async def pour(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(HEAD)
        while sent < GIGABYTE:
            writer.write(b"0123456789abcde\n" * 4096)
            await writer.drain()
            sent += 65536

    web.site.routes["/x"] = pour
    growth = Growth()
    text = await web.text("/x")
    assert text.endswith(
        "[cut after 20000 of more than 1000000 characters; fetch it with max_chars=1000000 for the rest "
        "(long text goes to a file that read_file can read in parts); only its first 5 MB were read]"
    )
    assert sent < 50 * MEGABYTE
    assert growth.bytes < 60 * MEGABYTE


async def test_a_compression_bomb(web: Web) -> None:
    web.site.routes["/x"] = reply(bomb(), "text/plain", content_encoding="gzip")
    growth = Growth()
    text = await web.text("/x")
    assert text.endswith("only its first 5 MB were read]")
    assert growth.bytes < 60 * MEGABYTE


async def test_a_bomb_within_a_bomb(web: Web) -> None:
    web.site.routes["/x"] = reply(gzip.compress(bomb()), "text/plain", content_encoding="gzip")
    growth = Growth()
    assert "not text" in await web.error("/x")  # unpacked once, as it says, and still packed
    assert growth.bytes < 60 * MEGABYTE


def test_an_inflater_gives_no_more_than_there_is_room_for() -> None:
    assert Inflater().feed(bomb(), 1000) == b"boom " * 200
    bytewise, packed = Inflater(), gzip.compress(b"byte by byte")
    assert b"".join(bytewise.feed(packed[at : at + 1], 1000) for at in range(len(packed))) == b"byte by byte"


async def test_empty_blocks_of_compressed_data_end_too(web: Web) -> None:
    """Data that unpacks to nothing must not be read for ever."""
    sent = 0

    async def pour(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-encoding: deflate\r\n\r\n")
        packer = zlib.compressobj()
        writer.write(packer.compress(b"word") + packer.flush(zlib.Z_FULL_FLUSH))
        empty = packer.flush(zlib.Z_FULL_FLUSH) or b"\0\0\0\xff\xff"
        while sent < 100 * MEGABYTE:
            writer.write(empty * 20_000)
            await writer.drain()
            sent += len(empty) * 20_000

    web.site.routes["/x"] = pour
    assert (await web.text("/x")).endswith("\n\nword")
    assert sent < 50 * MEGABYTE


async def drip(writer: asyncio.StreamWriter, head: bytes) -> None:
    writer.write(head)
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\nx-slow: "], ids=["status", "header"])
async def test_a_head_that_drips(tmp_path: Path, site: Site, head: bytes) -> None:
    site.routes["/x"] = lambda writer: drip(writer, head)
    async with surfing(tmp_path, site, limits=Limits(total_s=0.5)) as web:
        began = time.monotonic()
        assert await web.error("/x") == f"{web.url('/x')} did not answer within 0.5 s"
        assert time.monotonic() - began < 5


async def test_a_body_that_drips_is_read_as_far_as_it_came(tmp_path: Path, site: Site) -> None:
    site.routes["/x"] = lambda writer: drip(writer, HEAD)
    async with surfing(tmp_path, site, limits=Limits(total_s=0.5)) as web:
        text = await web.text("/x")
        assert text.endswith("x\n[the rest did not come in time]")


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\n"], ids=["nothing", "half a head"])
async def test_silence(tmp_path: Path, site: Site, head: bytes) -> None:
    async def hold(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await asyncio.Event().wait()

    site.routes["/x"] = hold
    async with surfing(tmp_path, site, limits=Limits(idle_s=0.2)) as web:
        assert await web.error("/x") == f"{web.url('/x')}: the server sent nothing for 0.2 s"


async def test_a_head_without_a_body(tmp_path: Path, site: Site) -> None:
    async def hold(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        await asyncio.Event().wait()

    site.routes["/x"] = hold
    async with surfing(tmp_path, site, limits=Limits(idle_s=0.2)) as web:
        assert await web.error("/x") == f"{web.url('/x')} answered 200, but of its content nothing came in time"


async def test_headers_without_end(web: Web) -> None:
    sent = 0

    async def pour(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\n")
        while sent < GIGABYTE:
            writer.write(b"x-more: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n" * 1000)
            await writer.drain()
            sent += 42_000

    web.site.routes["/x"] = pour
    assert f"{web.url('/x')} could not be fetched: " in await web.error("/x")
    assert sent < 50 * MEGABYTE
