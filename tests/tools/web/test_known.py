"""Which URLs a text names, and that they are found again however they are spelled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.tools.web.known import MAX_KNOWN, KnownUrls, urls_in


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("see https://example.org/a.", ["https://example.org/a"]),
        ("看https://example.org/路径，再说", ["https://example.org/路径"]),
        ("（https://example.org/a）", ["https://example.org/a"]),
        ("(https://en.wikipedia.org/wiki/A_(b))", ["https://en.wikipedia.org/wiki/A_(b)"]),
        ("[x](https://example.org/y) <https://example.org/z>", ["https://example.org/y", "https://example.org/z"]),
        ("'https://example.org/q?a=1&b=2#c'!", ["https://example.org/q?a=1&b=2#c"]),
        ("http://example.org/", ["http://example.org/"]),
        ("look at example.com/x and www.foo.de", ["http://example.com/x", "http://www.foo.de"]),
        ("打开baidu.com", ["http://baidu.com"]),
        ("README.md main.py a.b.c v1.2.3 me@example.com foo.io.py ../x.com", []),
        ("no address here: https:// http://", []),
    ],
)  # fmt: skip
def test_urls_in_running_text(text: str, urls: list[str]) -> None:
    assert urls_in(text) == urls


def test_a_known_url_is_known_in_any_spelling() -> None:
    known = KnownUrls()
    known.add("Please read http://Example.org:80/docs#intro and https://例子.中国/页")
    spellings = (
        "http://example.org/docs",
        "https://EXAMPLE.org/docs#other",
        "https://xn--fsqu00a.xn--fiqs8s/%E9%A1%B5",
    )
    assert all(each in known for each in spellings)
    others = (
        "http://example.org/docs?leak=1",
        "http://example.org/",
        "http://example.org:81/docs",
        "ftp://example.org/",
    )
    assert not any(each in known for each in others)


def test_the_oldest_are_forgotten() -> None:
    known = KnownUrls()
    known.add("https://example.org/first https://example.org/second")
    assert known.all == {"https://example.org/first", "https://example.org/second"}
    known.add_urls(f"https://example.org/{number}" for number in range(MAX_KNOWN - 1))
    known.add_urls(["https://example.org/second", "javascript:alert(1)"])
    assert len(known.all) == MAX_KNOWN
    assert "https://example.org/first" not in known
    assert "https://example.org/second" in known


def test_what_takes_long_to_search_is_searched_at_once() -> None:
    assert urls_in("https://a.test/" + ")" * 1_000_000) == ["https://a.test/"]
    assert urls_in("a." * 500_000 + " " + "a-" * 500_000) == []
    assert urls_in("https://" * 100_000)[:1] == ["https://" * 100_000]


@given(st.text())
def test_any_text_can_be_searched(text: str) -> None:
    KnownUrls().add(text + " https://" + text)
