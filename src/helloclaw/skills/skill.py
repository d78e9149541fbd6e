"""What a skill is, and a SKILL.md read as one (the format of agentskills.io, with `triggers` added). Pure.

https://agentskills.io/specification: what it demands of names and descriptions is demanded here; what it leaves open,
or is written otherwise than it says, is left out rather than refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, cast

from msgspec import Struct

from helloclaw.i18n import Phrase
from helloclaw.skills.frontmatter import BadHead, fields_of, split
from helloclaw.skills.plain import one_line

FILE = "SKILL.md"
LIMIT_BYTES = 100 * 1024
DESCRIPTION_CHARS = 1024
_COMPATIBILITY_CHARS = 500
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_NAME_CHARS = 64
_MOST_WORDS = 40
_WORD_CHARS = 80
# Between tools, but not within the brackets of one: `Bash(git add:*), Read`.
_BETWEEN_TOOLS = re.compile(r"[\s,]+(?![^()]*\))")
_BETWEEN_TRIGGERS = re.compile(r"[,，、;；\n]")

Where = Literal["project", "person", "shipped"]


class Skill(Struct, frozen=True, kw_only=True):
    """`folder` is the skill's own directory, resolved. All texts are single visible lines.

    `allowed_tools` is what its author would like to be allowed. It allows nothing.
    """

    name: str
    description: str
    where: Where
    folder: Path
    license: str = ""
    compatibility: str = ""
    metadata: tuple[tuple[str, str], ...] = ()
    allowed_tools: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()

    @property
    def file(self) -> Path:
        return self.folder / FILE


def is_name(name: str) -> bool:
    return len(name) <= _NAME_CHARS and _NAME.fullmatch(name) is not None


def parse_skill(text: str, folder: Path, where: Where) -> Skill | Phrase:
    """The skill that `text`, the SKILL.md in `folder`, is; or why it is none."""
    path = one_line(str(folder / FILE), 200)
    document = split(text)
    if document.head is None:
        return Phrase("skills.no_head", path=path)
    try:
        fields = fields_of(document.head)
    except BadHead as error:
        return Phrase(f"skills.head.{error.reason}", path=path, line=error.line)
    name = fields.get("name", folder.name)
    if name != folder.name:
        return Phrase("skills.other_name", path=path, name=one_line(str(name), 64), folder=one_line(folder.name, 64))
    described = fields.get("description")
    description = one_line(described) if isinstance(described, str) else ""
    if not description:
        return Phrase("skills.no_description", path=path)
    if len(description) > DESCRIPTION_CHARS:
        return Phrase("skills.long_description", path=path, limit=DESCRIPTION_CHARS, count=len(description))
    if not document.body.strip():
        return Phrase("skills.empty", path=path)
    return Skill(
        name=folder.name,
        description=description,
        where=where,
        folder=folder,
        license=_text(fields.get("license"), 200),
        compatibility=_text(fields.get("compatibility"), _COMPATIBILITY_CHARS),
        metadata=_metadata(fields.get("metadata")),
        allowed_tools=_words(fields.get("allowed-tools"), _BETWEEN_TOOLS),
        triggers=tuple(each for each in _words(fields.get("triggers"), _BETWEEN_TRIGGERS) if len(each) > 1),
    )


def _text(value: object, limit: int) -> str:
    return one_line(value, limit) if isinstance(value, str) else ""


def _metadata(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict):
        return ()
    pairs = cast("dict[str, object]", value).items()
    return tuple((one_line(key, _WORD_CHARS), one_line(each, 200)) for key, each in pairs if isinstance(each, str))


def _words(value: object, between: re.Pattern[str]) -> tuple[str, ...]:
    """A list's texts, or the parts of one text; no more than a person would write."""
    given: Iterable[object] = ()
    if isinstance(value, str):
        given = between.split(value)
    elif isinstance(value, list):
        given = cast("list[object]", value)
    words = (one_line(each) for each in given if isinstance(each, str))
    return tuple(dict.fromkeys(word for word in words if 0 < len(word) <= _WORD_CHARS))[:_MOST_WORDS]
