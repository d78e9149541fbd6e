"""The bytes of an answer as text to read, whatever they are: HTML, PDF, JSON, plain text. Pure.

It runs in a process of its own (`reader_process`), so that a page made to hang, to crash or to fill the memory of a
parser harms nobody else.
"""

from __future__ import annotations

import json
import re
from typing import Literal

from msgspec import Struct

from helloclaw.tools.web.charset import decode

MAX_TEXT_CHARS = 1_000_000
MAX_PDF_PAGES = 300
_INVISIBLE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_TEXT_TYPES = frozenset(
    f"application/{name}"
    for name in ("xml", "javascript", "ecmascript", "yaml", "x-yaml", "toml", "x-sh", "sql", "x-ndjson", "jsonl")
)
_SNIFFED = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/unknown"})
_HTML_SIGNS = re.compile(rb"<(!doctype\s+html|html|head|body|title|div|p|table|h1|script|meta)\b", re.IGNORECASE)

Kind = Literal["html", "pdf", "json", "text", "binary"]


class Reading(Struct, frozen=True, kw_only=True):
    """What is to be read: `content_type` as the header says it, `cut` if the end of `body` is missing."""

    url: str
    content_type: str
    body: bytes
    cut: bool = False


class Document(Struct, frozen=True, kw_only=True):
    """What was read. `problem` says what could not be. `more`: there was more text than is kept."""

    kind: Kind
    title: str = ""
    text: str = ""
    links: tuple[str, ...] = ()
    more: bool = False
    problem: str = ""


def kind_of(reading: Reading) -> Kind:
    """By the header, or by the bytes where that says nothing. Bytes with zeros are no text, whatever it says."""
    media = reading.content_type.partition(";")[0].strip().lower()
    head = reading.body[:2048]
    if head.startswith(b"%PDF-") or media == "application/pdf":
        return "pdf"
    if (
        b"\0" in head
        and not head.startswith((b"\xff\xfe", b"\xfe\xff"))
        and "utf-16" not in reading.content_type.lower()
    ):
        return "binary"
    if media in ("text/html", "application/xhtml+xml"):
        return "html"
    if media == "application/json" or media.endswith("+json"):
        return "json"
    if media.startswith("text/") or media in _TEXT_TYPES or media.endswith("+xml"):
        return "text"
    if media not in _SNIFFED:
        return "binary"
    if _HTML_SIGNS.search(head):
        return "html"
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)
    return "binary" if controls > len(head) / 20 else "text"


def read(reading: Reading) -> Document:
    kind = kind_of(reading)
    match kind:
        case "binary":
            return Document(kind=kind)
        case "pdf":
            return _pdf(reading)
        case "html":
            return _html(reading)
        case "json" | "text":
            text = decode(reading.body, reading.content_type, cut=reading.cut)
            return _document(kind, _pretty(text) if kind == "json" else text)


def _document(kind: Kind, text: str, title: str = "", links: tuple[str, ...] = (), *, more: bool = False) -> Document:
    text = _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return Document(
        kind=kind,
        title=_INVISIBLE.sub("", title),
        text=text[:MAX_TEXT_CHARS],
        links=links,
        more=more or len(text) > MAX_TEXT_CHARS,
    )


def _html(reading: Reading) -> Document:
    from helloclaw.tools.web.readable import readable

    page = readable(decode(reading.body, reading.content_type, cut=reading.cut), reading.url)
    return _document("html", page.text, page.title, page.links, more=page.more)


def _pretty(text: str) -> str:
    """JSON on lines of its own, in its own order; what is not quite JSON stays as it is."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text


def _pdf(reading: Reading) -> Document:
    import io
    import logging

    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    title, text, more, page = "", "", False, 0
    try:
        document = PdfReader(io.BytesIO(reading.body))
        if document.is_encrypted and not document.decrypt(""):
            return Document(kind="pdf", problem="it needs a password")
        title = str((document.metadata and document.metadata.title) or "")[:500]
        total = len(document.pages)
        for page in range(total):
            text += f"[page {page + 1} of {total}]\n{document.pages[page].extract_text().strip()}\n\n"
            if more := page + 1 < total and (len(text) > MAX_TEXT_CHARS or page + 1 == MAX_PDF_PAGES):
                break
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError, NotImplementedError) as error:
        if not page:
            cut = (
                "it is longer than what was read of it" if reading.cut else f"it can't be read ({type(error).__name__})"
            )
            return Document(kind="pdf", problem=cut)
        more = True
    return _document("pdf", text.strip(), title, more=more)
