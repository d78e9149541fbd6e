"""`helloclaw sessions`: list, show, search, export, import and remove past conversations."""

from __future__ import annotations

import os
import time
from itertools import islice
from pathlib import Path

import msgspec

from helloclaw.agent.attachments import Attachments, attachments_of
from helloclaw.agent.catalog import (
    SessionInfo,
    delete_session,
    find_session,
    list_sessions,
    read_events,
    search_sessions,
)
from helloclaw.agent.opening import SessionBusy
from helloclaw.cli.run import Run
from helloclaw.cli.terminal import encoded
from helloclaw.storage.locks import Busy
from helloclaw.wording.plain import one_line, visible
from helloclaw.wording.transcript import as_html, as_markdown
from helloclaw.wording.width import columns, cut, cut_start, padded

_FOUND_AT_MOST = 100
# Columns: of a title at most, and at least before the directory gives way; of a directory at least; of a narrow screen.
_TITLE = 48
_TITLE_LEAST = 24
_WHERE_LEAST = 8
_NARROW = 60


def main(run: Run) -> int:
    match run.action:
        case "list":
            return _list(run)
        case "show":
            return _show(run)
        case "search":
            return _search(run)
        case "export":
            return _export(run)
        case "import":
            return _import(run)
        case _:
            return _rm(run)


def _list(run: Run) -> int:
    workdir = run.workdir() if run.arguments.text("workdir") else None
    found = list_sessions(run.home(), workdir)
    if run.as_json:
        run.terminal.json([_as_json(info) for info in found])
    elif found:
        width = run.terminal.width(run.environ)
        run.terminal.lines(session_line(info, width) for info in found)
    else:
        run.complain(run.say("session.none"))
    return 0


def _show(run: Run) -> int:
    path = find_session(run.home(), run.required("id"))
    events = read_events(path)
    if run.as_json:
        run.terminal.json([msgspec.to_builtins(event) for event in events])
    else:
        run.terminal.write(visible(as_markdown(events, run.say)))
    return 0


def _search(run: Run) -> int:
    found = list(islice(search_sessions(run.home(), list(run.arguments.many("words"))), _FOUND_AT_MOST))
    if run.as_json:
        run.terminal.json([_as_json(info) | {"line": line} for info, line in found])
    elif found:
        width = run.terminal.width(run.environ)
        for info, line in found:
            run.terminal.line(session_line(info, width))
            run.terminal.line(cut(f"    {one_line(line, 160)}", width))
    else:
        run.complain(run.say("session.not_found", words=" ".join(run.arguments.many("words"))))
    return 0 if found else 1


def _export(run: Run) -> int:
    form = run.choice("format", ("md", "html", "jsonl")) or "md"
    path = find_session(run.home(), run.required("id"))
    match form:
        case "jsonl":
            for event in read_events(path):
                run.terminal.line(encoded(event).decode())
        case "html":
            pictured = map(Attachments(attachments_of(path)).bring_back, read_events(path))
            run.terminal.write(as_html(pictured, run.say))
        case _:
            run.terminal.write(as_markdown(read_events(path), run.say, titled=True))
    return 0


def _import(run: Run) -> int:
    from helloclaw.agent.imported import import_session

    path = Path(os.path.expanduser(run.required("file")))
    imported = import_session(run.home(), path, run.workdir())
    if run.as_json:
        run.terminal.json(msgspec.structs.asdict(imported))
    else:
        title = one_line(imported.title, 48)
        run.terminal.line(run.say("session.imported", id=imported.id, count=imported.messages, title=title))
        if imported.skipped:
            run.complain(run.say("session.import_skipped", count=imported.skipped))
    return 0


def _rm(run: Run) -> int:
    home = run.home()
    session_id = find_session(home, run.required("id")).stem
    try:
        delete_session(home, session_id)
    except Busy as error:
        raise SessionBusy(session_id) from error
    if run.as_json:
        run.terminal.json({"removed": session_id})
    else:
        run.terminal.line(run.say("session.removed", id=session_id))
    return 0


def session_line(info: SessionInfo, width: int = 0) -> str:
    """A session as one row of at most `width` columns (0: no limit): id, when, how many turns, its title, where.

    The title gives way first, then the directory, of which the end is kept; a narrow row has id, day and title only.
    """
    when = time.localtime(info.updated_at)
    title, where = one_line(info.title), one_line(info.workdir)
    if 0 < width < _NARROW:
        return cut(f"{info.id}  {time.strftime('%m-%d', when)}  {title}", width).rstrip()
    start = f"{info.id}  {time.strftime('%Y-%m-%d %H:%M', when)}  {info.turns:>4}  "
    room = width - columns(start) if width else _TITLE + 2 + columns(where)
    for_where = min(columns(where), max(0, room - _TITLE_LEAST - 2))
    for_title = min(_TITLE, room - for_where - 2) if for_where >= _WHERE_LEAST else room
    end = f"  {cut_start(where, for_where)}" if for_where >= _WHERE_LEAST else ""
    return f"{start}{padded(title, for_title)}{end}".rstrip()


def _as_json(info: SessionInfo) -> dict[str, object]:
    return msgspec.structs.asdict(info)
