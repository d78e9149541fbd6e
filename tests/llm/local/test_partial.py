from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.llm.local.partial import Partial, WrongBytes
from tests.llm.local.sites import CONTENT, SEGMENT_BYTES, fake_weights


@given(st.lists(st.integers(1, len(CONTENT) - 1), max_size=8))
def test_chunks_of_any_size_make_the_whole(tmp_path_factory: pytest.TempPathFactory, cuts: list[int]) -> None:
    path = tmp_path_factory.mktemp("whole") / "tiny.gguf.partial"
    weights = fake_weights()
    partial = Partial.reopen(path, weights)
    edges = [0, *sorted(set(cuts)), len(CONTENT)]
    for start, end in pairwise(edges):
        partial.append(CONTENT[start:end])
    partial.close()
    assert (partial.complete, partial.sha256(), path.read_bytes()) == (True, weights.sha256, CONTENT)


@pytest.mark.parametrize("kept", [0, 1, SEGMENT_BYTES - 1, SEGMENT_BYTES, SEGMENT_BYTES + 1, len(CONTENT) - 1])
def test_goes_on_after_any_byte(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "tiny.gguf.partial"
    path.write_bytes(CONTENT[:kept])
    partial = Partial.reopen(path, fake_weights())
    assert (partial.size, partial.segment_index) == (kept, kept // SEGMENT_BYTES)
    partial.append(CONTENT[kept:])
    partial.close()
    assert (partial.sha256(), path.read_bytes()) == (fake_weights().sha256, CONTENT)


def test_what_is_wrong_on_disk_is_dropped_from_its_segment_on(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf.partial"
    path.write_bytes(CONTENT[: SEGMENT_BYTES + 5] + b"?" + CONTENT[SEGMENT_BYTES + 6 :])
    partial = Partial.reopen(path, fake_weights())
    partial.close()
    assert (partial.size, path.read_bytes()) == (SEGMENT_BYTES, CONTENT[:SEGMENT_BYTES])


def test_a_wrong_segment_is_refused_and_a_right_one_can_follow(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf.partial"
    partial = Partial.reopen(path, fake_weights())
    partial.append(CONTENT[:SEGMENT_BYTES])
    with pytest.raises(WrongBytes, match="segment 2 has SHA-256"):
        partial.append(bytes(SEGMENT_BYTES))
    assert partial.size == SEGMENT_BYTES
    partial.append(CONTENT[SEGMENT_BYTES:])
    partial.close()
    assert (partial.sha256(), path.read_bytes()) == (fake_weights().sha256, CONTENT)


def test_an_unfinished_segment_can_be_dropped(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf.partial"
    partial = Partial.reopen(path, fake_weights())
    partial.append(CONTENT[: SEGMENT_BYTES + 100])
    partial.drop_unfinished_segment()
    assert partial.size == SEGMENT_BYTES
    partial.append(CONTENT[SEGMENT_BYTES:])
    partial.close()
    assert path.read_bytes() == CONTENT


def test_nothing_fits_beyond_the_end(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf.partial"
    path.write_bytes(CONTENT + b"more")
    partial = Partial.reopen(path, fake_weights())
    with pytest.raises(ValueError, match="1 bytes more"):
        partial.append(b"!")
    partial.close()
    assert path.read_bytes() == CONTENT
