"""URLs have one reading; what could have two is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helloclaw.tools.base import ToolError
from helloclaw.tools.web.urls import Target, join, normal_url, parse_url


def refusal(url: str) -> str:
    with pytest.raises(ToolError) as caught:
        parse_url(url)
    return str(caught.value)


def test_a_url_in_its_parts() -> None:
    assert parse_url("HTTPS://Example.COM.:8443/a%20b/../ä?q=中文&x#top") == Target(
        scheme="https", host="example.com", port=8443, path="/a%20b/../%C3%A4?q=%E4%B8%AD%E6%96%87&x"
    )


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("http://example.org", "http://example.org/"),
        ("HTTP://EXAMPLE.ORG:80/#x", "http://example.org/"),
        ("https://example.org:443/?", "https://example.org/"),
        ("https://example.org.:444", "https://example.org:444/"),
        ("http://例子.中国/路径", "http://xn--fsqu00a.xn--fiqs8s/%E8%B7%AF%E5%BE%84"),
        ("http://ⓔxample.com/", "http://example.com/"),
        ("http://１２７.０.０.１/", "http://127.0.0.1/"),  # to be refused by its address
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("http://a_b.example.org/~x/(y)", "http://a_b.example.org/~x/(y)"),
        ("  http://example.org/a  ", "http://example.org/a"),
    ],
)
def test_one_spelling(url: str, normal: str) -> None:
    assert normal_url(url) == normal


@pytest.mark.parametrize(
    "host",
    [
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "127.0.0.1.",
        "1.2.3.4.5",
        "256.1.1.1",
        "0",
        "a.0x",
        "1",
    ],
)
def test_numbers_that_some_programs_read_as_addresses(host: str) -> None:
    assert refusal(f"http://{host}/") == (
        f"{host!r} is an unusual spelling of an address; write it as four decimal numbers"
    )


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "ftp://example.org/", "//example.org/",
     "example.org", "", "gopher://x/", "http:example.org", "view-source:http://example.org/"],
)  # fmt: skip
def test_only_the_web(url: str) -> None:
    assert "only http and https" in refusal(url) or "names no host" in refusal(url)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://user:pw@example.org/", "has a user name or password in it"),
        ("http://example.org@127.0.0.1/", "has a user name or password in it"),
        ("http://example.org\\@127.0.0.1/", "backslashes"),
        ("http://example.org/a b", "has spaces"),
        ("http://exam\tple.org/", "control characters"),
        ("http://example.org/\r\nHost: x", "control characters"),
        ("http://example.org:22/", "port 22 belongs to another protocol"),
        ("http://example.org:6379/", "port 6379 belongs to another protocol"),
        ("http://example.org:99999/", "is no URL"),
        ("http://example.org:x/", "is no URL"),
        ("http://[::1", "is no URL"),
        ("http://[fe80::1%25eth0]/", "names a network interface"),
        ("http://[::1.2.3]/", "is no"),
        ("http://a..b/", "is no host name"),
        ("http://-a.org/", "is no host name"),
        ("http://exa%6dple.org/", "is no host name"),
        (f"http://{'a' * 64}.org/", "is no host name"),
        ("http://example.org/" + "a" * 8000, "8000 are the limit"),
    ],
)
def test_what_is_refused(url: str, why: str) -> None:
    assert why in refusal(url)


def test_where_links_lead() -> None:
    base = parse_url("https://example.org/a/b?c")
    links = ("d", "../e", "/f g", "?h", "//other.org/i", "https://example.org")
    assert [join(base, link).url for link in links] == [
        "https://example.org/a/d", "https://example.org/e", "https://example.org/f%20g", "https://example.org/a/b?h",
        "https://other.org/i", "https://example.org/",
    ]  # fmt: skip
    with pytest.raises(ToolError):
        join(base, "javascript:alert(1)")


@given(st.text())
def test_any_text_is_a_url_or_refused(text: str) -> None:
    for url in (text, f"http://{text}", f"http://example.org/{text}", f"https://{text}.example.org:8080/?{text}"):
        if (normal := normal_url(url)) is not None:
            assert normal_url(normal) == normal
            assert normal.isascii()
