"""A person's own commands: Markdown files that stand for a message, `/NAME` with `$ARGUMENTS`.

In `~/.helloclaw/commands`, and in the working directory's `.claude/commands` once that is trusted. They are text for
the model and nothing else: nothing in them is run.
"""

from __future__ import annotations

import os
import re
import time
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from helloclaw.i18n import Phrase
from helloclaw.i18n.system import reason_of
from helloclaw.settings.trust import is_trusted
from helloclaw.skills.folder import Stamp, stamp_of, text_of
from helloclaw.skills.frontmatter import lines_of, split
from helloclaw.slash.base import Host, Reply, SendText, SlashCommand
from helloclaw.wording.plain import one_line

LIMIT_BYTES = 100 * 1024
_MOST_FILES = 500
_NAME = re.compile(r"[\w][\w.-]{0,59}")
_PLACE = re.compile(r"\$(ARGUMENTS(?![A-Za-z0-9_])|[1-9](?![0-9]))")


class OwnCommands(NamedTuple):
    """`problems` are the files that are no commands, and why."""

    commands: tuple[SlashCommand, ...]
    problems: tuple[Phrase, ...]


class _File(NamedTuple):
    text: str
    about: str
    hint: str


def own_commands(host: Host, clock_ns: Callable[[], int] = time.time_ns) -> OwnCommands:
    """A changed file counts at once, and so does trust. The directory's own commands come before the person's."""
    now_ns = clock_ns()
    found: dict[str, SlashCommand] = {}
    problems: list[Phrase] = []
    for folder in _folders(host):
        for path in _files(folder, problems):
            # As it is typed: some file systems take letters and their accents apart.
            name = unicodedata.normalize("NFC", path[len(folder) + 1 : -len(".md")].replace(os.sep, ":"))
            read = _looked_at(path, folder, name, now_ns)
            if isinstance(read, Phrase):
                problems.append(read)
            else:
                found.setdefault(name, read)
    return OwnCommands(tuple(found[name] for name in sorted(found)), tuple(problems))


def _folders(host: Host) -> Iterator[str]:
    workdir = host.session.workdir
    of_directory = workdir / ".claude" / "commands"
    if of_directory.is_dir() and is_trusted(host.home, workdir):
        yield str(of_directory)
    yield str(host.home.root / "commands")


def expanded(text: str, arguments: str) -> str:
    """`$ARGUMENTS` and `$1` to `$9` replaced, once; what is put in is not looked at again."""
    words = arguments.split()

    def value(place: re.Match[str]) -> str:
        if place[1] == "ARGUMENTS":
            return arguments
        index = int(place[1]) - 1
        return words[index] if index < len(words) else ""

    return _PLACE.sub(value, text)


def with_arguments(text: str, arguments: str) -> str:
    """`text` with its places filled; where it has none, the arguments follow it."""
    return expanded(text, arguments) if _PLACE.search(text) or not arguments else f"{text}\n\n{arguments}"


def _files(folder: str, problems: list[Phrase]) -> list[str]:
    """Markdown files at any depth; no link is followed out of a directory. What can't be listed is a problem."""

    def unlisted(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            path = one_line(str(error.filename), 200)
            problems.append(Phrase("slash.own.unreadable", path=path, why=reason_of(error)))

    found: list[str] = []
    for at, directories, names in os.walk(folder, onerror=unlisted):
        directories.sort()
        found += [os.path.join(at, name) for name in sorted(names) if name.endswith(".md")]
        if len(found) > _MOST_FILES:
            problems.append(Phrase("slash.own.too_many", path=one_line(folder, 200), limit=_MOST_FILES))
            break
    return found[:_MOST_FILES]


def _looked_at(path: str, folder: str, name: str, now_ns: int) -> SlashCommand | Phrase:
    """The command that a file is, or why it is none. A file that is as it was is not read again."""
    if not all(_NAME.fullmatch(part) for part in name.split(":")):
        return Phrase("slash.own.bad_name", path=one_line(path, 200))
    try:
        stamp = stamp_of(path, folder, LIMIT_BYTES)
        match stamp:
            case "outside":
                return Phrase("slash.own.outside", path=one_line(path, 200))
            case "too_long":
                return Phrase("slash.own.too_long", path=one_line(path, 200), limit=LIMIT_BYTES >> 10)
            case _:
                return _kept(path, name, stamp) if stamp.is_settled(now_ns) else _read(path, name)
    except OSError as error:
        return Phrase("slash.own.unreadable", path=one_line(path, 200), why=reason_of(error))


@lru_cache(maxsize=2 * _MOST_FILES)
def _kept(path: str, name: str, stamp: Stamp) -> SlashCommand | Phrase:
    """Completion asks at every key."""
    del stamp
    return _read(path, name)


def _read(path: str, name: str) -> SlashCommand | Phrase:
    """Raises `OSError`."""
    text = text_of(path, LIMIT_BYTES)
    if text is None:
        return Phrase("slash.own.not_utf8", path=one_line(path, 200))
    file = _parsed(text)
    return _command(name, file) if file.text else Phrase("slash.own.empty", path=one_line(path, 200))


def _parsed(text: str) -> _File:
    head, body = split(text)
    fields = lines_of(head or "")
    first = next((line.strip().lstrip("# ") for line in body.splitlines() if line.strip()), "")
    about = one_line(fields.get("description", "") or first, 80)
    # It is shown as code.
    hint = one_line(fields.get("argument-hint", "").replace("`", "'"), 40)
    if not hint and _PLACE.search(body):
        hint = "ARGUMENTS"
    return _File(body.strip(), about, hint)


def _command(name: str, file: _File) -> SlashCommand:
    async def run(argument: str, host: Host) -> Reply:
        del host
        return Reply(effect=SendText(with_arguments(file.text, argument)))

    return SlashCommand(name=name, run=run, usage=file.hint, about=file.about or name)
