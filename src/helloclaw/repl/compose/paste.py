"""Pastes: cleaned, and long ones as a placeholder in the input line that stands for the text until it is submitted.

Pure, but for `image_path`, which looks whether a pasted path names an image.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from helloclaw.i18n import Texts

LONG_LINES = 8
LONG_CHARS = 1000
_PATH_CHARS = 4096

_DROPPED = {code: None for code in (*range(32), *range(127, 160)) if code not in (9, 10)}
IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp")


def cleaned(data: str) -> str:
    """A paste as text: line ends are `\\n`, other control characters are gone."""
    return data.replace("\r\n", "\n").replace("\r", "\n").translate(_DROPPED)


def is_long(text: str) -> bool:
    return len(text) > LONG_CHARS or text.count("\n") >= LONG_LINES


class Pastes:
    """The long pastes of one message, by the placeholder that stands for each."""

    def __init__(self, say: Texts) -> None:
        self._say = say
        self._by_label: dict[str, str] = {}
        self._count = 0

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self._by_label)

    def add(self, text: str) -> str:
        """The placeholder for a long paste."""
        self._count += 1
        lines = text.count("\n") + (not text.endswith("\n"))
        key, size = ("compose.paste.lines", lines) if lines > 1 else ("compose.paste.characters", len(text))
        label = self._say(key, number=self._count, count=size)
        self._by_label[label] = text
        return label

    def expand(self, text: str) -> str:
        """`text` with each placeholder replaced by what it stands for."""
        if not self._by_label:
            return text
        pattern = "|".join(map(re.escape, self._by_label))
        return re.sub(pattern, lambda found: self._by_label[found[0]], text)

    def without(self, text: str) -> str | None:
        """`text` without what long pastes stand for; None where it has none."""
        found = spans(text, self._by_label)
        if not found:
            return None
        starts = (0, *(end for _, end in found))
        ends = (*(start for start, _ in found), len(text))
        return "\n".join(text[start:end] for start, end in zip(starts, ends, strict=True))

    def before(self, text: str, pasted: str) -> str | None:
        """The placeholder that `text` ends with, if it stands for `pasted`."""
        found = (label for label, content in self._by_label.items() if content == pasted and text.endswith(label))
        return next(found, None)


def spans(text: str, labels: Iterable[str]) -> list[tuple[int, int]]:
    """Where placeholders stand, as (start, end) in order."""
    pattern = "|".join(map(re.escape, labels))
    return [found.span() for found in re.finditer(pattern, text)] if pattern else []


def outside(text: str, cursor: int, before: int, labels: Iterable[str]) -> int:
    """Where a cursor that came from `before` may stand: never inside a placeholder."""
    for start, end in spans(text, labels):
        if start < cursor < end:
            return start if cursor < before else end
    return cursor


def whole(before: str, after: str, labels: Iterable[str]) -> tuple[str, int] | None:
    """The text and cursor to have instead of `after`, if the change hurt a placeholder: then it goes as a whole.

    The change is taken as one replacement of neighbouring characters.
    """
    hurt = spans(before, labels)
    # Where equal characters are side by side it can't be told which of them went; what matters is who is left.
    if not any(before.count(label) > after.count(label) for label in {before[left:right] for left, right in hurt}):
        return None
    start = _common(before, after)
    rest = min(len(before), len(after)) - start
    tail = _common(before[: -rest - 1 : -1], after[: -rest - 1 : -1])
    end = len(before) - tail
    inserted = after[start : len(after) - tail]
    cut_start, cut_end = start, end
    for left, right in hurt:
        if start < right and left < end and (left < start or end < right):
            cut_start, cut_end = min(cut_start, left), max(cut_end, right)
    if (cut_start, cut_end) == (start, end):
        return None
    return before[:cut_start] + inserted + before[cut_end:], cut_start + len(inserted)


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def image_path(pasted: str, workdir: Path) -> str | None:
    """The path of an existing image file, if that is all that was pasted: plain, quoted, escaped or a file URL."""
    text = pasted.strip()
    if not text or len(text) > _PATH_CHARS or "\n" in text:
        return None
    path = unquoted(text)
    if not path.lower().endswith(IMAGE_ENDINGS):
        return None
    try:
        return path if (workdir / os.path.expanduser(path)).is_file() else None
    except (OSError, ValueError):
        return None


def unquoted(text: str) -> str:
    """A path as a file manager or a shell writes it, without quotes, escapes or `file://`."""
    if text.lower().startswith("file://"):
        from urllib.parse import unquote, urlsplit

        try:
            return unquote(urlsplit(text.replace("#", "%23").replace("?", "%3F")).path)
        except ValueError:
            return text
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return re.sub(r"\\(.)", r"\1", text) if os.name != "nt" else text


def mention(path: str) -> str:
    """`path` as one writes it to mention it."""
    return f'@"{path}"' if re.search(r"\s", path) else f"@{path}"
