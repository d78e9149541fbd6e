"""What Tab and the menu offer: commands after `/`, their arguments, files after `@`, paths in a `!` line."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from helloclaw.repl.compose.files import WorkFiles
from helloclaw.repl.compose.fuzzy import rank
from helloclaw.repl.compose.paste import mention
from helloclaw.repl.compose.shapes import CommandHelp
from helloclaw.wording.plain import one_line

OFFERED = 10

_AT = re.compile(r'(?<![A-Za-z0-9_.+\-/@"])@(?:"(?P<quoted>[^"\n]*)|(?P<bare>[^\s"]*))$')
_LAST_WORD = re.compile(r"(?:\\.|[^\s\\;|&<>()'\"])*$")
_META_CHARS = 100


class Offer(NamedTuple):
    """`text` replaces the last `length` characters before the cursor; the menu shows `shown` and `about`."""

    text: str
    length: int
    shown: str
    about: str = ""


class Complete(Completer):
    """The completer of the input line. Files are looked for in a thread, so typing never waits.

    `done` is told, once an answer is out, which text before the cursor it was for: prompt_toolkit asks for one at a
    time, and forgets a text that it came to while it was waiting.
    """

    def __init__(
        self,
        workdir: Callable[[], Path],
        commands: Callable[[], Sequence[CommandHelp]],
        environ: Mapping[str, str],
        done: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._workdir = workdir
        self._commands = commands
        self._environ = environ
        self._files = WorkFiles(environ)
        self._done = done

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:  # noqa: ARG002 - prompt_toolkit's
        """Those that need no file."""
        return map(_completion, command_offers(document.text_before_cursor, self._commands()))

    async def get_completions_async(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002 - prompt_toolkit's
    ) -> AsyncGenerator[Completion, None]:
        before = document.text_before_cursor
        try:
            for offer in await self.offers(before):
                yield _completion(offer)
        finally:
            asyncio.get_running_loop().call_soon(self._done, before)

    async def offers(self, before: str) -> list[Offer]:
        """What fits the text before the cursor, best first."""
        if found := _AT.search(before):
            typed = found["quoted"] if found["quoted"] is not None else found["bare"]
            return await self._mentions(typed, len(before) - found.start())
        if before.startswith("!"):
            word = _LAST_WORD.search(before[1:])
            return await asyncio.to_thread(_shell_offers, word[0] if word else "", self._workdir(), self._environ)
        return list(command_offers(before, self._commands()))

    async def _mentions(self, typed: str, length: int) -> list[Offer]:
        workdir = self._workdir()
        if typed.startswith(("/", "~", "./", "../")):
            paths = await asyncio.to_thread(entries, typed, workdir, self._environ)
        else:
            hidden = any(part.startswith(".") for part in typed.split("/"))
            known = await self._files.below(workdir, hidden=hidden)
            paths = [match.text for match in await asyncio.to_thread(known.rank, typed, OFFERED)]
        return [Offer(mention(path), length, one_line(path)) for path in paths]


def wants_completion(before: str) -> bool:
    """Whether the menu should open by itself for the text before the cursor."""
    return bool(_AT.search(before)) or (before.startswith("/") and "\n" not in before)


def command_offers(before: str, commands: Sequence[CommandHelp]) -> Iterator[Offer]:
    """Commands for `/…` at the very start of the text, or the choices of the one that is named there."""
    if not before.startswith("/") or "\n" in before:
        return
    name, blank, argument = before[1:].partition(" ")
    if not blank:
        known = {command.name: command for command in commands}
        # With nothing typed yet they stand as `/help` has them.
        names = [match.text for match in rank(name, list(known), OFFERED)] if name else list(known)
        for found in names:
            command = known[found]
            shown = f"/{command.name} {command.usage}".rstrip()
            text = f"/{command.name}" + " " * command.takes_argument
            yield Offer(text, len(before), one_line(shown), one_line(command.about, _META_CHARS))
        return
    choices = next((command.choices for command in commands if command.name == name), None)
    if choices is None:
        return
    for match in rank(argument.lstrip(), choices(), OFFERED):
        yield Offer(match.text, len(argument.lstrip()), one_line(match.text))


def entries(typed: str, workdir: Path, environ: Mapping[str, str]) -> list[str]:
    """Paths in the directory that `typed` names, whose last part fits; written as they were begun."""
    head, _, name = typed.rpartition("/")
    begin = typed[: len(typed) - len(name)]
    if typed.startswith("~") and "/" not in typed:
        return ["~/"] if typed == "~" else []
    directory = head or ("/" if begin else "")
    if directory == "~" or directory.startswith("~/"):
        directory = environ.get("HOME", "~") + directory[1:]
    try:
        with os.scandir(workdir / directory) as found:
            names = [entry.name + "/" * entry.is_dir() for entry in found if entry.name.isprintable()]
    except (OSError, ValueError):
        return []
    visible = [each for each in names if name.startswith(".") or not each.startswith(".")]
    return [begin + match.text for match in rank(name, visible, OFFERED)]


def _shell_offers(word: str, workdir: Path, environ: Mapping[str, str]) -> list[Offer]:
    typed = re.sub(r"\\(.)", r"\1", word)
    beginnings = typed.rpartition("/")[2]
    paths = entries(typed, workdir, environ)
    # A shell's completion goes on from what is there; it doesn't guess.
    fitting = [path for path in paths if path.rstrip("/").rpartition("/")[2].lower().startswith(beginnings.lower())]
    return [Offer(_escaped(path), len(word), one_line(path)) for path in fitting]


def _escaped(path: str) -> str:
    return re.sub(r"([\s\\'\"$`!*?\[\](){}<>|&;#])", r"\\\1", path)


def _completion(offer: Offer) -> Completion:
    return Completion(offer.text, start_position=-offer.length, display=offer.shown, display_meta=offer.about or None)
