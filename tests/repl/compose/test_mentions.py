"""What a message mentions, with real files of every kind."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.i18n import Phrase
from helloclaw.llm.messages import ImageBlock
from helloclaw.repl.compose.composer import Composed
from helloclaw.repl.compose.mentions import Gathered, gather, may_mention
from helloclaw.repl.compose.reading import FILE_CHARS, numbered
from tests.repl.compose.terminal import ENTER, typing

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
IMAGE = ImageBlock(media_type="image/png", data=base64.b64encode(PNG).decode())


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("import os\r\nprint(1)\n", encoding="utf-8")
    (tmp_path / "a b.txt").write_text("one", encoding="utf-8")
    (tmp_path / "说明.md").write_text("你好", encoding="utf-8")
    (tmp_path / "gbk.txt").write_bytes("中文文本".encode("gb18030"))
    (tmp_path / "empty").touch()
    (tmp_path / "shot.png").write_bytes(PNG)
    (tmp_path / "my shot.png").write_bytes(PNG)
    (tmp_path / "fake.png").write_text("no image", encoding="utf-8")
    (tmp_path / "data.bin").write_bytes(bytes(range(256)))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("src/a.py")
    (tmp_path / "dangling").symlink_to("nowhere")
    return tmp_path


A = '<file path="src/a.py">\n1\timport os\n2\tprint(1)\n</file>'


def file(name: str, *rows: str) -> str:
    return "\n".join([f'<file path="{name}">', *rows, "</file>"])


@pytest.mark.parametrize(
    ("text", "gathered"),
    [
        ("look at @src/a.py", Gathered(context=(A,))),
        ("@src/a.py, then (@src/a.py) and @./src/a.py!", Gathered(context=(A,))),
        ("看看@src/a.py里的函数，还有@说明.md。", Gathered(context=(A, file("说明.md", "1\t你好")))),
        ('@"a b.txt" please', Gathered(context=(file("a b.txt", "1\tone"),))),
        ("@gbk.txt", Gathered(context=(file("gbk.txt", "1\t中文文本"),))),
        ("@empty", Gathered(context=(file("empty", "[the file is empty]"),))),
        ("@src", Gathered(context=('<directory path="src">\na.py\n</directory>',))),
        ("@src/", Gathered(context=('<directory path="src">\na.py\n</directory>',))),
        ("@link", Gathered(context=(A,))),
        ("@shot.png?", Gathered(images=(IMAGE,))),
        ("what is shot.png", Gathered(images=(IMAGE,))),
        ("'my shot.png' and my\\ shot.png", Gathered(images=(IMAGE,))),
        ("@fake.png", Gathered(context=(file("fake.png", "1\tno image"),))),
        ("@data.bin", Gathered(notices=(Phrase("compose.mention.binary", path="data.bin"),))),
        ("@pipe", Gathered(notices=(Phrase("compose.mention.special", path="pipe"),))),
        ("@/dev/null", Gathered(notices=(Phrase("compose.mention.special", path="/dev/null"),))),
        ("me@src/a.py and a@b.com", Gathered()),
        ("@property def x, @nobody, @", Gathered()),
        ("@dangling", Gathered()),
        ("an image.png that isn't there", Gathered()),
        ("the word src/a.py without a mark", Gathered()),
    ],
)
async def test_what_a_text_mentions(work: Path, text: str, gathered: Gathered) -> None:
    assert await gather(text, work) == gathered


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_what_may_not_be_read_is_told(work: Path) -> None:
    (work / "src" / "a.py").chmod(0)
    assert [notice.key for notice in (await gather("@src/a.py", work)).notices] == ["compose.mention.unreadable"]


async def test_an_image_named_by_url(work: Path) -> None:
    assert await gather(f"see {(work / 'my shot.png').as_uri()}", work) == Gathered(images=(IMAGE,))


async def test_a_directory_that_holds_much_is_cut(work: Path) -> None:
    for number in range(510):
        (work / "src" / f"{number:03}").touch()
    (listed,) = (await gather("@src", work)).context
    assert listed.splitlines()[-2:] == ["[11 more]", "</directory>"]


async def test_only_so_many_files_are_read(work: Path) -> None:
    for number in range(60):
        (work / f"f{number}").write_text("x", encoding="utf-8")
    gathered = await gather(" ".join(f"@f{number}" for number in range(60)), work)
    assert len(gathered.context) == 50
    assert gathered.notices == (Phrase("compose.mention.many", limit=50),)


@pytest.mark.parametrize(
    ("data", "last"),
    [
        (b"x\n" * 2001, ["2000\tx", "[cut after line 2000 of 2001; use read_file to read on]", "</file>"]),
        (b"x\n" * 2000, ["1999\tx", "2000\tx", "</file>"]),
        (b"a\n" + b"y" * FILE_CHARS, ["1\ta", "[cut after line 1 of 2; use read_file to read on]", "</file>"]),
        (b"x\n" * (9 << 20), ["2000\tx", "[cut after line 2000; use read_file to read on]", "</file>"]),
    ],
)
def test_a_long_file_is_cut_and_that_is_said(data: bytes, last: list[str]) -> None:
    block = numbered("f", data)
    assert block is not None
    assert block.splitlines()[-3:] == last


def test_one_endless_line_is_cut_within() -> None:
    block = numbered("f", b"z" * 200_000)
    assert block is not None
    assert block.endswith("z\n[cut within line 1 of 1; use a tool to read on]\n</file>")
    assert len(block) < FILE_CHARS + 200


@given(st.text(alphabet="@\"/.a' 文\\~#\n", max_size=40))
async def test_no_text_breaks_it(text: str) -> None:
    gathered = await gather(text, Path("/nonexistent"))
    assert may_mention(text) or gathered == Gathered()


async def test_enter_reads_what_is_mentioned_and_keeps_the_order(work: Path) -> None:
    (work / "work").mkdir()
    (work / "work" / "x.txt").write_text("hi", encoding="utf-8")
    (work / "work" / "data.bin").write_bytes(bytes(range(256)))
    async with typing(work) as t:
        await t.keys(f"@x.txt @data.bin{ENTER}second{ENTER}!ls{ENTER}")
        assert t.submitted == [
            Composed(text="@x.txt @data.bin", context=(file("x.txt", "1\thi"),)),
            Composed(text="second"),
            Composed(text="!ls", shell="ls"),
        ]
        assert t.notices == ["data.bin is binary, so its content was not added; the text goes as it is."]


async def test_what_a_long_paste_seems_to_mention_is_data(work: Path) -> None:
    (work / "work").mkdir()
    (work / "work" / "x").write_text("hi", encoding="utf-8")
    pasted = "\n".join(["@x"] * 20)
    async with typing(work) as t:
        await t.keys(f"\x1b[200~{pasted}\x1b[201~{ENTER}")
        assert t.submitted == [Composed(text=pasted, typed="\n")]
