"""Which characters a page's bytes are: its mark, header or meta tag says, if the bytes agree; else they are judged.

Names are read as browsers read them (https://encoding.spec.whatwg.org/): GB2312 and GBK as GB18030, Latin-1 as
Windows-1252, Big5 with its Hong Kong characters.
"""

from __future__ import annotations

import codecs
import re

from helloclaw.tools.text import detect

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_AS_BROWSERS_READ = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "hz": "gb18030",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "tis-620": "cp874",
}
# What statistics may choose. Western languages look alike in several others, and are nearly always Windows-1252.
_BEYOND_LATIN = frozenset(
    {"gb18030", "big5hkscs", "cp932", "euc_jp", "cp949", "cp1251", "koi8-r", "cp1253", "cp1255", "cp1256", "cp874"}
)
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_IN_META = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_IN_XML = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]+)", re.IGNORECASE)
_META_BYTES = 4096
_SAMPLE_BYTES = 256 * 1024
_STATISTICS_BYTES = 32


def decode(body: bytes, content_type: str = "", *, cut: bool = False) -> str:
    """`body` as text. `cut`: its end is missing, so half a character there is no fault."""
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return _text(body[len(mark) :], codec)
    for codec in _named(body, content_type):
        if _fits(body, codec, cut=cut):
            return _text(body, codec)
    return _text(body, _judged(body, cut=cut))


def _named(body: bytes, content_type: str) -> list[str]:
    """What header and tags name, in the order in which they count, then UTF-8, which no other text looks like."""
    head = body[:_META_BYTES]
    names = [found[1] for found in [_IN_HEADER.search(content_type)] if found]
    names += [found[1].decode("ascii") for found in (_IN_XML.search(head), _IN_META.search(head)) if found]
    codecs_named = [codec for name in names if (codec := _codec(name))]
    # A page whose bytes could be read says itself in ASCII: it is none of these.
    in_bytes = [codec for codec in codecs_named if not codec.startswith(("utf-16", "utf-32")) or b"\0" in head]
    return [*in_bytes, "utf-8"]


def _codec(name: str) -> str | None:
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    is_text = getattr(found, "_is_text_encoding", True)
    return _AS_BROWSERS_READ.get(found.name, found.name) if is_text else None


def _fits(body: bytes, codec: str, *, cut: bool) -> bool:
    """Whether nearly all of the body can be read so: a stray byte does not make a page one of another language."""
    try:
        codecs.getincrementaldecoder(codec)("strict").decode(body, final=not cut)
    except UnicodeDecodeError:
        text = _text(body, codec)
        beyond = sum(1 for each in text if each > "\x7f")
        return text.count("\ufffd") * 20 < beyond
    return True


def _judged(body: bytes, *, cut: bool) -> str:
    """The encoding that fits best. Statistics need some text; less than that is Chinese if it can be."""
    sample = body[:_SAMPLE_BYTES]
    cut = cut or len(body) > len(sample)
    found = detect(sample, whole=not cut)
    guess = "gb18030" if found and found.codec == "gb18030" else "cp1252"
    if guess == "gb18030" and sum(byte > 0x7F for byte in sample) < _STATISTICS_BYTES:
        return guess
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    codec = _codec(best.encoding) if best else None
    return codec if codec in _BEYOND_LATIN and _fits(sample, codec, cut=cut) else guess


def _text(body: bytes, codec: str) -> str:
    return body.decode(codec, "replace")
