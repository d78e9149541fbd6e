"""`helloclaw sessions`: list, show, search, export and remove past conversations."""

from __future__ import annotations

import time
from itertools import islice

import msgspec

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
from helloclaw.wording.width import padded

_FOUND_AT_MOST = 100


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
        case _:
            return _rm(run)


def _list(run: Run) -> int:
    workdir = run.workdir() if run.arguments.text("workdir") else None
    found = list_sessions(run.home(), workdir)
    if run.as_json:
        run.terminal.json([_as_json(info) for info in found])
    elif found:
        run.terminal.lines(session_line(info) for info in found)
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
        for info, line in found:
            run.terminal.line(session_line(info))
            run.terminal.line(f"    {one_line(line, 160)}")
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
            run.terminal.write(as_html(read_events(path), run.say))
        case _:
            run.terminal.write(as_markdown(read_events(path), run.say))
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


def session_line(info: SessionInfo) -> str:
    """A session as one row: id, when, how many turns, what it was about."""
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(info.updated_at))
    return (
        f"{info.id}  {when}  {info.turns:>4}  {padded(one_line(info.title, 48), 48)}  {one_line(info.workdir)}".rstrip()
    )


def _as_json(info: SessionInfo) -> dict[str, object]:
    return msgspec.structs.asdict(info)
