"""What a message mentions: `@path` of a file or directory, and images named by path, read for the model.

The text itself stays as it was written. What can't be read is only told to the person.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from helloclaw.i18n import Phrase
from helloclaw.repl.compose.paste import IMAGE_ENDINGS, unquoted

if TYPE_CHECKING:
    from helloclaw.llm.messages import ImageBlock

MENTIONS = 50
"""Mentions of one message that are read."""

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
    from helloclaw.repl.compose.reading import existing, read  # costly to import, and a start needs none of it

    context: list[str] = []
    images: list[ImageBlock] = []
    notices: list[Phrase] = []
    for number, (raw, path) in enumerate(_named(text, lambda raw: existing(raw, workdir))):
        if number == MENTIONS:
            notices.append(Phrase("compose.mention.many", limit=MENTIONS))
            break
        match read(raw, path, workdir):
            case str(block):
                context.append(block)
            case Phrase() as notice:
                notices.append(notice)
            case image:
                images.append(image)
    return Gathered(tuple(context), tuple(images), tuple(notices))


def _named(text: str, existing: Callable[[str], Path | None]) -> Iterator[tuple[str, Path]]:
    """Each existing path that the text mentions, once, as it is written there and resolved."""
    found: list[tuple[int, str, Path]] = []
    for match in islice(_MENTION.finditer(text), _LOOKED_AT):
        guesses = (match["quoted"],) if match["quoted"] else _guesses(match["bare"])
        hit = next(((raw, path) for raw in guesses if (path := existing(raw))), None)
        if hit:
            found.append((match.start(), *hit))
    if _ENDS_AS_IMAGE.search(text):
        for match in islice(_BARE_IMAGE.finditer(text), _WORDS):
            raw = match["single"] or match["double"] or unquoted(match["plain"])
            if raw.lower().endswith(IMAGE_ENDINGS) and (path := existing(raw)):
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
