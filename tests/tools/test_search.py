"""Searching: what is found, what is left out, and that it ends."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from pathlib import Path

import pytest

from helloclaw.tools.base import ToolError
from helloclaw.tools.search import find_ripgrep
from tests.tools.conftest import Bench, running, until


@pytest.fixture
def tree(bench: Bench) -> Path:
    files = {
        "a.py": "def needle():\n    return 1\n",
        "源码/中文.py": "# 针在这里\nNeedle = 2\n",
        "notes.txt": "needle, not code\n",
        ".github/workflow.yml": "needle: true\n",
        "ignored/x.py": "needle\n",
        ".gitignore": "ignored/\n",
        ".git/config": "needle\n",
        ".env": "TOKEN=needle\n",
        ".env.local": "TOKEN=needle\n",
        "server.pem": "needle\n",
        ".ssh/id_ed25519": "needle\n",
        "deploy/credentials": "needle\n",
        "deploy/service-account-1.json": "needle\n",
        "证书/私.key": "needle\n",
    }
    for name, content in files.items():
        path = bench.workdir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return bench.workdir


async def test_matches_come_as_path_line_text_without_what_is_ignored_or_secret(bench: Bench, tree: Path) -> None:
    assert await bench.text("search_content", pattern="needle") == (
        ".github/workflow.yml:1:needle: true\n"
        "a.py:1:def needle():\n"
        "notes.txt:1:needle, not code\n"
        "源码/中文.py:2:Needle = 2"
    )


async def test_secrets_stay_out_whatever_the_glob(bench: Bench, tree: Path) -> None:
    for glob in ("*", "**/*", ".env", ".env*", "**/.ssh/*", "*.pem", "!*.txt"):
        assert "TOKEN" not in (text := await bench.text("search_content", pattern="needle|TOKEN", glob=glob))
        assert "pem" not in text
        assert "ssh" not in text


async def test_a_secret_place_that_is_named_is_searched(bench: Bench, tree: Path) -> None:
    assert await bench.text("search_content", pattern="needle", path=".ssh") == ".ssh/id_ed25519:1:needle"
    assert await bench.text("search_content", pattern="needle", path=".env") == ".env:1:TOKEN=needle"


async def test_case_glob_and_path(bench: Bench, tree: Path) -> None:
    assert await bench.text("search_content", pattern="Needle", case_sensitive=True) == "源码/中文.py:2:Needle = 2"
    assert await bench.text("search_content", pattern="needle", glob="*.txt") == "notes.txt:1:needle, not code"
    assert await bench.text("search_content", pattern="needle", path="源码") == "源码/中文.py:2:Needle = 2"
    await bench.text("bash", command="cd 源码")
    assert await bench.text("search_content", pattern="needle") == "中文.py:2:Needle = 2"
    assert await bench.text("search_content", pattern="needle", path="../a.py") == f"{tree}/a.py:1:def needle():"


async def test_chinese_patterns_and_legacy_files(bench: Bench, tree: Path) -> None:
    assert await bench.text("search_content", pattern="针在.里") == "源码/中文.py:1:# 针在这里"
    (tree / "旧.txt").write_bytes("国标文件\n".encode("gb18030"))
    assert await bench.text("search_content", pattern="国标") == "旧.txt:1:国标文件"


@pytest.mark.parametrize("pattern", ["-needle", "--pre=touch", "$HOME", "(?<=def )needle", r"needle\(\):\n\s+return"])
async def test_patterns_are_only_patterns(bench: Bench, tree: Path, pattern: str) -> None:
    (tree / "odd").write_text("-needle --pre=touch\n")
    text = await bench.text("search_content", pattern=pattern)
    assert (
        text
        == {
            "-needle": "odd:1:-needle --pre=touch",
            "--pre=touch": "odd:1:-needle --pre=touch",
            "$HOME": "No matches.",
            "(?<=def )needle": "a.py:1:def needle():",
            r"needle\(\):\n\s+return": "a.py:1:def needle():\na.py:2:    return 1",
        }[pattern]
    )


async def test_what_is_wrong_is_explained(bench: Bench, tree: Path) -> None:
    assert await bench.error("search_content", pattern="a(") == (
        "'a(' is not a regular expression: unclosed group; escape special characters with a backslash"
    )
    assert (await bench.error("search_content", pattern="x", path="a.pi")).endswith(
        "does not exist; did you mean a.py?"
    )
    assert "error parsing glob" in await bench.error("search_content", pattern="x", glob="a[")
    assert await bench.text("search_content", pattern="nowhere") == "No matches."


async def test_the_number_and_length_of_matches_are_bounded(bench: Bench) -> None:
    (bench.workdir / "many.txt").write_text("match\n" * 500)
    text = await bench.text("search_content", pattern="match")
    assert text.count("many.txt:") == 200
    assert text.endswith("[stopped after 200 matches, there are more; narrow the pattern, path or glob]")
    assert (await bench.text("search_content", pattern="match", max_results=500)).count("\n") == 499
    (bench.workdir / "many.txt").write_text("x" * 100_000 + "needle\n" + f"needle{'字' * 250}\n" * 500)
    text = await bench.text("search_content", pattern="needle", max_results=2000)
    assert len(text) < 50_000
    assert max(map(len, text.split("\n"))) < 400


async def test_binary_files_are_passed_over(bench: Bench) -> None:
    (bench.workdir / "bin").write_bytes(b"needle\0\1\2needle")
    assert await bench.text("search_content", pattern="needle") == "No matches."


async def test_a_configuration_of_ripgrep_is_not_read(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    (bench.workdir / "rc").write_text("--files\n")
    (bench.workdir / "a").write_text("needle\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(bench.workdir / "rc"))
    assert await bench.text("search_content", pattern="needle") == "a:1:needle"


async def test_a_cancel_ends_the_search(bench: Bench) -> None:
    # A FIFO that nobody writes to keeps ripgrep waiting.
    os.mkfifo(bench.workdir / "pipe")
    pattern = f"needle-{os.getpid()}"
    task = asyncio.create_task(bench.call("search_content", pattern=pattern, path="pipe"))
    await until(lambda: running(f"--regexp={pattern}"))
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 0.3
    await until(lambda: not running(f"--regexp={pattern}"))


def test_ripgrep_comes_with_us_or_from_the_path(tmp_path: Path) -> None:
    ours = find_ripgrep({"PATH": ""})
    assert subprocess.run([ours, "--version"], capture_output=True, check=True).stdout.startswith(b"ripgrep ")


def test_without_ripgrep_the_way_out_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    monkeypatch.setattr("sysconfig.get_path", tmp_path.joinpath)
    with pytest.raises(ToolError, match="ripgrep"):
        find_ripgrep({"PATH": str(tmp_path)})
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "rg").touch(mode=0o755)
    assert find_ripgrep({"PATH": str(tmp_path / "bin")}) == str(tmp_path / "bin" / "rg")
