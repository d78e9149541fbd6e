"""`/export`: the conversation as a file, in the working directory unless another place is named."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from helloclaw.i18n.system import reason_of
from helloclaw.slash.base import BadArgument, Host, Reply
from helloclaw.storage.journal import JournalError
from helloclaw.wording.markdown import code
from helloclaw.wording.plain import one_line

_FORMS = ("md", "html", "jsonl")


async def export(argument: str, host: Host) -> Reply:
    """Nothing that exists is written over: a number is added to the name. Raises `BadArgument`."""
    words = _words(argument)
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
        path = await asyncio.to_thread(_write, host, host.session.workdir / named, form)
    except JournalError as problem:
        return Reply(markdown=host.say.say(problem.phrase), level="error")
    except OSError as error:
        where = one_line(str(error.filename or named))
        return Reply(markdown=host.say("error.file", path=where, why=reason_of(error)), level="error")
    return Reply(markdown=host.say("slash.export.done", path=code(str(path))))


def _words(argument: str) -> list[str]:
    """A name with spaces can be quoted; what isn't quoted to its end is taken as it is."""
    try:
        return shlex.split(argument)
    except ValueError:
        return argument.split()


def _named(word: str) -> Path | None:
    """What a person wrote as a file, or None: a directory such as `.`, or the home of nobody."""
    try:
        path = Path(word).expanduser()
    except RuntimeError:
        return None
    return None if path.name in {"", ".."} or "\0" in word else path


def _write(host: Host, path: Path, form: str) -> Path:
    """Where it was written: `path`, or the first name like it that is free. Raises `JournalError`, `OSError`."""
    data = _document(host, form).encode("utf-8", "replace")
    for candidate in _names(path):
        try:
            with open(candidate, "xb", opener=_private) as stream:
                stream.write(data)
        except FileExistsError:
            continue
        return candidate
    raise FileExistsError(path)


def _document(host: Host, form: str) -> str:
    from helloclaw.agent.attachments import Attachments, attachments_of
    from helloclaw.agent.catalog import journal_path, read_events
    from helloclaw.agent.living import living_events
    from helloclaw.wording.transcript import as_html, as_jsonl, as_markdown

    journal = journal_path(host.home, host.session.id)
    past = read_events(journal)
    match form:
        case "html":
            return as_html(map(Attachments(attachments_of(journal)).bring_back, past), host.say)
        case "jsonl":
            return as_jsonl(living_events(past), host.say)
        case _:
            return as_markdown(past, host.say, titled=True)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _names(path: Path) -> Iterator[Path]:
    yield path
    for number in range(2, 1000):
        yield path.with_name(f"{path.stem}-{number}{path.suffix}")
