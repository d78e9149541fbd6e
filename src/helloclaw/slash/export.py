"""`/export`: the conversation as a file, in the working directory unless another place is named."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

from helloclaw.i18n.system import reason_of
from helloclaw.slash.base import BadArgument, Host, Reply
from helloclaw.wording.plain import one_line

_FORMS = ("md", "html", "jsonl")


async def export(argument: str, host: Host) -> Reply:
    """Nothing that exists is written over: a number is added to the name. Raises `BadArgument`."""
    words = argument.split()
    form = words.pop() if words and words[-1] in _FORMS else ""
    if len(words) > 1:
        raise BadArgument
    word = words[0] if words else f"helloclaw-{host.session.id}.{form or 'md'}"
    named = _named(word)
    if named is None:
        return Reply(markdown=host.say("slash.export.no_name", path=one_line(word, 200)), level="error")
    if not form:
        form = named.suffix.removeprefix(".") if named.suffix.removeprefix(".") in _FORMS else "md"
    if named.suffix != f".{form}":
        named = named.with_name(f"{named.name}.{form}")
    if not host.session.title:
        return Reply(markdown=host.say("slash.export.nothing"), level="error")
    try:
        path = await asyncio.to_thread(_write, host, host.session.cwd, named, form)
    except OSError as error:
        where = one_line(str(error.filename or named))
        return Reply(markdown=host.say("error.file", path=where, why=reason_of(error)), level="error")
    return Reply(markdown=host.say("slash.export.done", path=f"`{one_line(str(path))}`"))


def _named(word: str) -> Path | None:
    """What a person wrote as a file, or None: a directory such as `.`, or the home of nobody."""
    try:
        path = Path(word).expanduser()
    except RuntimeError:
        return None
    return None if path.name in {"", ".."} or "\0" in word else path


def _write(host: Host, cwd: Path, named: Path, form: str) -> Path:
    from helloclaw.agent.catalog import journal_path, read_events
    from helloclaw.agent.living import living_events
    from helloclaw.wording.transcript import as_html, as_jsonl, as_markdown

    past = living_events(read_events(journal_path(host.home, host.session.id)))
    path = cwd / named
    write = {"md": as_markdown, "html": as_html, "jsonl": as_jsonl}[form]
    data = write(past, host.say).encode("utf-8", "replace")
    for candidate in _names(path):
        try:
            with open(candidate, "xb", opener=_private) as stream:
                stream.write(data)
        except FileExistsError:
            continue
        return candidate
    raise FileExistsError(path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _names(path: Path) -> Iterator[Path]:
    yield path
    for number in range(2, 1000):
        yield path.with_name(f"{path.stem}-{number}{path.suffix}")
