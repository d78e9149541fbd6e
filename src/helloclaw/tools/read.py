"""`read_file`: a window of a file as numbered lines, or an image. Of a large file it reads what is asked for."""

from __future__ import annotations

import asyncio
import io
import os
from pathlib import Path
from typing import Annotated, BinaryIO

from msgspec import UNSET, Meta, Struct, UnsetType

from helloclaw.tools.base import Facts, Tool, ToolError, ToolOutput
from helloclaw.tools.context import ToolContext
from helloclaw.tools.paths import open_regular, resolve_path
from helloclaw.tools.text import Encoding, detect

DEFAULT_LINES = 2000
LINE_CHARS = 2000
# Below the 50,000 characters at which a tool's output goes to a file instead of the model.
WINDOW_CHARS = 45_000
# Up to this size a file is read whole: its lines can be counted, and it can be edited later. Above it, only the window.
WHOLE_BYTES = 16 * 1024 * 1024
_SAMPLE = 64 * 1024
_BLOCK = 1024 * 1024
# Of a line longer than this the rest of the file is not looked at: it may be gigabytes without a line end.
_LINE_SCAN_CHARS = 8 * 1024 * 1024

_IMAGES = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
_BINARIES = (
    (b"%PDF", "a PDF document; try `pdftotext`"),
    (b"PK\x03\x04", "a ZIP archive or an Office document; try `unzip -l`"),
    (b"\x1f\x8b", "gzip data; try `zcat`"),
    (b"\x7fELF", "an ELF program or library"),
    (b"SQLite format 3", "an SQLite database; try `sqlite3`"),
)


class ReadFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    path: str
    offset: Annotated[int, Meta(ge=1, description="first line, from 1")] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, description="lines")] | UnsetType = UNSET


class Window(Struct, frozen=True, kw_only=True):
    """Some lines of a file, the first being line `first`; `complete` when the file ends with the last of them.

    `total` counts all lines of the file where that is known.
    """

    lines: tuple[str, ...]
    first: int
    complete: bool
    total: int | None = None
    note: str = ""

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1


async def run(call: ReadFile, context: ToolContext) -> ToolOutput:
    path = context.approved_path(resolve_path(call.path, context.cwd))
    offset = 1 if call.offset is UNSET else call.offset
    limit = DEFAULT_LINES if call.limit is UNSET else call.limit
    return await asyncio.to_thread(_read, path, offset, limit, context)


def _read(path: Path, offset: int, limit: int, context: ToolContext) -> ToolOutput:
    with open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        data = stream.read(WHOLE_BYTES + 1)
        whole = len(data) <= WHOLE_BYTES
        if whole:
            context.ledger.record(path, data)
        sample = data if whole else data[:_SAMPLE]
        if media_type := _image_type(sample):
            return _image(path, media_type, data, size)
        known = _binary_kind(sample)
        encoding = None if known else detect(sample, whole=whole)
        if encoding is None:
            kind = known or "no text; try `file` or `xxd | head`"
            return ToolOutput(text=f"{path} is binary ({_size(size)}): {kind}")
        source = io.BytesIO(data) if whole else stream
        source.seek(len(encoding.mark))
        window = read_window(source, encoding, offset, limit)
    if whole:
        window = _counted(window, data, encoding)
    return ToolOutput(text=render(path, window, encoding))


def read_window(source: BinaryIO, encoding: Encoding, offset: int, limit: int) -> Window:
    """The `limit` lines from line `offset` on, fewer when the file ends or the window is full."""
    if encoding.one_byte_newline and not _skip_lines(source, offset - 1):
        return Window(lines=(), first=offset, complete=True)
    text = io.TextIOWrapper(source, encoding=encoding.codec, errors="replace", newline="\n")
    try:
        if not encoding.one_byte_newline and not all(text.readline() for _ in range(offset - 1)):
            return Window(lines=(), first=offset, complete=True)
        return _collect(text, offset, limit)
    finally:
        text.detach()


def _skip_lines(source: BinaryIO, count: int) -> bool:
    """Move past `count` line feeds without decoding, a block at a time. False when the file has fewer."""
    while count:
        start = source.tell()
        block = source.read(_BLOCK)
        if not block:
            return False
        found = block.count(b"\n")
        if found < count:
            count -= found
            continue
        position = -1
        for _ in range(count):
            position = block.index(b"\n", position + 1)
        source.seek(start + position + 1)
        return True
    return True


def _collect(text: io.TextIOWrapper, offset: int, limit: int) -> Window:
    lines: list[str] = []
    room = WINDOW_CHARS
    while len(lines) < limit:
        line, skipped, ended = _bounded_line(text)
        if not line:
            return Window(lines=tuple(lines), first=offset, complete=True)
        shown = line.rstrip("\r\n")
        if skipped:
            shown += f" [… {skipped}{'' if ended else '+'} more characters in this line]"
        room -= len(shown) + 8
        if lines and room < 0:
            return Window(lines=tuple(lines), first=offset, complete=False)
        lines.append(shown)
        if not ended:
            note = f"line {offset + len(lines) - 1} is too long to look beyond it; use a shell command such as `cut -c`"
            return Window(lines=tuple(lines), first=offset, complete=False, note=note)
    return Window(lines=tuple(lines), first=offset, complete=not text.read(1))


def _bounded_line(text: io.TextIOWrapper) -> tuple[str, int, bool]:
    """The next line cut at `LINE_CHARS`, how many characters were cut, and whether its end was reached."""
    line = text.readline(LINE_CHARS)
    skipped = 0
    piece = line
    while piece and not piece.endswith("\n"):
        if skipped > _LINE_SCAN_CHARS:
            return line, skipped, False
        piece = text.readline(_SAMPLE)
        skipped += len(piece.rstrip("\r\n"))
    return line, skipped, True


def _counted(window: Window, data: bytes, encoding: Encoding) -> Window:
    content = data if encoding.one_byte_newline else data.decode(encoding.codec, "replace").encode()
    total = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
    return Window(lines=window.lines, first=window.first, complete=window.complete, total=total, note=window.note)


def render(path: Path, window: Window, encoding: Encoding) -> str:
    """Numbered lines, then one line in brackets for what the model can't see from them."""
    total = window.total
    if not window.lines and window.first > 1:
        size = f"it has {total} lines" if total is not None else "it has fewer lines"
        raise ToolError(f"{path}: nothing at line {window.first}; {size}")
    notes: list[str] = []
    if not window.lines:
        notes.append("the file is empty")
    elif not window.complete:
        of = f" of {total}" if total is not None else ""
        notes.append(window.note or f"lines {window.first}-{window.last}{of}; read on with offset={window.last + 1}")
    if not encoding.plain:
        notes.append(f"encoding {encoding.label}")
    numbered = [f"{number}\t{line}" for number, line in enumerate(window.lines, window.first)]
    return "\n".join([*numbered, *([f"[{'; '.join(notes)}]"] if notes else [])])


def _image_type(head: bytes) -> str | None:
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((media_type for magic, media_type in _IMAGES if head.startswith(magic)), None)


def _image(path: Path, media_type: str, data: bytes, size: int) -> ToolOutput:
    """The image, scaled down if a provider would refuse it."""
    from helloclaw.llm.images import ImageTooLarge, fit_image

    if len(data) > WHOLE_BYTES:
        raise ToolError(
            f"{path} is an image of {_size(size)}, more than the {_size(WHOLE_BYTES)} that can be shown; "
            "make a smaller copy first"
        )
    try:
        block = fit_image(data, media_type)
    except ImageTooLarge as error:
        raise ToolError(f"{path}: {error}") from error
    return ToolOutput(text=f"{path} ({media_type}, {_size(size)})", images=(block,))


def _binary_kind(head: bytes) -> str | None:
    return next((kind for magic, kind in _BINARIES if head.startswith(magic)), None)


def _size(count: int) -> str:
    """`count` bytes in the unit that keeps it short."""
    size = float(count)
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1024 or unit == "GB":
            break
        size /= 1024
    return f"{size:.0f} {unit}" if unit == "bytes" or size >= 10 else f"{size:.1f} {unit}"


def _facts(call: ReadFile) -> Facts:
    return Facts(reads=(call.path,))


read_file = Tool("read_file", ReadFile, run, read_only=True, parallel_safe=True, facts=_facts)
