"""Long output is kept whole in a file, or said to be truncated."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from helloclaw.tools.base import ToolOutput
from helloclaw.tools.persisted import OutputStore, persist_if_long, safe_id


def test_a_text_within_the_limit_stays(tmp_path: Path) -> None:
    output = ToolOutput(text="字" * 50_000)
    assert persist_if_long(output, "web_fetch", "call_1", tmp_path) is output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("tool", "length"), [("bash", 30_001), ("web_fetch", 50_001)])
def test_a_longer_one_becomes_a_preview(tmp_path: Path, tool: str, length: int) -> None:
    text = "".join(chr(0x4E00 + n % 20_000) for n in range(length))
    output = persist_if_long(ToolOutput(text=text, is_error=True, diff="d"), tool, "call_1", tmp_path)
    file = tmp_path / ".task_outputs" / "tool-results" / "call_1.txt"
    where = f"[… {length - 2000} characters left out; all {length} characters are in {file}]"
    assert output == ToolOutput(text=f"{text[:1000]}\n{where}\n{text[-1000:]}", is_error=True, diff="d")
    assert file.read_text(encoding="utf-8") == text
    assert file.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / ".task_outputs" / ".gitignore").read_text() == "*\n"


def test_ids_from_outside_name_no_path() -> None:
    assert safe_id("toolu_01-A") == "toolu_01-A"
    for odd in ("../../etc/passwd", "", "a/b", "中", "x" * 65, "a\0b", "\ud800"):
        assert len(safe_id(odd)) == 24
        assert safe_id(odd).isalnum()


@pytest.mark.parametrize("planted", [".task_outputs", ".task_outputs/tool-results"])
def test_planted_symlinks_lead_nowhere(tmp_path: Path, planted: str) -> None:
    workdir, outside = tmp_path / "work", tmp_path / "outside"
    outside.mkdir()
    (workdir / planted).parent.mkdir(parents=True)
    (workdir / planted).symlink_to(outside)
    output = persist_if_long(ToolOutput(text="x" * 60_000), "read_file", "c", workdir)
    assert "the output is truncated, it could not be saved" in output.text
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("planted", ["file", "symlink"])
def test_a_name_that_is_taken_is_left_alone(tmp_path: Path, planted: str) -> None:
    place, victim = tmp_path / ".task_outputs" / "tool-results" / "c.txt", tmp_path / "victim"
    place.parent.mkdir(parents=True)
    victim.write_text("before")
    if planted == "symlink":
        place.symlink_to(victim)
    else:
        place.write_text("before")
    text = "x" * 60_000
    output = persist_if_long(ToolOutput(text=text), "read_file", "c", tmp_path)
    (kept,) = (each for each in place.parent.iterdir() if each != place)
    assert (kept.read_text(), place.read_text(), victim.read_text()) == (text, "before", "before")
    assert str(kept) in output.text


def test_a_full_disk_gives_a_longer_truncated_text(tmp_path: Path) -> None:
    results = tmp_path / ".task_outputs" / "tool-results"
    results.parent.mkdir()
    results.write_text("in the way")
    text = "a" * 30_000 + "b" * 30_000
    output = persist_if_long(ToolOutput(text=text), "read_file", "c", tmp_path)
    head, middle, tail = output.text.split("\n")
    assert (head, tail) == ("a" * 10_000, "b" * 10_000)
    assert middle.startswith("[… 40000 characters left out; the output is truncated, it could not be saved to ")


def test_a_disk_that_fills_up_meanwhile_is_said(tmp_path: Path) -> None:
    script = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from helloclaw.tools.persisted import OutputStore\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))\n"
        "store = OutputStore(Path(sys.argv[1]), 'c', limit=10)\n"
        "for _ in range(10): store.add('x' * 8_000)\n"
        "store.close()\n"
        "print(store.for_model())\n"
    )
    done = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True)
    head, middle, tail = done.stdout.rstrip().split("\n")
    assert (head, tail) == ("x" * 10_000, "x" * 10_000)
    assert middle == (
        "[… 60000 characters left out; only the first 24000 characters are in "
        f"{tmp_path}/.task_outputs/tool-results/c.txt: File too large]"
    )


def test_a_file_does_not_grow_without_end(tmp_path: Path) -> None:
    store = OutputStore(tmp_path, "c", limit=10)
    for _ in range(66):
        store.add("x" * (1 << 20))
    store.close()
    assert (tmp_path / store.place).stat().st_size == 64 << 20
    assert "only the first 67108864 characters are in" in store.for_model()
    assert store.for_model().endswith(": the file reached its limit]\n" + "x" * 10_000)


def test_growing_output_keeps_its_ends(tmp_path: Path) -> None:
    store = OutputStore(tmp_path, "c", limit=100)
    for n in range(5000):
        store.add(f"{n}\n")
    store.close()
    whole = "".join(f"{n}\n" for n in range(5000))
    text = store.for_model()
    assert (tmp_path / store.place).read_text() == whole
    assert text.startswith(whole[:1000] + "\n[…")
    assert text.endswith("]\n" + whole[-1000:])
    assert store.tail(50) == whole[-50:]
