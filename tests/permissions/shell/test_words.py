"""What we make of a word is what bash makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helloclaw.permissions.shell.braces import expand_braces
from helloclaw.permissions.shell.words import read_words
from tests.permissions.shell.bash import words_of

_HOME = Path("/home/me")


def values(text: str) -> list[str | None]:
    return [word.value for word in read_words(text, str(_HOME))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls", ["ls"]),
        ("'a b'", ["a b"]),
        ('"a\\"b"', ['a"b']),
        ('"a\\nb"', ["a\\nb"]),
        ("a\\ b", ["a b"]),
        ('r""m', ["rm"]),
        ("$'\\x72\\155'", ["rm"]),
        ("$'a\\'b'", ["a'b"]),
        ("r\\\nm", ["rm"]),
        ("~/x", ["/home/me/x"]),
        ('"$HOME"/x', ["/home/me/x"]),
        ("HEAD~2", ["HEAD~2"]),
        ("HEAD@{1}", ["HEAD@{1}"]),
        ("HEAD^{tree}", ["HEAD^{tree}"]),
        ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
        ("{a,{b,'c d'}}", ["a", "b", "c d"]),
        ("{1..3}", ["1", "2", "3"]),
        ("{c..a}", ["c", "b", "a"]),
        ("{}", ["{}"]),
        ("{a}", ["{a}"]),
        ("a$", ["a$"]),
        ("'$(x)'", ["$(x)"]),
        ("文档", ["文档"]),
    ],
)
def test_text_alone_tells_the_value(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "$x",
        "${x}",
        "${x:-a}",
        "$(x)",
        "`x`",
        '"$(x)"',
        "$((1))",
        "<(x)",
        ">(x)",
        '$"x"',
        "~root",
        "a=~/x",
        "a:~",
        "{01..03}",
        "{1..9..2}",
        "{a,$x}",
        "{1..999}",
    ],
)
def test_what_depends_on_more_than_the_text_has_no_value(text: str) -> None:
    assert values(text)[0] is None


def test_braces_never_make_more_words_than_anybody_means() -> None:
    assert expand_braces("{a,b}" * 9) is None
    assert expand_braces("{" * 5000) is None
    assert len(expand_braces("{a,b}" * 8) or ()) == 256


_PIECES = st.one_of(
    st.text("abc019_./=@%+,:-^", min_size=1, max_size=4),
    st.sampled_from(
        [
            "'a b'",
            "'$x'",
            "'\"'",
            '"a b"',
            '"\\$x"',
            '"\\\\"',
            '"it\'s"',
            "\\ ",
            "\\'",
            "\\$",
            "$'\\t'",
            "$'\\x41\\101\\n'",
            "''",
            '""',
            "{a,b}",
            "{1..3}",
            "{x}",
            "{}",
            "{,}",
            "é",
            "文",
            "\\*",
            '"*"',
            "#",
            "!",
            "~",
        ]
    ),
)


@settings(deadline=None, max_examples=120)
@given(words=st.lists(st.lists(_PIECES, min_size=1, max_size=5).map("".join), min_size=1, max_size=8))
def test_bash_agrees(words: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    empty = tmp_path_factory.getbasetemp() / "empty"
    empty.mkdir(exist_ok=True)
    ours = [values(word) for word in words if not word.startswith("#")]
    known = [
        (word, value)
        for word, value in zip([w for w in words if not w.startswith("#")], ours, strict=True)
        if None not in value
    ]

    for (_, value), bash in zip(known, words_of([word for word, _ in known], empty, _HOME), strict=True):
        # `printf` prints one empty word for none at all.
        assert bash is None or bash == (value or [""])
