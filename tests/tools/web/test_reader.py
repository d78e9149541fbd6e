"""What documents of each kind read like."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter

from helloclaw.tools.base import ToolError
from helloclaw.tools.web.readable import MAX_LINKS, MAX_TEXT_CHARS, Readable, readable
from helloclaw.tools.web.reader import Document, Reading, kind_of, read
from helloclaw.tools.web.reader_process import read_apart
from tests.tools.web.pages import PAGE, PAGE_TEXT, pdf

URL = "https://example.org/a/b"


def reading(body: bytes | str, content_type: str = "", *, cut: bool = False) -> Reading:
    return Reading(url=URL, content_type=content_type, body=body.encode() if isinstance(body, str) else body, cut=cut)


def test_a_page_is_its_text_with_whole_links() -> None:
    assert readable(PAGE, URL) == Readable(
        title="Claws & 爪子",
        text=PAGE_TEXT,
        links=(
            "https://example.org/",
            "https://example.org/nav",
            "https://example.org/docs/guide.html",
            "https://other.org/x?a=1&b=2#c",
            "https://example.org/imprint",
        ),
    )


@pytest.mark.parametrize(
    "page", ["", " ", "<html></html>", "<!-- only a remark -->", "<body><script>x</script></body>", "\0"]
)
def test_a_page_may_be_empty(page: str) -> None:
    assert readable(page, URL) == Readable()


def test_a_page_that_is_all_navigation_is_shown() -> None:
    page = "<body><nav><a href=/a>One</a></nav><footer>Two</footer></body>"
    assert readable(page, URL).text == "[One](https://example.org/a)\n\nTwo"


def test_a_broken_page_is_read_as_browsers_do() -> None:
    assert readable("<p>one<p>two <b>three</p>four &amp <a href='x", URL).text.startswith("one\n\ntwo **three**")
    assert readable("a < b & c", URL).text == "a < b & c"


@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "blockquote", "table><tr><td", "a href=/x"])
def test_deep_nesting_does_no_harm(tag: str) -> None:
    readable("<p>begin</p>" + f"<{tag}>" * 100_000 + "end", URL)


def test_a_long_page_is_shortened_and_its_links_are_counted() -> None:
    page = "".join(f"<p><a href='/{number}'>link</a> {'x' * 100}</p>" for number in range(3000))
    found = readable(page, URL)
    assert (found.more, len(found.links)) == (True, MAX_LINKS)
    assert MAX_TEXT_CHARS < len(found.text) < 2 * MAX_TEXT_CHARS


@pytest.mark.parametrize(
    ("body", "content_type", "kind"),
    [
        ("<p>x", "text/html", "html"),
        ("<p>x", "application/xhtml+xml; charset=utf-8", "html"),
        ("<!DOCTYPE html><html>", "", "html"),
        ("<p>x", "text/plain", "text"),
        ("{}", "application/json", "json"),
        ("{}", "application/ld+json", "json"),
        ("<rss/>", "application/rss+xml", "text"),
        ("a,b", "text/csv", "text"),
        ("words", "", "text"),
        ("words", "application/octet-stream", "text"),
        (b"%PDF-1.7", "application/octet-stream", "pdf"),
        (b"%PDF-1.7", "text/html", "pdf"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "image/png", "binary"),
        (b"PK\x03\x04\x14\0", "application/zip", "binary"),
        (b"text\0text", "text/plain", "binary"),
        (b"\x01\x02\x03\x04", "", "binary"),
        ("words", "video/mp4", "binary"),
        ("\ufeffwide".encode("utf-16-le"), "text/plain", "text"),
    ],
)  # fmt: skip
def test_kinds(body: bytes | str, content_type: str, kind: str) -> None:
    assert kind_of(reading(body, content_type)) == kind


def test_json_is_laid_out_in_its_own_order() -> None:
    body = '{"b":1,"a":["中文",null]}'
    text = '{\n  "b": 1,\n  "a": [\n    "中文",\n    null\n  ]\n}'
    assert read(reading(body, "application/json")) == Document(kind="json", text=text)
    assert read(reading('{"b":1,', "application/json")) == Document(kind="json", text='{"b":1,')
    assert read(reading("[" * 100_000, "application/json")).text == "[" * 100_000


def test_text_is_itself_without_what_nobody_sees() -> None:
    hidden = "a\u200bb\u202ec\U000e0041d\r\ne"
    assert read(reading(hidden, "text/plain")) == Document(kind="text", text="abcd\ne")


def test_a_pdf_by_its_pages() -> None:
    assert read(reading(pdf("Hello claws", "Second page"), "application/pdf")) == Document(
        kind="pdf", title="A paper", text="[page 1 of 2]\nHello claws\n\n[page 2 of 2]\nSecond page"
    )


def test_pdfs_that_cannot_be_read_say_why() -> None:
    writer = PdfWriter(PdfReader(io.BytesIO(pdf("secret"))))
    writer.encrypt("password", algorithm="RC4-128")
    locked = io.BytesIO()
    writer.write(locked)
    assert read(reading(locked.getvalue())).problem == "it needs a password"
    assert read(reading(b"%PDF-1.4 junk")).problem.startswith("it can't be read")
    assert read(reading(pdf("x")[:200], cut=True)).problem == "it is longer than what was read of it"


@given(st.binary(), st.sampled_from(["", "text/html", "application/json", "text/plain", "application/pdf"]))
def test_any_bytes_are_read(body: bytes, content_type: str) -> None:
    read(reading(body, content_type))
    read(reading(b"%PDF-" + body, content_type))


async def test_the_process_of_its_own_reads_alike() -> None:
    for each in (reading(PAGE.encode("gb18030"), "text/html; charset=gbk"), reading(pdf("x")), reading(b"\0")):
        assert await read_apart(each, 30) == read(each)


async def test_reading_ends_when_its_time_is_up() -> None:
    endless = reading("<p>" + "<b>word</b> <a href=x>y</a> " * 60_000, "text/html")
    with pytest.raises(ToolError, match=r"reading it takes more than 0 s; it was given up"):
        await read_apart(endless, 0.05)


async def test_reading_may_not_fill_the_memory() -> None:
    page = reading("<p>" + "<b>word</b> " * 400_000, "text/html")
    with pytest.raises(ToolError, match="failed or took too much memory"):
        await read_apart(page, 60, memory_bytes=100 * 1024 * 1024)
