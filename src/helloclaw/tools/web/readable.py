"""An HTML page as Markdown: its title, what it says, and its links as whole URLs; not what is around it. Pure.

Runs in the reader's process only: pages are built to be read by browsers, not by us.
"""

from __future__ import annotations

import importlib
import re
from typing import Any
from urllib.parse import urljoin

from msgspec import Struct

MAX_LINKS = 2000
MAX_TEXT_CHARS = 200_000
# Never text of the page.
_DROPPED = [
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "math",
    "iframe",
    "object",
    "embed",
    "audio",
    "video",
    "canvas",
    "head",
    "button",
    "input",
    "select",
    "textarea",
    "datalist",
    "dialog",
]
# Around the text, where a page says so.
_AROUND = ("nav", "aside", "footer", "header")
_ROLES_AROUND = ("navigation", "banner", "contentinfo", "complementary", "search")
_ENOUGH_CHARS = 200
_MOST = 0.4
_NO_MEMORY = 2  # libxml2's XML_ERR_NO_MEMORY
_SPACE = re.compile(r"\s+")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


class Readable(Struct, frozen=True, kw_only=True):
    """`links` are those of the whole page, in order, each once. `more`: the page goes on after `text`."""

    title: str = ""
    text: str = ""
    links: tuple[str, ...] = ()
    more: bool = False


def readable(page: str, url: str) -> Readable:
    """The page at `url` as Markdown. A page without text gives an empty text. Raises `MemoryError`."""
    html: Any = importlib.import_module("lxml.html")  # it has no type hints
    etree: Any = importlib.import_module("lxml.etree")
    # As bytes with a known encoding: a declaration within the text must not count any more.
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = html.document_fromstring(page.replace("\0", "").encode("utf-8", "replace"), parser=parser)
    except etree.ParserError:  # so it calls a document without anything in it
        return Readable()
    except etree.XMLSyntaxError as error:
        if any(entry.type == _NO_MEMORY for entry in parser.error_log):
            raise MemoryError from error
        return Readable()
    title = _title(root)
    base = _base(root, url)
    for element in list(root.iter(*_DROPPED)):
        element.drop_tree()
    links = _link(root, base)
    _name_images(root)
    body = root.find("body")
    body = root if body is None else body
    for element in body.xpath(".//*[@hidden or @aria-hidden='true' or @style]"):
        hidden = "style" not in element.attrib or _HIDDEN.search(element.get("style")) or "hidden" in element.attrib
        if hidden and element.getparent() is not None:
            element.drop_tree()
    content = _main(body)
    more = _shorten(content, MAX_TEXT_CHARS)
    return Readable(title=title, text=_markdown(html, content), links=links, more=more)


def _title(root: Any) -> str:
    title = _flat(" ".join(root.xpath("(//head//title | //title)[1]//text()")))
    return title or _flat(" ".join(root.xpath("(//meta[@property='og:title']/@content)[1]")))


def _base(root: Any, url: str) -> str:
    given = next(iter(root.xpath("//base/@href")), "")
    try:
        return urljoin(url, given.strip())
    except ValueError:
        return url


def _link(root: Any, base: str) -> tuple[str, ...]:
    """Make links whole; those that lead to no page (`javascript:`, `data:`) and within it become text."""
    links: dict[str, None] = {}
    for element in root.iter("a", "area"):
        href = element.attrib.pop("href", "").strip()
        element.attrib.pop("title", None)
        try:
            whole = _whole(base, href)
        except ValueError:
            whole = ""
        if whole.startswith(("http://", "https://", "mailto:")):
            element.set("href", whole)
            if len(links) < MAX_LINKS and not whole.startswith("mailto:"):
                links[whole] = None
        elif element.tag == "a":
            element.tag = "span"
    return tuple(links)


def _whole(base: str, href: str) -> str:
    if not href or href.startswith(("http://", "https://", "#")):
        return href
    return urljoin(base, href).replace(" ", "%20")


def _name_images(root: Any) -> None:
    """An image is what it shows, in words."""
    for element in list(root.iter("img")):
        alt = _flat(element.get("alt") or "")
        element.tail = (f"[{alt}] " if alt else "") + (element.tail or "")
        element.drop_tree()


def _main(body: Any) -> Any:
    """What the page is about: its `main` or only `article` if most of the text is in it, else all but the frame."""
    whole = _length(body)
    marked: list[Any] = body.xpath(".//main | .//*[@role='main']")
    articles: list[Any] = body.xpath(".//article[not(ancestor::article)]")
    for found in (marked[:1], articles if len(articles) == 1 else []):
        for element in found:
            if _length(element) >= max(_ENOUGH_CHARS, _MOST * whole):
                return _without_frame(element)
    return _without_frame(body)


def _without_frame(content: Any) -> Any:
    """`content` without navigation and the like; all of it, if hardly anything would be left."""
    roles = " or ".join(f"@role='{role}'" for role in _ROLES_AROUND)
    names = " or ".join(f"self::{name}" for name in _AROUND)
    around = content.xpath(f".//*[({names} or {roles}) and not(ancestor::article) and not(.//h1)]")
    frame = sum(_length(each) for each in around)
    if _length(content) - frame < min(_ENOUGH_CHARS, _MOST * _length(content)):
        return content
    for element in around:
        if element.getparent() is not None:
            element.drop_tree()
    return content


def _shorten(content: Any, room: int) -> bool:
    """Drop what comes after `room` characters of text; whether there was any."""
    for element in content.iter():
        room -= len(element.text or "") + len(element.tail or "")
        if room < 0:
            while element is not content:
                for after in list(element.itersiblings()):
                    after.getparent().remove(after)
                element = element.getparent()
            return True
    return False


def _length(element: Any) -> int:
    return len(_SPACE.sub("", element.text_content()))


def _markdown(html: Any, content: Any) -> str:
    from html_to_markdown import ConversionOptions, PreprocessingOptions, convert

    content.tail = None
    markup = html.tostring(content, encoding="unicode")
    options = ConversionOptions(
        extract_metadata=False,
        autolinks=False,
        bullets="-",
        compact_tables=True,
        preprocessing=PreprocessingOptions(enabled=False),
    )
    text = convert(markup, options).content or ""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in text.splitlines())).strip()


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text).strip()[:500]
