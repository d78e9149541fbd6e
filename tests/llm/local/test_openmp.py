"""The library path of the child that runs llama.cpp."""

from __future__ import annotations

from pathlib import Path

from helloclaw.llm.local.openmp import with_openmp


def test_a_library_that_was_installed_beside_us_comes_first(tmp_path: Path) -> None:
    beside = tmp_path / "cmeel.prefix/lib"
    assert with_openmp({"A": "b"}, tmp_path) == {"A": "b"}
    beside.mkdir(parents=True)
    (beside / "libgomp.so.1").touch()
    assert with_openmp({"A": "b"}, tmp_path) == {"A": "b", "LD_LIBRARY_PATH": str(beside)}
    assert with_openmp({"LD_LIBRARY_PATH": "/opt/lib"}, tmp_path) == {"LD_LIBRARY_PATH": f"{beside}:/opt/lib"}
