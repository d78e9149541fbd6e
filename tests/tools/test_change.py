"""Writing and editing: what was there is kept, nobody's change is overwritten, a failure leaves the file as it was."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from helloclaw.tools.base import MustFail
from tests.tools.conftest import Bench


async def test_a_new_file_and_its_directories(bench: Bench) -> None:
    output = await bench.call("write_file", path="新/目录/文件.py", content="一\n二\n")
    assert output.text == "Created 新/目录/文件.py (2 lines)"
    assert output.diff == "--- a/新/目录/文件.py\n+++ b/新/目录/文件.py\n@@ -0,0 +1,2 @@\n+一\n+二\n"
    assert (bench.workdir / "新/目录/文件.py").read_text(encoding="utf-8") == "一\n二\n"


async def test_replacing_keeps_mode_encoding_mark_and_line_endings(bench: Bench) -> None:
    path = bench.workdir / "脚本.bat"
    path.write_bytes("旧一\r\n旧二\r\n".encode("utf-8-sig"))
    path.chmod(0o750)
    assert await bench.text("write_file", path="脚本.bat", content="新\n行\n") == "Replaced 脚本.bat (2 lines)"
    assert path.read_bytes() == "新\r\n行\r\n".encode("utf-8-sig")
    assert path.stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
async def test_an_edit_keeps_how_the_file_is_written(bench: Bench, codec: str, newline: str) -> None:
    path = bench.workdir / "f.txt"
    lines = ["第一行是中文，够长才认得出编码。", "  第二行", "  第三行", "结尾", ""]
    path.write_bytes(newline.join(lines).encode(codec))
    await bench.text("read_file", path="f.txt")
    output = await bench.call("edit_file", path="f.txt", old_text="  第二行\n  第三行\n", new_text="  甲\n  乙\n  丙\n")
    assert output.text == "Edited f.txt: 1 replacement, at line 2"
    assert path.read_bytes() == newline.join([lines[0], "  甲", "  乙", "  丙", "结尾", ""]).encode(codec)


async def test_mixed_line_endings_stay_mixed_where_nothing_changes(bench: Bench) -> None:
    path = bench.workdir / "mixed.txt"
    path.write_bytes(b"a\r\nb\nc\r\nd\n")
    await bench.text("read_file", path="mixed.txt")
    await bench.text("edit_file", path="mixed.txt", old_text="b\nc", new_text="B\nC")
    assert path.read_bytes() == b"a\r\nB\nC\r\nd\n"


async def test_bytes_that_fit_no_encoding_survive_an_edit(bench: Bench) -> None:
    path = bench.workdir / "odd.txt"
    path.write_bytes(b"key = value\nname = \xff\xfe\x81\xe9\n")
    await bench.text("read_file", path="odd.txt")
    await bench.text("edit_file", path="odd.txt", old_text="value", new_text="other")
    assert path.read_bytes() == b"key = other\nname = \xff\xfe\x81\xe9\n"


async def test_a_character_the_encoding_lacks_is_refused(bench: Bench) -> None:
    path = bench.workdir / "latin.txt"
    path.write_bytes("Größe für Café".encode("latin-1"))
    await bench.text("read_file", path="latin.txt")
    message = await bench.error("edit_file", path="latin.txt", old_text="für", new_text="中")
    assert "is in Latin-1, which has no '中'; convert the file to UTF-8 first" in message
    assert path.read_bytes() == "Größe für Café".encode("latin-1")


async def test_an_edit_must_match_exactly_once(bench: Bench) -> None:
    path = bench.workdir / "f.py"
    path.write_text("x = 1\ny = 2\nx = 1\n")
    await bench.text("read_file", path="f.py")
    assert await bench.error("edit_file", path="f.py", old_text="x = 1", new_text="x = 3") == (
        "old_text is 2 times in f.py, at lines 1, 3; give more of the text around the one you mean, or set replace_all"
    )
    assert await bench.text("edit_file", path="f.py", old_text="x = 1", new_text="x = 3", replace_all=True) == (
        "Edited f.py: 2 replacements, at line 1, 3"
    )
    assert path.read_text() == "x = 3\ny = 2\nx = 3\n"


async def test_a_near_miss_is_named_with_its_real_text(bench: Bench) -> None:
    (bench.workdir / "f.py").write_text("def f():\n\tif x:\n\t\treturn 1\n")
    await bench.text("read_file", path="f.py")
    assert await bench.error("edit_file", path="f.py", old_text="    if x:\n        return 1", new_text="pass") == (
        "old_text is not in f.py; it differs only in whitespace at lines 2-3; the file has exactly:\n"
        "\tif x:\n\t\treturn 1"
    )
    assert "carries line numbers" in await bench.error(
        "edit_file", path="f.py", old_text="1\tdef f():\n2\t\tif x:", new_text="pass"
    )
    assert "the nearest is line 3" in await bench.error("edit_file", path="f.py", old_text="return 11", new_text="pass")
    assert "nothing there is similar" in await bench.error(
        "edit_file", path="f.py", old_text="完全不同的内容", new_text="pass"
    )


async def test_an_edit_needs_the_file_as_it_was_seen(bench: Bench) -> None:
    path = bench.workdir / "f.txt"
    path.write_text("one\n")
    assert await bench.error("edit_file", path="f.txt", old_text="one", new_text="two") == (
        "f.txt was not read in this session; read it with read_file first"
    )
    await bench.text("read_file", path="f.txt")
    stamp = path.stat()
    path.write_text("ona\n")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # same size, same time: only the content tells
    for tool, arguments in (
        ("edit_file", {"old_text": "ona", "new_text": "two"}),
        ("write_file", {"content": "two"}),
    ):
        assert "was changed since you last saw it" in await bench.error(tool, path="f.txt", **arguments)
    assert path.read_text() == "ona\n"
    await bench.text("read_file", path="f.txt")
    await bench.text("edit_file", path="f.txt", old_text="ona", new_text="two")
    await bench.text("edit_file", path="f.txt", old_text="two", new_text="three")
    await bench.text("write_file", path="f.txt", content="four\n")
    await bench.text("edit_file", path="f.txt", old_text="four", new_text="five")
    assert path.read_text() == "five\n"


async def test_edits_that_make_no_sense(bench: Bench) -> None:
    (bench.workdir / "f.txt").write_text("a")
    assert "old_text is empty" in await bench.error("edit_file", path="f.txt", old_text="", new_text="x")
    assert "nothing to change" in await bench.error("edit_file", path="f.txt", old_text="a", new_text="a")
    assert "does not exist" in await bench.error("edit_file", path="g.txt", old_text="a", new_text="b")
    (bench.workdir / "bin").write_bytes(b"\0\1\2\3a")
    await bench.text("read_file", path="bin")
    assert "is binary" in await bench.error("edit_file", path="bin", old_text="a", new_text="b")


async def test_previews_show_the_diff_and_change_nothing(bench: Bench) -> None:
    path = bench.workdir / "f.txt"
    path.write_text("a\nb\nc\n")
    await bench.text("read_file", path="f.txt")
    diff = "--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    assert await bench.preview("edit_file", path="f.txt", old_text="b", new_text="B") == diff
    assert await bench.preview("write_file", path="f.txt", content="a\nB\nc\n") == diff
    assert path.read_text() == "a\nb\nc\n"


async def test_a_preview_tells_what_must_fail_but_nothing_that_needs_a_permission(bench: Bench) -> None:
    path = bench.workdir / "f.txt"
    path.write_text("a\n")
    with pytest.raises(MustFail, match="was not read in this session"):
        await bench.preview("edit_file", path="f.txt", old_text="a", new_text="b")
    await bench.text("read_file", path="f.txt")
    with pytest.raises(MustFail, match=r"old_text is not in f\.txt"):
        await bench.preview("edit_file", path="f.txt", old_text="zzz", new_text="b")
    path.write_text("changed\n")
    with pytest.raises(MustFail, match="was changed since you last saw it"):
        await bench.preview("write_file", path="f.txt", content="b")
    assert await bench.preview("edit_file", path="secret", old_text="a", new_text="b") is None
    assert await bench.preview("write_file", path=".", content="b") is None


async def test_a_read_only_file_is_left_alone(bench: Bench) -> None:
    path = bench.workdir / "f.txt"
    path.write_text("a")
    path.chmod(0o444)
    assert "is marked read-only" in await bench.error("write_file", path="f.txt", content="b")
    assert path.read_text() == "a"


async def test_a_symlink_is_written_through_and_stays_a_symlink(bench: Bench) -> None:
    (bench.workdir / "real.txt").write_text("a")
    (bench.workdir / "link.txt").symlink_to("real.txt")
    await bench.text("write_file", path="link.txt", content="b")
    assert (bench.workdir / "link.txt").is_symlink()
    assert (bench.workdir / "real.txt").read_text() == "b"


async def test_no_room_and_no_place_are_explained(bench: Bench) -> None:
    assert "is a directory" in await bench.error("write_file", path=".", content="x")
    (bench.workdir / "file").touch()
    assert "cannot write" in await bench.error("write_file", path="file/below", content="x")
    assert "use a shorter name" in await bench.error("write_file", path="n" * 300, content="x")
    assert "is a character device" in await bench.error("write_file", path="/dev/full", content="x")


SCRIPT = """
import asyncio, sys
from pathlib import Path
from helloclaw.tools.base import ToolError
from helloclaw.tools.registry import Toolbox, default_tools, open_context

async def main():
    context = open_context("s", Path(sys.argv[1]))
    tool = Toolbox(default_tools()).find("write_file")
    try:
        await tool.run(tool.parse({"path": "f.txt", "content": "x" * 3_000_000}), context)
    except ToolError as error:
        print(error)

asyncio.run(main())
"""


def write_in_namespace(setup: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run the write in a mount namespace of its own, prepared by `setup`."""
    script = directory.parent / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    line = f"{setup}; {sys.executable} {script} {directory}; echo --; cat {directory}/f.txt; ls -A {directory}"
    return subprocess.run(["unshare", "--mount", "bash", "-c", line], capture_output=True, text=True, check=False)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
@pytest.mark.parametrize(
    ("setup", "reason"),
    [
        ("mount -t tmpfs -o size=1m none {d} && echo -n old > {d}/f.txt", "No space left on device; free some space"),
        ("mount --bind -o ro {d} {d} && mount -o remount,bind,ro {d}", "Read-only file system; choose a place"),
    ],
)
def test_a_full_or_read_only_disk_leaves_the_old_file(tmp_path: Path, setup: str, reason: str) -> None:
    directory = tmp_path / "disk"
    directory.mkdir()
    (directory / "f.txt").write_text("old")
    done = write_in_namespace(setup.format(d=directory), directory)
    assert f"cannot write {directory}/f.txt: {reason}" in done.stdout, done
    assert done.stdout.endswith("--\noldf.txt\n"), done
