"""Put a session together, serve it, and take it apart again."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from msgspec import structs

from helloclaw.agent.catalog import journal_path, list_sessions
from helloclaw.agent.engine import LocalEngine
from helloclaw.agent.load import load_history
from helloclaw.agent.opening import Opened, open_copy, open_existing, open_new
from helloclaw.agent.session import Session
from helloclaw.agent.session_note import Before, SessionNote
from helloclaw.agent.standing import Standing
from helloclaw.agent.turn import warning
from helloclaw.app.briefing import Briefing
from helloclaw.app.confinement import Confinement
from helloclaw.app.options import SessionOptions
from helloclaw.app.parts import Parts
from helloclaw.app.rules import gather_rules, make_scope
from helloclaw.app.subagents import Room, SessionSubagents
from helloclaw.app.timekeeping import schedules_of, timekeeping
from helloclaw.hooks.runner import HookRunner
from helloclaw.i18n import Phrase, texts
from helloclaw.memory.notebook import Notebook
from helloclaw.permissions.paths import is_control
from helloclaw.protocol.events import SessionCreated, Status
from helloclaw.settings.trust import is_trusted
from helloclaw.skills.shelf import SkillShelf
from helloclaw.storage.journal import scan
from helloclaw.tools.registry import open_context
from helloclaw.tools.web.recall import learn, recall


@asynccontextmanager
async def open_session(
    options: SessionOptions,
    *,
    resume: str | None = None,
    fork: bool = False,
    session_id: str | None = None,
    room: Room | None = None,
) -> AsyncGenerator[Session]:
    """A session ready to be spoken to; closed, with all that it started, on leaving. `room` is what it shares with
    other subagents of a conversation.

    Raises `SettingsError`, `BadRule`, `SessionNotFound`, `SessionBusy`, `JournalError`, `OSError`.
    """
    settings = options.source.current()
    gather_rules(settings, options)  # What can't be read is said before a journal is made.
    opened = await _open(options, resume, fork, session_id)
    parts: Parts | None = None
    try:
        if options.keep_workdir and opened.workdir.is_dir():
            options = structs.replace(options, workdir=opened.workdir)
        # The rules of the directory it works in, which need not be the one it was resumed from.
        engine = LocalEngine(opened.session_id, opened.journal, opened.history)
        shelf = SkillShelf(home=options.home, workdir=options.workdir)
        schedules = None if options.by_schedule else schedules_of(options)
        notebook = Notebook.of(options.home, options.workspace_of(settings))
        parts = Parts(
            options,
            gather_rules(settings, options),
            Briefing(options, settings, shelf, notebook, options.workdir),
            notices=_repairs(opened),
            tell=lambda phrase: engine.publish(_status(phrase)),
        )
        standing = Standing(options.mode or opened.history.mode or settings.permissions.mode)
        context = open_context(
            opened.session_id,
            options.workdir,
            environ=options.source.environ,
            web=options.web,
            skills=shelf,
            notebook=notebook,
            schedules=schedules,
            by_schedule=options.by_schedule,
        )
        context.subagents = SessionSubagents(options, opened.session_id, standing, room or Room())
        hooks = HookRunner(
            workdir=context.workdir,
            environ=options.source.environ,
            session_id=opened.session_id,
            trusted=lambda: is_trusted(options.home, options.workdir),
            tell=lambda phrase: engine.publish(warning(phrase)),
        )
        if resume is not None:
            await asyncio.to_thread(recall, opened.journal.path, context.web.known)
        engine.subscribe(lambda event: learn(event, context.web.known))
        is_new = resume is None or fork
        confines = Confinement(options, standing, context.shell)
        created = SessionCreated(workdir=str(options.workdir), forked_from=opened.forked_from) if is_new else None
        session = Session(
            engine,
            lambda: parts.configure(context, confines),
            standing,
            hooks,
            context,
            created,
            peek=lambda: parts.configure(context, confines, peek=True),
            may_write=lambda path: not is_control(str(path), make_scope(options, context.cwd)),
            note_before=_note_before(options, notebook, opened.session_id) if is_new and not fork else None,
        )
        keeping = timekeeping(options, schedules, engine, session.send)
        async with _hooked(hooks), _serving(session), keeping:
            yield session
    finally:
        try:
            if parts is not None:
                await parts.close()
        finally:
            opened.release()


@asynccontextmanager
async def _hooked(hooks: HookRunner) -> AsyncGenerator[None]:
    hooks.start()
    try:
        yield
    finally:
        await hooks.close()


@asynccontextmanager
async def _serving(session: Session) -> AsyncGenerator[None]:
    task = asyncio.create_task(session.serve(), name=f"session {session.id}")
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await session.close()


async def _open(options: SessionOptions, resume: str | None, fork: bool, session_id: str | None) -> Opened:
    opening = asyncio.ensure_future(asyncio.to_thread(_open_journal, options, resume, fork, session_id))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        # The thread goes on: what it opens must not stay locked, nor an empty session stay behind.
        await asyncio.wait({opening})
        if opening.exception() is None:
            opening.result().release()
        raise


def _open_journal(options: SessionOptions, resume: str | None, fork: bool, session_id: str | None) -> Opened:
    if resume is None:
        return open_new(options.home, options.workdir, session_id=session_id, parent=options.parent)
    return open_copy(options.home, resume) if fork else open_existing(options.home, resume)


def _note_before(options: SessionOptions, notebook: Notebook, session_id: str) -> SessionNote | None:
    """In the home workspace each conversation may leave a note for the next one."""
    if options.parent or os.path.realpath(options.workdir) != os.path.realpath(notebook.workspace):
        return None
    return SessionNote(notebook.workspace, lambda: _conversation_before(options, notebook, session_id))


def _conversation_before(options: SessionOptions, notebook: Notebook, session_id: str) -> Before | None:
    """The latest one of the same directory, if there is no note of it. Raises `JournalError`, `OSError`."""
    from helloclaw.memory.session_notes import has_note

    others = (info for info in list_sessions(options.home, options.workdir) if info.id != session_id)
    if (info := next(others, None)) is None or has_note(notebook.workspace, info.id):
        return None
    messages = load_history(scan(journal_path(options.home, info.id)).lines).messages()
    return Before(info.id, info.updated_at, messages)


def _repairs(opened: Opened) -> tuple[Phrase, ...]:
    path, told = opened.journal.path, list[Phrase]()
    if opened.torn:
        told.append(Phrase("notice.torn", path=path, bytes=opened.torn))
    if opened.damaged:
        told.append(Phrase("notice.damaged", path=path, lines=opened.damaged))
    return tuple(told)


def _status(phrase: Phrase | None) -> Status:
    if phrase is None:
        return Status(text="")
    return Status(text=texts("en").say(phrase), code=phrase.key, values=phrase.values)
