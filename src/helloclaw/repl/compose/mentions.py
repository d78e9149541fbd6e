"""What a message mentions: `@path` of a file or directory, and images named by path, read for the model.

The text itself stays as it was written. What can't be read is only told to the person.
"""

from __future__ import annotations

import asyncio
import os
import re
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from helloclaw.i18n import Phrase
from helloclaw.llm.messages import ImageBlock
from helloclaw.repl.compose.paste import IMAGE_ENDINGS, unquoted
from helloclaw.tools.base import ToolError
from helloclaw.tools.paths import open_regular, resolve_path, shown
from helloclaw.tools.text import Encoding, decode, detect
from helloclaw.wording.plain import one_line

FILE_LINES = 2000
FILE_CHARS = 100_000
LISTED = 500
"""Entries of a directory that are listed."""

MENTIONS = 50
"""Mentions of one message that are read."""

_WHOLE_BYTES = 16 * 1024 * 1024
# Of a larger file this much is read: more than any cut text has in bytes.
_PART_BYTES = 1024 * 1024
_IMAGES = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
_TOKEN_CHARS = 1024
_GUESSES = 32
# A text with more of what could be a mention is code or mail, not a request.
_LOOKED_AT = 500
_WORDS = 20_000

# Not after what makes it an e-mail address or a part of a longer word.
_AT = r"(?<![A-Za-z0-9_.+\-/@])@"
# What follows is only looked at, since the next mention may follow without a blank.
_MENTION = re.compile(_AT + rf'(?=(?:"(?P<quoted>[^"\n]+)"|(?P<bare>[^\s"@]\S{{0,{_TOKEN_CHARS}}})))')
_BARE_IMAGE = re.compile(
    r"""(?<!\S)(?:'(?P<single>[^'\n]+)'|"(?P<double>[^"\n]+)"|(?P<plain>(?:\\.|[^\s\\'"])+))(?!\S)""",
)
_ENDS_AS_IMAGE = re.compile(rf"(?i)(?:{'|'.join(map(re.escape, IMAGE_ENDINGS))})['\"]?(?!\S)")
_CLOSING = " \t,.;:!?)]}>'\"`，。；：！？、）】》”’…"


class Gathered(NamedTuple):
    """Context blocks and images for the model, and what the person should know, in the order of the text."""

    context: tuple[str, ...] = ()
    images: tuple[ImageBlock, ...] = ()
    notices: tuple[Phrase, ...] = ()


def may_mention(text: str) -> bool:
    """Whether `text` could mention anything, judged without looking at a file."""
    return _MENTION.search(text) is not None or _ENDS_AS_IMAGE.search(text) is not None


async def gather(text: str, workdir: Path) -> Gathered:
    """All that `text` mentions, read in a thread."""
    if not may_mention(text):
        return Gathered()
    return await asyncio.to_thread(_gather, text, workdir)


def _gather(text: str, workdir: Path) -> Gathered:
    context: list[str] = []
    images: list[ImageBlock] = []
    notices: list[Phrase] = []
    for number, (raw, path) in enumerate(_named(text, workdir)):
        if number == MENTIONS:
            notices.append(Phrase("compose.mention.many", limit=MENTIONS))
            break
        match _read(raw, path, workdir):
            case str(block):
                context.append(block)
            case ImageBlock() as image:
                images.append(image)
            case notice:
                notices.append(notice)
    return Gathered(tuple(context), tuple(images), tuple(notices))


def _named(text: str, workdir: Path) -> Iterator[tuple[str, Path]]:
    """Each existing path that the text mentions, once, as it is written there and resolved."""
    found: list[tuple[int, str, Path]] = []
    for match in islice(_MENTION.finditer(text), _LOOKED_AT):
        guesses = (match["quoted"],) if match["quoted"] else _guesses(match["bare"])
        hit = next(((raw, path) for raw in guesses if (path := _existing(raw, workdir))), None)
        if hit:
            found.append((match.start(), *hit))
    if _ENDS_AS_IMAGE.search(text):
        for match in islice(_BARE_IMAGE.finditer(text), _WORDS):
            raw = match["single"] or match["double"] or unquoted(match["plain"])
            if raw.lower().endswith(IMAGE_ENDINGS) and (path := _existing(raw, workdir)):
                found.append((match.start(), raw, path))
    seen: set[Path] = set()
    for _, raw, path in sorted(found, key=lambda item: item[0]):
        if path not in seen:
            seen.add(path)
            yield raw, path


def _guesses(token: str) -> Iterator[str]:
    """What of a token may be the path: all of it, or less where punctuation or another script begins."""
    yield token
    ends = [
        at
        for at in range(len(token) - 1, 0, -1)
        if token[at] in _CLOSING or token[at].isascii() != token[at - 1].isascii()
    ]
    for end in ends[:_GUESSES]:
        yield token[:end]


def _existing(raw: str, workdir: Path) -> Path | None:
    try:
        path = resolve_path(raw, workdir)
        return path if os.path.lexists(path) else None
    except (ToolError, OSError, ValueError):
        return None


def _read(raw: str, path: Path, workdir: Path) -> str | ImageBlock | Phrase:
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
        return Phrase("compose.mention.unreadable", path=name, reason=error.strerror or str(error))
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
    encoding: Encoding | None = detect(part, whole=False)
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
