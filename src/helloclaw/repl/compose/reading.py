"""One path that a message mentions, read for the model: a file as numbered lines, a directory as a list, an image."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from helloclaw.i18n import Phrase
from helloclaw.i18n.system import reason_of
from helloclaw.llm.messages import ImageBlock
from helloclaw.tools.base import ToolError
from helloclaw.tools.paths import open_regular, resolve_path, shown
from helloclaw.tools.text import decode, detect
from helloclaw.wording.plain import one_line

FILE_LINES = 2000
FILE_CHARS = 100_000
LISTED = 500
"""Entries of a directory that are listed."""

_WHOLE_BYTES = 16 * 1024 * 1024
# Of a larger file this much is read: more than any cut text has in bytes.
_PART_BYTES = 1024 * 1024
_IMAGES = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))


def existing(raw: str, workdir: Path) -> Path | None:
    """Where a path as a person writes it leads, if there is anything."""
    try:
        path = resolve_path(raw, workdir)
        return path if os.path.lexists(path) else None
    except (ToolError, OSError, ValueError):
        return None


def read(raw: str, path: Path, workdir: Path) -> str | ImageBlock | Phrase:
    """What the model gets of the resolved `path`: a block or an image; else what to tell the person about `raw`."""
    name = one_line(raw, 200)
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            return listing(path, workdir)
        if not stat.S_ISREG(kind):
            return Phrase("compose.mention.special", path=name)
        with open_regular(path) as stream:
            data = stream.read(_WHOLE_BYTES + 1)
    except OSError as error:
        return Phrase("compose.mention.unreadable", path=name, reason=reason_of(error))
    except ToolError as error:
        return Phrase("compose.mention.unreadable", path=name, reason=one_line(str(error), 200))
    if media_type := image_type(data):
        return _image(name, data, media_type)
    return numbered(shown(path, workdir), data) or Phrase("compose.mention.binary", path=name)


def _image(name: str, data: bytes, media_type: str) -> ImageBlock | Phrase:
    from helloclaw.llm.images import ImageTooLarge, fit_image

    if len(data) > _WHOLE_BYTES:
        return Phrase("compose.mention.image", path=name, reason=f"> {_WHOLE_BYTES // 1024 // 1024} MB")
    try:
        return fit_image(data, media_type)
    except ImageTooLarge as error:
        return Phrase("compose.mention.image", path=name, reason=str(error))


def image_type(head: bytes) -> str | None:
    """The media type of an image by its magic number."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((media_type for magic, media_type in _IMAGES if head.startswith(magic)), None)


def numbered(name: str, data: bytes) -> str | None:
    """A file as a block for the model: numbered lines, cut where it is long; None when it is binary."""
    content = _decoded(data)
    if content is None:
        return None
    lines = content.replace("\r\n", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    shown_lines: list[str] = []
    room = FILE_CHARS
    for number, line in enumerate(lines[:FILE_LINES], 1):
        row = f"{number}\t{line}"
        if len(row) > room:
            break
        shown_lines.append(row)
        room -= len(row) + 1
    return "\n".join([f'<file path="{_attribute(name)}">', *shown_lines, *_remark(lines, shown_lines, data), "</file>"])


def _remark(lines: list[str], shown_lines: list[str], data: bytes) -> list[str]:
    if not lines:
        return ["[the file is empty]"]
    if len(shown_lines) == len(lines) and len(data) <= _WHOLE_BYTES:
        return []
    total = f" of {len(lines)}" if len(data) <= _WHOLE_BYTES else ""
    if not shown_lines:
        return [f"1\t{lines[0][: FILE_CHARS - 2]}", f"[cut within line 1{total}; use a tool to read on]"]
    return [f"[cut after line {len(shown_lines)}{total}; use read_file to read on]"]


def _decoded(data: bytes) -> str | None:
    if len(data) <= _WHOLE_BYTES:
        text = decode(data)
        return text.content if text else None
    part = data[:_PART_BYTES]
    encoding = detect(part, whole=False)
    return part[len(encoding.mark) :].decode(encoding.codec, "replace") if encoding else None


def listing(path: Path, workdir: Path) -> str:
    """A directory as a block for the model: its entries, directories with a slash. Raises `OSError`."""
    with os.scandir(path) as entries:
        names = sorted(os.fsencode(entry.name).decode("utf-8", "replace") + "/" * entry.is_dir() for entry in entries)
    more = [f"[{len(names) - LISTED} more]"] if len(names) > LISTED else []
    body = names[:LISTED] or ["[the directory is empty]"]
    return "\n".join([f'<directory path="{_attribute(shown(path, workdir))}">', *body, *more, "</directory>"])


def _attribute(text: str) -> str:
    return one_line(text).replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
