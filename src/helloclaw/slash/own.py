"""A person's own commands: Markdown files that stand for a message, `/NAME` with `$ARGUMENTS`.

In `~/.helloclaw/commands`, and in the working directory's `.claude/commands` once that is trusted. They are text for
the model and nothing else: nothing in them is run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from helloclaw.i18n import Phrase
from helloclaw.slash.base import Host, Reply, SendText, SlashCommand
from helloclaw.wording.plain import one_line

LIMIT_BYTES = 100 * 1024
_MOST_FILES = 500
_NAME = re.compile(r"[\w][\w.-]{0,59}")
_FRONTMATTER = re.compile(r"---[ \t]*\n(.*?)\n---[ \t]*(?:\n|$)", re.DOTALL)
_PLACE = re.compile(r"\$(ARGUMENTS|[1-9])")


class OwnCommands(NamedTuple):
    """`problems` are the files that are no commands, and why."""

    commands: tuple[SlashCommand, ...]
    problems: tuple[Phrase, ...]


class _File(NamedTuple):
    text: str
    about: str
    hint: str


def own_commands(host: Host) -> OwnCommands:
    """Read anew each time: a changed file counts at once. The directory's own come before the person's."""
    found: dict[str, SlashCommand] = {}
    problems: list[Phrase] = []
    folders = [host.session.workdir / ".claude" / "commands"] if host.trusted else []
    for folder in (*folders, host.home.root / "commands"):
        for path in _files(folder):
            name = ":".join(path.relative_to(folder).with_suffix("").parts)
            read = _read(path, folder, name)
            if isinstance(read, Phrase):
                problems.append(read)
            else:
                found.setdefault(name, _command(name, read))
    return OwnCommands(tuple(found[name] for name in sorted(found)), tuple(problems))


def expanded(text: str, arguments: str) -> str:
    """`$ARGUMENTS` and `$1` to `$9` replaced, once; what is put in is not looked at again."""
    words = arguments.split()

    def value(place: re.Match[str]) -> str:
        if place[1] == "ARGUMENTS":
            return arguments
        index = int(place[1]) - 1
        return words[index] if index < len(words) else ""

    return _PLACE.sub(value, text)


def _files(folder: Path) -> Iterator[Path]:
    """Markdown files at any depth; no link is followed out of a directory."""
    found: list[Path] = []
    for at, directories, names in os.walk(folder):
        directories.sort()
        found += [Path(at, name) for name in sorted(names) if name.endswith(".md")]
        if len(found) >= _MOST_FILES:
            break
    yield from found[:_MOST_FILES]


def _read(path: Path, folder: Path, name: str) -> _File | Phrase:
    shown = one_line(str(path), 200)
    if not all(_NAME.fullmatch(part) for part in name.split(":")):
        return Phrase("slash.own.bad_name", path=shown)
    try:
        if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
            return Phrase("slash.own.outside", path=shown)
        if path.stat().st_size > LIMIT_BYTES:
            return Phrase("slash.own.too_long", path=shown, limit=LIMIT_BYTES >> 10)
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        return Phrase("slash.own.not_utf8", path=shown)
    except OSError as error:
        return Phrase("slash.own.unreadable", path=shown, why=error.strerror or str(error))
    return _parsed(text)


def _parsed(text: str) -> _File:
    head = _FRONTMATTER.match(text)
    fields: dict[str, str] = {}
    for line in head[1].splitlines() if head else ():
        key, colon, value = line.partition(":")
        if colon:
            fields[key.strip()] = value.strip().strip("\"'")
    body = text[head.end() :] if head else text
    first = next((line.strip().lstrip("# ") for line in body.splitlines() if line.strip()), "")
    about = one_line(fields.get("description", "") or first, 80)
    hint = one_line(fields.get("argument-hint", ""), 40) or ("ARGUMENTS" if _PLACE.search(body) else "")
    return _File(body.strip(), about, hint)


def _command(name: str, file: _File) -> SlashCommand:
    async def run(argument: str, host: Host) -> Reply:
        del host
        text = expanded(file.text, argument)
        if argument and not _PLACE.search(file.text):
            text = f"{text}\n\n{argument}"
        return Reply(effect=SendText(text))

    return SlashCommand(name=name, run=run, usage=file.hint, about=file.about or name)
