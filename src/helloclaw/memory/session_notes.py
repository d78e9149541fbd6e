"""Short notes of past conversations, a page each: `memory/YYYY-MM-DD-slug.md`."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from pathlib import Path

from helloclaw.memory.note import one_line
from helloclaw.memory.pages import BadPage, change, daily_pages, page, read
from helloclaw.memory.secrets import has_secret

LONGEST_CHARS = 2_000
_SLUG_CHARS = 40
_TITLE = re.compile(r"#{0,3}[ \t]*(?P<title>[^\n]+)\n?")


def has_note(workspace: Path, session_id: str) -> bool:
    """Whether there is a note of that conversation. Raises `OSError`."""
    mark = _mark(session_id)
    for each in daily_pages(workspace):
        if each.slug:
            try:
                text = read(each.path) or ""
            except BadPage:
                continue
            if text.startswith(mark):
                return True
    return False


def write_note(workspace: Path, session_id: str, day: date, text: str) -> str | None:
    """Write the note `text`, whose first line is its title; the page's name. None if there is nothing in it to keep.

    Lines that hold a secret are left out. Raises `BadPage`, `OSError`.
    """
    match = _TITLE.match(text.strip())
    title = one_line(match["title"]).strip("*_ ") if match else ""
    body = text.strip()[match.end() :] if match else ""
    kept = "\n".join(line.rstrip() for line in body[:LONGEST_CHARS].splitlines() if not has_secret(line)).strip()
    if not title or not kept or has_secret(title):
        return None
    where = page(workspace, f"{day.isoformat()}-{slug_of(title)}")
    change(where.path, lambda before: before or f"{_mark(session_id)}\n# {title}\n\n{_plain(kept)}\n")
    return where.name


def slug_of(title: str) -> str:
    """Letters and digits of any script, joined by hyphens; `talk` if there are none."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", title).casefold())
    return "-".join(words)[:_SLUG_CHARS].strip("-_") or "talk"


def _mark(session_id: str) -> str:
    return f"<!-- s:{session_id} by:flush -->"


def _plain(text: str) -> str:
    return text.replace("<!--", "‹!--").replace("-->", "--›")
