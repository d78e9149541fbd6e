"""`write_file` and `edit_file`: replace a file whole or one text in it, atomically, keeping how the file was written.

Both refuse a file that somebody changed since the session last saw it, so that no one's work is overwritten unseen.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from helloclaw.storage.atomic import replace_file
from helloclaw.tools.base import Facts, FileContent, MustFail, Tool, ToolError, ToolOutput
from helloclaw.tools.context import ToolContext
from helloclaw.tools.diff import unified_diff
from helloclaw.tools.ledger import FileLedger
from helloclaw.tools.matching import Span, explain_no_match, find_spans
from helloclaw.tools.paths import open_regular, os_failure, pinned_parent, resolve_path, shown
from helloclaw.tools.read import WHOLE_BYTES
from helloclaw.tools.text import UTF8, Encoding, Text, decode, encode, with_newline

_NAMED_LINES = 10


class WriteFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    path: str
    content: str


class EditFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    path: str
    old_text: Annotated[str, Meta(description="exact text, unique in the file")]
    new_text: str
    replace_all: bool | UnsetType = UNSET


class Change(Struct, frozen=True, kw_only=True):
    """What a call would do to `path`: `before` and `after` are its bytes, `before` None when it is new.

    `diff` is for a person, `done` the sentence for the model.
    """

    path: Path
    before: bytes | None
    after: bytes
    diff: str
    done: str


async def write(call: WriteFile, context: ToolContext) -> ToolOutput:
    return await _in_thread(lambda: plan_write(call, context), context)


async def edit(call: EditFile, context: ToolContext) -> ToolOutput:
    return await _in_thread(lambda: plan_edit(call, context), context)


def plan_write(call: WriteFile, context: ToolContext) -> Change:
    """Raises `ToolError` when it can't be done."""
    path = context.approved_path(resolve_path(call.path, context.cwd))
    name = shown(path, context.cwd)
    before = _current(path)
    if before is not None and context.ledger.compare(path, before) == "changed":
        raise MustFail(f"{name} was changed since you last saw it; read it again before you replace it")
    old = None if before is None else decode(before)
    content = call.content if old is None else _as_in(old, call.content)
    after = _encoded(content, UTF8 if old is None else old.encoding, name)
    diff = unified_diff("" if old is None else old.content, content, name)
    lines = call.content.count("\n") + (not call.content.endswith("\n") and bool(call.content))
    done = f"{'Created' if before is None else 'Replaced'} {name} ({lines} line{'s' * (lines != 1)})"
    return Change(path=path, before=before, after=after, diff=diff, done=done)


def plan_edit(call: EditFile, context: ToolContext) -> Change:
    """Raises `ToolError` when it can't be done."""
    path = context.approved_path(resolve_path(call.path, context.cwd))
    name = shown(path, context.cwd)
    if not call.old_text:
        raise MustFail("old_text is empty; give the text to replace, or use write_file for a new file")
    if call.old_text == call.new_text:
        raise MustFail("old_text and new_text are the same; nothing to change")
    with open_regular(path) as stream:
        before = stream.read(WHOLE_BYTES + 1)
    text = _editable(before, name)
    _require_seen(context.ledger, path, before, name)
    spans = find_spans(text.content, call.old_text)
    every = call.replace_all is True
    _require_match(spans, text, call.old_text, name, every=every)
    content = _replaced(text, spans, call.new_text)
    lines = ", ".join(str(span.line) for span in spans[:_NAMED_LINES])
    more = "…" if len(spans) > _NAMED_LINES else ""
    done = f"Edited {name}: {len(spans)} replacement{'s' * (len(spans) > 1)}, at line {lines}{more}"
    return Change(
        path=path,
        before=before,
        after=_encoded(content, text.encoding, name),
        diff=unified_diff(text.content, content, name),
        done=done,
    )


async def _in_thread(plan: Callable[[], Change], context: ToolContext) -> ToolOutput:
    """A thread can't be stopped: a cancelled call comes back when what it does has been done and told."""
    working = asyncio.ensure_future(asyncio.to_thread(_carry_out, plan, context))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait({working})
        working.exception()  # There is nobody to tell.
        raise


def _carry_out(plan: Callable[[], Change], context: ToolContext) -> ToolOutput:
    """In one thread from reading to the ledger: a cancelled call has either happened and is known, or has not."""
    change = plan()
    if change.after == change.before:
        return ToolOutput(text=f"{change.done}: it already was exactly that")
    try:
        change.path.parent.mkdir(parents=True, exist_ok=True)
        with pinned_parent(change.path) as target:
            if _current(change.path) != change.before:
                raise ToolError(f"{change.path} was changed while it was being written; read it again")
            if change.before is not None:
                context.keep(change.before)  # Before it is gone: the process may be killed at any moment.
            replace_file(target, change.after)
    except OSError as error:
        raise os_failure(error, change.path, "write") from error
    context.ledger.record(change.path, change.after)
    context.changed(FileContent(path=change.path, before=change.before, after=change.after))
    return ToolOutput(text=change.done, diff=change.diff)


def _current(path: Path) -> bytes | None:
    """The bytes of a file that may be replaced, None when there is none. Raises `ToolError` for what may not be."""
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise os_failure(error, path, "write") from error
    if stat.S_ISREG(mode) and not mode & 0o222:
        raise ToolError(f"{path} is marked read-only; ask the person, or `chmod u+w` it first")
    with open_regular(path) as stream:
        data = stream.read(WHOLE_BYTES + 1)
    if len(data) > WHOLE_BYTES:
        raise ToolError(f"{path} is larger than {WHOLE_BYTES >> 20} MB; change it with a shell command")
    return data


def _editable(data: bytes, name: str) -> Text:
    if len(data) > WHOLE_BYTES:
        raise ToolError(
            f"{name} is larger than {WHOLE_BYTES >> 20} MB; change it with a shell command such as `sed -i`"
        )
    text = decode(data)
    if text is None:
        raise ToolError(f"{name} is binary; edit_file changes text only")
    return text


def _require_seen(ledger: FileLedger, path: Path, data: bytes, name: str) -> None:
    seen = ledger.compare(path, data)
    if seen == "never":
        raise MustFail(f"{name} was not read in this session; read it with read_file first")
    if seen == "changed":
        raise MustFail(f"{name} was changed since you last saw it; read it again")


def _require_match(spans: list[Span], text: Text, old: str, name: str, *, every: bool) -> None:
    if not spans:
        raise MustFail(f"old_text is not in {name}; {explain_no_match(text.content, old)}")
    if len(spans) > 1 and not every:
        lines = ", ".join(str(span.line) for span in spans[:_NAMED_LINES])
        more = " …" if len(spans) > _NAMED_LINES else ""
        raise MustFail(
            f"old_text is {len(spans)} times in {name}, at lines {lines}{more}; "
            "give more of the text around the one you mean, or set replace_all"
        )


def _replaced(text: Text, spans: list[Span], new: str) -> str:
    """Only the spans change: mixed line endings elsewhere stay mixed."""
    fresh = with_newline(new, text.newline)
    pieces: list[str] = []
    position = 0
    for span in spans:
        pieces += [text.content[position : span.start], fresh]
        position = span.end
    return "".join([*pieces, text.content[position:]])


def _as_in(old: Text, content: str) -> str:
    """New content for an existing file, with the line endings it had. A lone line is no evidence of any."""
    return with_newline(content, old.newline) if "\n" in old.content else content


def _encoded(content: str, encoding: Encoding, name: str) -> bytes:
    try:
        return encode(content.removeprefix("\ufeff") if encoding.mark else content, encoding)
    except UnicodeEncodeError as error:
        character = content[error.start]
        raise ToolError(
            f"{name} is in {encoding.label}, which has no {character!r}; convert the file to UTF-8 first "
            "(`iconv -t UTF-8`), or write without that character"
        ) from None


async def _preview_write(call: WriteFile, context: ToolContext) -> str | None:
    return await asyncio.to_thread(_preview, lambda: plan_write(call, context))


async def _preview_edit(call: EditFile, context: ToolContext) -> str | None:
    return await asyncio.to_thread(_preview, lambda: plan_edit(call, context))


def _preview(plan: Callable[[], Change]) -> str | None:
    """The diff to show when asking; None for a failure that only a permitted call may tell of, once it runs."""
    try:
        return plan().diff or None
    except MustFail:
        raise
    except ToolError:
        return None


def _writes(call: WriteFile | EditFile) -> Facts:
    return Facts(writes=(call.path,))


write_file = Tool("write_file", WriteFile, write, facts=_writes, preview=_preview_write)
edit_file = Tool("edit_file", EditFile, edit, facts=_writes, preview=_preview_edit)
