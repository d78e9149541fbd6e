"""A compressed body as it comes, never more of it than asked for: a few kilobytes can stand for gigabytes. Pure."""

from __future__ import annotations

import zlib

_EITHER = zlib.MAX_WBITS | 32  # gzip or zlib, by its header
_RAW = -zlib.MAX_WBITS
ENCODINGS = frozenset({"gzip", "x-gzip", "deflate"})


class Inflater:
    """Takes pieces of gzip or deflate data. Raises `zlib.error` for damaged data."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_EITHER)
        self._started = False
        self._head = b""

    def feed(self, piece: bytes, room: int) -> bytes:
        """At most `room` bytes, room > 0; what does not fit is thrown away."""
        out = bytearray()
        if not self._started and len(self._head + piece) < 2:  # a header has two bytes
            self._head += piece
            return b""
        piece, self._head = self._head + piece, b""
        while piece and len(out) < room:
            out += self._inflate(piece, room - len(out))
            piece = b""
            if self._stream.eof and self._stream.unused_data[:2] == b"\x1f\x8b":  # gzip files may follow each other
                piece = self._stream.unused_data
                self._stream = zlib.decompressobj(_EITHER)
        return bytes(out)

    def _inflate(self, piece: bytes, room: int) -> bytes:
        try:
            out = self._stream.decompress(piece, room)
        except zlib.error:
            if self._started:
                raise
            # Some servers send "deflate" without the zlib header that it should have.
            self._stream = zlib.decompressobj(_RAW)
            out = self._stream.decompress(piece, room)
        self._started = True
        return out
