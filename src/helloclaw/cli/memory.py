"""`helloclaw memory`: what is remembered, and what a message would leave behind."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from helloclaw.cli.parse import UsageError
from helloclaw.cli.prompt_input import read_prompt
from helloclaw.cli.run import Run
from helloclaw.memory.note import CATEGORIES, Category, Source
from helloclaw.memory.notebook import Notebook
from helloclaw.wording.plain import one_line, visible

if TYPE_CHECKING:  # imported when they are used
    from helloclaw.memory.search import Hit
    from helloclaw.memory.store import Added

_FOUND_AT_MOST = 20
_KEPT_DAYS = 30
_BY_PERSON = Source(by="user")


def main(run: Run) -> int:
    match run.action:
        case "show":
            return _show(run)
        case "search":
            return _search(run)
        case "add":
            return _add(run)
        case "capture":
            return _capture(run)
        case "rm":
            return _rm(run)
        case "cleanup":
            return _cleanup(run)
        case _:
            return _list(run)


def _notebook(run: Run) -> Notebook:
    home = run.home()
    named = run.settings().current().env.workspace_path
    return Notebook.of(home, Path(named).expanduser().absolute() if named else home.workspace)


def _list(run: Run) -> int:
    pages = _notebook(run).memory.files()
    if run.as_json:
        run.terminal.json([msgspec.structs.asdict(page) for page in pages])
    elif pages:
        width = max(len(page.name) for page in pages)
        for page in pages:
            changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(page.modified))
            count = run.say("memory.notes", count=page.notes)
            run.terminal.line(f"{one_line(page.name):<{width}}  {changed}  {count}")
    else:
        run.complain(run.say("memory.none"))
    return 0


def _show(run: Run) -> int:
    notebook = _notebook(run)
    name = run.arguments.text("page") or "MEMORY.md"
    if run.as_json:
        placed = notebook.memory.notes(name)
        run.terminal.json([{"line": each.line, **_as_json(each.note)} for each in placed])
    else:
        run.terminal.write(visible(notebook.memory.get(name)) + "\n")
    return 0


def _search(run: Run) -> int:
    limit = _number(run, "limit", _FOUND_AT_MOST)
    found = _notebook(run).finder.search(" ".join(run.arguments.many("words")), limit)
    if found.scanned:
        run.complain(run.say("memory.scanned"))
    if run.as_json:
        run.terminal.json([_as_json(hit) | {"said": hit.is_said} for hit in found.hits])
    elif found.hits:
        for hit in found.hits:
            run.terminal.line(_place(hit, run))
            run.terminal.lines(f"    {visible(row)}" for row in hit.text.splitlines()[:6])
    else:
        run.complain(run.say("memory.not_found", words=one_line(" ".join(run.arguments.many("words")), 200)))
    return 0 if found.hits else 1


def _place(hit: Hit, run: Run) -> str:
    if hit.is_said:
        return run.say(f"memory.said_by.{hit.who}", session=one_line(hit.path), day=hit.day)
    lines = str(hit.first) if hit.first == hit.last else f"{hit.first}-{hit.last}"
    mark = f"  ({run.say('memory.superseded')})" if hit.superseded else ""
    return f"{one_line(hit.path)}:{lines}{mark}"


def _add(run: Run) -> int:
    named = run.choice("category", CATEGORIES)
    category: Category | None = next((each for each in CATEGORIES if each == named), None)
    added = _notebook(run).memory.add(_text(run), category, _BY_PERSON)
    if run.as_json:
        run.terminal.json(_as_json(added))
    else:
        _tell(added, run)
    return 0 if added.outcome in ("added", "duplicate") else 1


def _capture(run: Run) -> int:
    """What a message would leave behind; without `--dry-run` it does."""
    from helloclaw.memory.capture import capture

    captured = capture(_text(run))
    if run.arguments.flag("dry_run"):
        rows = [msgspec.structs.asdict(each) for each in captured]
        if run.as_json:
            run.terminal.json({"captured": rows})
        else:
            run.terminal.lines(f"[{each.category}] {each.text}" for each in captured)
            if not captured:
                run.complain(run.say("memory.captures_nothing"))
        return 0
    memory = _notebook(run).memory
    added = [memory.add(each.text, each.category, _BY_PERSON) for each in captured]
    if run.as_json:
        run.terminal.json({"captured": [_as_json(each) for each in added]})
        return 0
    for each in added:
        _tell(each, run)
    if not added:
        run.complain(run.say("memory.captures_nothing"))
    return 0


def _rm(run: Run) -> int:
    page, line = run.required("page"), run.required("line")
    if not line.isascii() or not line.isdigit():
        raise UsageError("usage.bad_number", option="LINE", value=line)
    text = _notebook(run).memory.forget(page, int(line[:9]))
    if run.as_json:
        run.terminal.json({"removed": text})
    else:
        run.terminal.line(run.say("memory.removed", note=one_line(text)))
    return 0


def _cleanup(run: Run) -> int:
    days = _number(run, "days", _KEPT_DAYS)
    moved = _notebook(run).memory.cleanup(days)
    if run.as_json:
        run.terminal.json({"moved": list(moved)})
    elif moved:
        run.terminal.lines(run.say("memory.moved", page=page) for page in moved)
    else:
        run.complain(run.say("memory.nothing_old", days=days))
    return 0


def _text(run: Run) -> str:
    """The words of the command line; `-` is standard input."""
    said = " ".join(run.arguments.many("text"))
    return read_prompt(run, said).text if said == "-" else said


def _tell(added: Added, run: Run) -> None:
    text = run.say(f"memory.outcome.{added.outcome}", note=one_line(added.text, 300), where=added.where)
    if added.outcome in ("added", "duplicate"):
        run.terminal.line(text)
    else:
        run.complain(text)
    for each in added.superseded:
        run.terminal.line(run.say("memory.now_superseded", note=one_line(each, 300)))


def _number(run: Run, name: str, default: int) -> int:
    text = run.arguments.text(name)
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or int(text[:9]) == 0:
        raise UsageError("usage.bad_number", option=f"--{name}", value=text)
    return int(text[:9])


def _as_json(value: msgspec.Struct) -> dict[str, Any]:
    return msgspec.to_builtins(value)
