"""Fetching uv: the right wheel, from the right place, and only the one that the lock knows."""

from __future__ import annotations

import hashlib
import http.server
import json
import threading
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from scripts import bootstrap_uv
from scripts.bootstrap_uv import Wheel, configured_index, fetch, links_of, locked_wheels, mirror_url, wheel_for

LOCK = Path(__file__).parents[2] / "uv.lock"


@pytest.mark.parametrize(
    ("system", "machine", "musl", "tag"),
    [
        ("Linux", "x86_64", False, "manylinux_2_17_x86_64.manylinux2014_x86_64"),
        ("Linux", "x86_64", True, "musllinux_1_1_x86_64"),
        ("Linux", "aarch64", False, "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"),
        ("Linux", "armv7l", False, "manylinux_2_17_armv7l.manylinux2014_armv7l.musllinux_1_1_armv7l"),
        ("Darwin", "arm64", False, "macosx_11_0_arm64"),
        ("Darwin", "x86_64", False, "macosx_10_12_x86_64"),
        ("Windows", "AMD64", False, None),
    ],
)
def test_the_lock_has_a_wheel_for(system: str, machine: str, musl: bool, tag: str | None) -> None:
    wheels = locked_wheels(LOCK.read_text(encoding="utf-8"))
    wheel = wheel_for(wheels, system, machine, musl)
    assert (wheel and wheel.filename) == (f"uv-{wheels[0].version}-py3-none-{tag}.whl" if tag else None)


def test_both_forms_of_the_simple_api_name_the_same_links() -> None:
    page = b'<!DOCTYPE html><a href="../../files/uv-1-py3-none-any.whl#sha256=0">x</a><a name="y">y</a>'
    listing = json.dumps({"files": [{"url": "../../files/uv-1-py3-none-any.whl#sha256=0"}]}).encode()
    assert links_of(page, "text/html") == links_of(listing, "application/vnd.pypi.simple.v1+json")


@pytest.fixture
def no_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No index configured anywhere; returns where a user's pip.conf would be."""
    for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL", "PIP_CONFIG_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "xdg"))
    return tmp_path / "config/pip/pip.conf"


def test_an_index_named_by_uv_goes_before_pips(no_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_index.parent.mkdir(parents=True)
    no_index.write_text("[global]\nindex-url = https://mirror.example/simple\n", encoding="utf-8")
    assert configured_index() == "https://mirror.example/simple"
    monkeypatch.setenv("PIP_INDEX_URL", "https://pip.example/simple")
    assert configured_index() == "https://pip.example/simple"
    monkeypatch.setenv("UV_DEFAULT_INDEX", "named=https://uv.example/simple")
    assert configured_index() == "https://uv.example/simple"


@contextmanager
def serving(directory: Path) -> Generator[str]:
    """The files of `directory` over HTTP."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(directory))  # type: ignore[arg-type] - as http.server calls it

        def log_message(self, format: str, *args: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def mirror(tmp_path: Path) -> Generator[tuple[str, Wheel]]:
    """An index with one wheel of uv: its address, and the wheel as a lock would know it."""
    (tmp_path / "files").mkdir()
    (tmp_path / "simple/uv").mkdir(parents=True)
    name = "uv-1.0-py3-none-manylinux_2_17_x86_64.whl"
    with zipfile.ZipFile(tmp_path / "files" / name, "w") as wheel:
        wheel.writestr("uv-1.0.data/scripts/uv", "#!/bin/sh\necho uv 1.0\n")
    (tmp_path / "simple/uv/index.html").write_text(f'<a href="../../files/{name}#sha256=no">{name}</a>')
    digest = hashlib.sha256((tmp_path / "files" / name).read_bytes()).hexdigest()
    with serving(tmp_path) as address:
        yield f"{address}/simple", Wheel("1.0", name, "http://127.0.0.1:9/not-reached", digest)


def test_a_mirror_serves_the_locked_file(mirror: tuple[str, Wheel], tmp_path: Path) -> None:
    index, wheel = mirror
    fetch(mirror_url(wheel, index), wheel, tmp_path / "tools")
    uv = tmp_path / "tools/bin/uv"
    assert (uv.read_text(), uv.stat().st_mode & 0o777) == ("#!/bin/sh\necho uv 1.0\n", 0o755)
    assert [file.name for file in uv.parent.iterdir()] == ["uv"]


def test_a_file_with_another_hash_is_refused(mirror: tuple[str, Wheel], tmp_path: Path) -> None:
    index, wheel = mirror
    with pytest.raises(ValueError, match=r"not 0000 as in uv\.lock"):
        fetch(mirror_url(wheel, index), wheel._replace(sha256="0000"), tmp_path / "tools")
    assert not (tmp_path / "tools").exists()


def test_a_mirror_without_the_file_says_so(mirror: tuple[str, Wheel]) -> None:
    index, wheel = mirror
    with pytest.raises(LookupError, match=r"no uv-2\.0"):
        mirror_url(wheel._replace(filename="uv-2.0-py3-none-any.whl"), index)


def test_setup_is_told_the_index(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://uv.example/simple")
    assert bootstrap_uv.main(["--print-index"]) == 0
    assert capsys.readouterr().out == "https://uv.example/simple\n"
