"""Bytes of a file as text and back: which encoding, BOM and line endings it has, so that a change keeps them. Pure."""

from __future__ import annotations

import codecs
from itertools import islice
from typing import Literal

from msgspec import Struct

Newline = Literal["\n", "\r\n"]

# Longest first: the UTF-32 mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NAMES = {"utf-8": "UTF-8", "gb18030": "GB18030", "latin-1": "Latin-1"}


class Encoding(Struct, frozen=True, kw_only=True):
    """A codec by its Python name, and the byte order mark before the text, if any."""

    codec: str
    mark: bytes = b""

    @property
    def plain(self) -> bool:
        """UTF-8 without a mark: what needs no mention."""
        return self.codec == "utf-8" and not self.mark

    @property
    def label(self) -> str:
        name = _NAMES.get(self.codec, self.codec.upper())
        return f"{name} with BOM" if self.mark else name

    @property
    def one_byte_newline(self) -> bool:
        """Whether the byte 0x0A always is a line feed, so that lines can be counted without decoding."""
        return not self.codec.startswith(("utf-16", "utf-32"))


UTF8 = Encoding(codec="utf-8")


class Text(Struct, frozen=True, kw_only=True):
    """A file's whole text as it is (line endings untouched), and how to write it back."""

    content: str
    encoding: Encoding
    newline: Newline


def detect(sample: bytes, *, whole: bool) -> Encoding | None:
    """The encoding of a file that begins with `sample`; None when it is binary. `whole`: the sample is all of it.

    In this order: a byte order mark, UTF-16 by its pattern of zeros, UTF-8, GB18030 where the characters are common
    Chinese ones, else Latin-1, which fits any bytes and loses none.
    """
    for mark, codec in _MARKS:
        if sample.startswith(mark):
            return Encoding(codec=codec, mark=mark)
    if b"\0" in sample:
        return _unmarked_utf16(sample)
    if _control_share(sample) > 0.1:
        return None
    if _decodes(sample, "utf-8", whole=whole):
        return UTF8
    if _decodes(sample, "gb18030", whole=whole) and _reads_as_chinese(sample):
        return Encoding(codec="gb18030")
    return Encoding(codec="latin-1")


def decode(data: bytes) -> Text | None:
    """The whole text of `data`, such that `encode(decode(data).content, …) == data`; None when it is binary."""
    encoding = detect(data, whole=True)
    if encoding is None:
        return None
    body = data[len(encoding.mark) :]
    try:
        content = body.decode(encoding.codec)
        faithful = content.encode(encoding.codec) == body
    except UnicodeDecodeError:
        content, faithful = "", False
    if not faithful:
        if b"\0" in data:
            return None
        encoding = Encoding(codec="latin-1")
        content = data.decode("latin-1")
    return Text(content=content, encoding=encoding, newline=dominant_newline(content))


def encode(content: str, encoding: Encoding) -> bytes:
    """Raises `UnicodeEncodeError` for a character that the encoding does not have."""
    return encoding.mark + content.encode(encoding.codec)


def dominant_newline(content: str) -> Newline:
    """What most lines of `content` end with."""
    crlf = content.count("\r\n")
    return "\r\n" if crlf * 2 > content.count("\n") else "\n"


def with_newline(content: str, newline: Newline) -> str:
    """`content` with every line ended by `newline`."""
    unix = content.replace("\r\n", "\n")
    return unix if newline == "\n" else unix.replace("\n", "\r\n")


def _decodes(sample: bytes, codec: str, *, whole: bool) -> bool:
    try:
        codecs.getincrementaldecoder(codec)().decode(sample, final=whole)
    except UnicodeDecodeError:
        return False
    return True


def _reads_as_chinese(sample: bytes) -> bool:
    """European text in Latin-1 often happens to be valid GB18030, but as characters that nobody uses."""
    text = sample.decode("gb18030", "ignore")
    foreign = list(islice((character for character in text if ord(character) > 0x7F), 2000))
    common = sum(_in_gb2312(character) for character in foreign)
    return common >= 0.7 * len(foreign)


def _in_gb2312(character: str) -> bool:
    try:
        character.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True


def _unmarked_utf16(sample: bytes) -> Encoding | None:
    """UTF-16 without a mark shows by zeros in every other byte; other zeros mean that this is no text."""
    even, odd = sample[0:4096:2], sample[1:4096:2]
    for codec, high, low in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if high.count(0) > 0.4 * len(high) and low.count(0) < 0.05 * len(low):
            return Encoding(codec=codec)
    return None


def _control_share(sample: bytes) -> float:
    head = sample[:4096]
    return sum(byte < 32 and byte not in b"\t\n\r\f\x1b\b" for byte in head) / max(1, len(head))
