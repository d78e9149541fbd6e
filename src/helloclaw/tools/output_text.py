"""A command's bytes as text for a model or a screen: decoded line by line, without terminal escapes. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

# A line that does not end is passed on in pieces of this many bytes.
_LINE_BYTES = 64 * 1024
_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b\][^\x07\x1b\r\n]*(?:\x07|\x1b\\)?"  # OSC: titles, links
    r"|\x1b[PX^_][^\x1b\r\n]*(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]?"
)
_OVERSTRUCK = re.compile(r"[^\n]\x08")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class OutputDecoder:
    """Takes bytes as they come and gives back text, whole lines at a time.

    Each line is UTF-8, or else the first of `fallbacks` that fits it: programs of several encodings may share a pipe.
    """

    def __init__(self, fallbacks: Sequence[str] = ("gb18030",)) -> None:
        self._fallbacks = fallbacks
        self._rest = b""

    def feed(self, data: bytes) -> str:
        lines, newline, rest = (self._rest + data).rpartition(b"\n")
        text = self._decode(lines + newline)
        if len(rest) > _LINE_BYTES:
            rest = _last_overwrite(rest)
        while len(rest) > _LINE_BYTES:
            cut = _character_start(rest, _LINE_BYTES)
            text += self._decode(rest[:cut])
            rest = rest[cut:]
        self._rest = rest
        return text

    def flush(self) -> str:
        """The last line, if nothing ended it."""
        rest, self._rest = self._rest, b""
        return self._decode(rest)

    def _decode(self, data: bytes) -> str:
        try:
            return cleaned(data.decode("utf-8"))
        except UnicodeDecodeError:
            lines = data.splitlines(keepends=True)
            return cleaned("".join(decode_line(line, self._fallbacks) for line in lines))


def decode_line(line: bytes, fallbacks: Sequence[str] = ("gb18030",)) -> str:
    """A line of unknown encoding: UTF-8, else the first of `fallbacks` that fits, else UTF-8 with its faults marked."""
    for codec in ("utf-8", *fallbacks):
        try:
            return line.decode(codec)
        except UnicodeDecodeError:
            continue
    return line.decode("utf-8", "replace")


def cleaned(text: str) -> str:
    """`text` as a terminal would leave it: no escapes, overwritten parts of a line gone, no control characters."""
    if not _CONTROL.search(text):
        return text
    text = _ESCAPE.sub("", text)
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    if "\x08" in text:
        text = _OVERSTRUCK.sub("", text)
    return _CONTROL.sub("", text)


def _last_overwrite(line: bytes) -> bytes:
    """A progress bar rewrites its line after each return; only the last writing counts."""
    body = line.rstrip(b"\r")
    return body.rpartition(b"\r")[2] + line[len(body) :]


def _character_start(data: bytes, limit: int) -> int:
    """The last offset up to `limit` at which a UTF-8 character can start."""
    for cut in range(limit, limit - 4, -1):
        if data[cut] & 0xC0 != 0x80:
            return cut
    return limit
