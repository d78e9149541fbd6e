"""What a note is, and its line in a Markdown file that a person may edit by hand. Pure."""

from __future__ import annotations

import re
from typing import Literal, get_args

from msgspec import Struct

Category = Literal["preference", "decision", "entity", "fact"]
By = Literal["capture", "tool", "flush", "user"]

_WRITERS: tuple[By, ...] = get_args(By)
CATEGORIES: tuple[Category, ...] = get_args(Category)
LONGEST_NOTE = 2_000

_LINE = re.compile(
    r"[ \t]*[-*+][ \t]+(?:\[(?P<category>[a-z]+)\][ \t]*)?(?P<text>.*?)[ \t]*(?:<!--(?P<comment>[^>]*?)-->)?[ \t]*$"
)
_STRUCK = re.compile(r"~~(?P<text>.*?)~~(?P<rest>.*)$")
_FIELD = re.compile(r"(s|seq|by|superseded):(\S+)")
_UNSAFE = re.compile(r"[\s<>]|--")


class Source(Struct, frozen=True, kw_only=True):
    """Where a note comes from: session and `seq` of the event, empty and 0 outside of one, and who wrote it."""

    session: str = ""
    seq: int = 0
    by: By = "user"

    def fields(self) -> str:
        session = _UNSAFE.sub("_", self.session)
        return f"{f's:{session} seq:{self.seq} ' if session else ''}by:{self.by}"


class Note(Struct, frozen=True, kw_only=True):
    """One line. `superseded` is the date it stopped being true, as YYYY-MM-DD, empty while it holds."""

    text: str
    category: Category | None = None
    source: Source | None = None
    superseded: str = ""


def one_line(text: str) -> str:
    """A note's text: one line that can't be taken for a comment, or for anything else but text."""
    line = " ".join("".join(char if char.isprintable() or char.isspace() else "" for char in text).split())
    return line.replace("<!--", "‹!--").replace("-->", "--›")


def render(note: Note) -> str:
    """The line, without its end."""
    label = f"[{note.category}] " if note.category else ""
    text = f"~~{note.text}~~" if note.superseded else note.text
    fields = [note.source.fields()] if note.source else []
    if note.superseded:
        fields.append(f"superseded:{note.superseded}")
    return f"- {label}{text}{f' <!-- {chr(32).join(fields)} -->' if fields else ''}"


def parse(line: str) -> Note | None:
    """The note in a line, or None if there is none; what a person wrote by hand need have neither label nor comment."""
    match = _LINE.match(line)
    if match is None or not match["text"]:
        return None
    fields = dict(_FIELD.findall(match["comment"] or ""))
    label, text = match["category"], match["text"]
    category: Category | None = next((each for each in CATEGORIES if each == label), None)
    if label and category is None:
        text = f"[{label}] {text}"
    superseded = fields.get("superseded", "")
    if struck := _STRUCK.match(text):
        text, superseded = struck["text"] + struck["rest"], superseded or "?"
    return Note(text=text, category=category, source=_source(fields), superseded=superseded)


def _source(fields: dict[str, str]) -> Source | None:
    by: By | None = next((each for each in _WRITERS if each == fields.get("by")), None)
    if by is None:
        return None
    seq = fields.get("seq", "")
    return Source(
        session=fields.get("s", ""), seq=int(seq) if seq.isascii() and seq.isdigit() and len(seq) < 16 else 0, by=by
    )
