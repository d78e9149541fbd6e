"""Reading: any size, any encoding, and only files."""

from __future__ import annotations

import base64
import os
import resource
import socket
import time

import pytest

from helloclaw.llm.messages import ImageBlock
from tests.tools.conftest import Bench

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


async def test_lines_are_numbered(bench: Bench) -> None:
    (bench.workdir / "说明.md").write_text("# 标题\n\n第二段\n", encoding="utf-8")
    assert await bench.text("read_file", path="说明.md") == "1\t# 标题\n2\t\n3\t第二段"


async def test_a_window_says_how_to_go_on(bench: Bench) -> None:
    (bench.workdir / "n.txt").write_text("".join(f"{n}\n" for n in range(1, 11)))
    assert await bench.text("read_file", path="n.txt", offset=4, limit=2) == (
        "4\t4\n5\t5\n[lines 4-5 of 10; read on with offset=6]"
    )
    assert await bench.text("read_file", path="n.txt", offset=9) == "9\t9\n10\t10"
    assert await bench.text("read_file", path="n.txt", offset=None, limit=1) == (
        "1\t1\n[lines 1-1 of 10; read on with offset=2]"
    )
    assert "it has 10 lines" in await bench.error("read_file", path="n.txt", offset=11)


async def test_the_default_window_is_2000_lines(bench: Bench) -> None:
    (bench.workdir / "n.txt").write_text("x\n" * 2001)
    assert (await bench.text("read_file", path="n.txt")).endswith("\n[lines 1-2000 of 2001; read on with offset=2001]")


async def test_long_lines_are_cut_and_long_windows_end_early(bench: Bench) -> None:
    (bench.workdir / "long.txt").write_text("a" * 3000 + "\nb\n")
    assert await bench.text("read_file", path="long.txt") == (
        "1\t" + "a" * 2000 + " [… 1000 more characters in this line]\n2\tb"
    )
    (bench.workdir / "wide.txt").write_text(("字" * 1000 + "\n") * 100, encoding="utf-8")
    text = await bench.text("read_file", path="wide.txt")
    assert len(text) < 50_000
    assert text.endswith("[lines 1-44 of 100; read on with offset=45]")


async def test_an_empty_file_is_said_to_be_empty(bench: Bench) -> None:
    (bench.workdir / "empty").touch()
    assert await bench.text("read_file", path="empty") == "[the file is empty]"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("中文 text\n".encode("utf-8-sig"), "1\t中文 text\n[encoding UTF-8 with BOM]"),
        ("中文 text\n".encode("utf-16"), "1\t中文 text\n[encoding UTF-16-LE with BOM]"),
        ("\ufeff中文\n二\n".encode("utf-16-be"), "1\t中文\n2\t二\n[encoding UTF-16-BE with BOM]"),
        ("plain ascii, then\n".encode("utf-16-le"), "1\tplain ascii, then\n[encoding UTF-16-LE]"),
        ("这是一份旧文件，用的是国标码。\n".encode("gb18030"), "1\t这是一份旧文件，用的是国标码。\n[encoding GB18030]"),
        ("Größe für Café\n".encode("latin-1"), "1\tGröße für Café\n[encoding Latin-1]"),
        (b"crlf\r\nfile\r\n", "1\tcrlf\n2\tfile"),
    ],
)
async def test_encodings_are_recognised_and_named(bench: Bench, data: bytes, text: str) -> None:
    (bench.workdir / "f").write_bytes(data)
    assert await bench.text("read_file", path="f") == text


async def test_a_utf16_file_is_read_from_an_offset(bench: Bench) -> None:
    (bench.workdir / "f").write_bytes("一\n二\n三\n".encode("utf-16"))
    assert await bench.text("read_file", path="f", offset=2, limit=1) == (
        "2\t二\n[lines 2-2 of 3; read on with offset=3; encoding UTF-16-LE with BOM]"
    )


async def test_an_image_is_shown(bench: Bench) -> None:
    (bench.workdir / "图.png").write_bytes(PNG)
    output = await bench.call("read_file", path="图.png")
    assert output.images == (ImageBlock(media_type="image/png", data=base64.b64encode(PNG).decode()),)
    (bench.workdir / "big.jpg").write_bytes(b"\xff\xd8\xff" + bytes(5 * 1024 * 1024))
    assert "it is damaged. Make a smaller copy." in await bench.error("read_file", path="big.jpg")


async def test_binary_files_are_described(bench: Bench) -> None:
    (bench.workdir / "a.zip").write_bytes(b"PK\x03\x04" + bytes(range(256)))
    assert (await bench.text("read_file", path="a.zip")).endswith(
        "is binary (260 bytes): a ZIP archive or an Office document; try `unzip -l`"
    )
    (bench.workdir / "noise").write_bytes(bytes(range(1, 32)) * 100)
    assert "is binary" in await bench.text("read_file", path="noise")


async def test_a_directory_is_listed_instead(bench: Bench) -> None:
    (bench.workdir / "目录" / "子").mkdir(parents=True)
    (bench.workdir / "目录" / "文.txt").touch()
    assert (await bench.error("read_file", path="目录")).endswith(
        "目录 is a directory, not a file. It holds: 子/, 文.txt"
    )


async def test_a_missing_file_names_what_is_near(bench: Bench) -> None:
    (bench.workdir / "README.md").touch()
    (bench.workdir / "设置说明.txt").touch()
    assert (await bench.error("read_file", path="readme.md")).endswith("does not exist; did you mean README.md?")
    assert (await bench.error("read_file", path="设置説明.txt")).endswith("did you mean 设置说明.txt?")
    assert f"the nearest that does is {bench.workdir}" in await bench.error("read_file", path="no/such/file")


async def test_what_is_no_file_is_not_opened(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(bench.workdir / "fifo")
    assert "is a FIFO, not a regular file" in await bench.error("read_file", path="fifo")
    assert "is a character device" in await bench.error("read_file", path="/dev/zero")
    with socket.socket(socket.AF_UNIX) as listener:
        monkeypatch.chdir(bench.workdir)  # a socket's path must be short
        listener.bind("socket")
        assert "is a socket" in await bench.error("read_file", path="socket")


async def test_two_gigabytes_are_read_quickly_and_in_little_memory(bench: Bench) -> None:
    path = bench.workdir / "huge.log"
    with path.open("wb") as stream:
        stream.write(b"a line of a log\n" * (1 << 20))  # 16 MiB of text, then a hole
        stream.truncate(2 << 30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    text = await bench.text("read_file", path="huge.log", limit=2)
    far = await bench.text("read_file", path="huge.log", offset=1_000_000, limit=1)
    assert text == "1\ta line of a log\n2\ta line of a log\n[lines 1-2; read on with offset=3]"
    assert far == "1000000\ta line of a log\n[lines 1000000-1000000; read on with offset=1000001]"
    assert time.perf_counter() - began < 2.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB


async def test_a_line_without_end_is_not_followed_through_the_file(bench: Bench) -> None:
    path = bench.workdir / "one-line.txt"
    path.write_bytes(b"start " + b"x" * (40 << 20))
    text = await bench.text("read_file", path="one-line.txt")
    assert text.startswith("1\tstart xxx")
    assert "is too long to look beyond it" in text
    assert len(text) < 3000
