"""Patterns match what bash matches."""

from __future__ import annotations

from pathlib import Path

import pytest

from helloclaw.permissions.files import OS_FILES
from helloclaw.permissions.shell.globs import LOOK_LIMIT, Matched, expand
from helloclaw.permissions.shell.words import read_word
from tests.permissions.shell.bash import words_of

_NAMES = [
    "a.py",
    "b.py",
    "ab",
    "-x",
    ".hidden",
    ".env",
    "a b",
    "[x]",
    "sub/a.py",
    "sub/c.md",
    "sub/deep/a.py",
    "文.txt",
]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("globs")
    for name in _NAMES:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (root / "link").symlink_to(root / "sub")
    return root


@pytest.mark.parametrize(
    "text",
    [
        "*",
        "*.py",
        "a*",
        "?b",
        "*/",
        "*/*.py",
        "sub/*",
        "*/deep/*",
        "./*",
        ".*v",
        ".[e]*",
        "*\\ *",
        "'a '*",
        "*.txt",
        "-*",
        "s*/deep/a.py",
        "**",
        "*/*/*",
        "[a]*",
        "\\[*",
        "x*",
        "sub/.*",
    ],
)
def test_bash_agrees(text: str, directory: Path) -> None:
    word = read_word(text, "/home/me")
    assert word.glob is not None
    matched = expand(word.glob, str(directory), OS_FILES)
    assert matched is not None

    (bash,) = words_of([text], directory, directory)
    assert bash is not None
    found = {name for name in bash if name != word.value}

    assert found <= set(matched.names)
    if "[" not in text and not text.endswith(".*"):
        assert found == set(matched.names)


def test_names_reached_through_links_are_not_plain(directory: Path) -> None:
    assert expand("li*/c.md", str(directory), OS_FILES) == Matched(names=("link/c.md",), plain=frozenset())
    assert expand("su*/c.md", str(directory), OS_FILES) == Matched(names=("sub/c.md",), plain=frozenset({"sub/c.md"}))


def test_too_many_entries_are_not_looked_at(tmp_path: Path) -> None:
    for number in range(LOOK_LIMIT + 1):
        (tmp_path / str(number)).touch()

    assert expand("*", str(tmp_path), OS_FILES) is None
