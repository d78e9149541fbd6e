"""`/memory`: the pages of the memory, or what is found in it."""

from __future__ import annotations

import asyncio

from helloclaw.i18n import SpokenError
from helloclaw.memory.notebook import Notebook
from helloclaw.slash.base import Host, Reply, SlashCommand
from helloclaw.wording.markdown import code, fenced, literal
from helloclaw.wording.plain import one_line

_FOUND_AT_MOST = 10
_SHOWN_CHARS = 400


async def _memory(argument: str, host: Host) -> Reply:
    notebook = host.session.notebook
    if notebook is None:
        return Reply(markdown=host.say("memory.none"), level="error")
    try:
        if argument:
            return Reply(markdown=await asyncio.to_thread(_found, notebook, argument, host))
        return Reply(markdown=await asyncio.to_thread(_pages, notebook, host))
    except (SpokenError, OSError) as error:
        return Reply(markdown=literal(str(error)), level="error")


def _pages(notebook: Notebook, host: Host) -> str:
    say = host.say
    pages = notebook.memory.files()
    if not pages:
        return say("memory.none")
    head = f"| {say('slash.memory.page')} | {say('slash.memory.notes')} |\n| --- | ---: |"
    rows = [f"| `{page.name}` | {page.notes} |" for page in pages[:40]]
    known = notebook.memory.longterm()
    shown = f"\n\n{fenced(known)}" if known else ""
    return "\n".join((head, *rows)) + f"{shown}\n\n{say('slash.memory.more', path=code(str(notebook.workspace), 200))}"


def _found(notebook: Notebook, words: str, host: Host) -> str:
    hits = notebook.finder.search(words, _FOUND_AT_MOST).hits
    if not hits:
        return host.say("memory.not_found", words=literal(one_line(words, 100)))
    rows: list[str] = []
    for hit in hits:
        if hit.is_said:
            place = host.say(f"memory.said_by.{hit.who}", session=hit.path, day=hit.day)
        else:
            place = f"{hit.path}:{hit.first}"
        rows.append(f"* {literal(place, 200)}  \n  {literal(one_line(hit.text, _SHOWN_CHARS))}")
    return "\n".join(rows)


COMMANDS = (SlashCommand(name="memory", run=_memory, usage="[WORDS]"),)
