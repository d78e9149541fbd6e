"""Compaction: put a summary in place of the old part of a conversation, so that it fits the model's window again.

The journal keeps everything; only what the model sees gets shorter. The conversation also goes to `.transcripts/`.
"""

from __future__ import annotations

import asyncio
import errno
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from helloclaw.agent.engine import Engine
from helloclaw.agent.file_ledger import files_of
from helloclaw.agent.measure import context_tokens
from helloclaw.agent.summary import Summariser
from helloclaw.agent.tokens import message_tokens, text_tokens
from helloclaw.i18n import Phrase, texts
from helloclaw.i18n.system import reason_of
from helloclaw.llm.events import Failed, FailureKind, Usage
from helloclaw.llm.messages import Message, ModelRequest, ToolResult
from helloclaw.llm.model import ChatModel
from helloclaw.protocol import events as out
from helloclaw.storage.atomic import replace_file

Cause = Literal["full", "overflow", "wanted"]
"""Why: the threshold is reached, the model refused a request as too long, or somebody wishes it."""

KEEP_RECENT_TOKENS = 20_000
CUT_MARKER = "(The older part of this conversation was cut because it did not fit any more.)"
WORTH_IT = 10
"""A summary that can't free a tenth of the context is not asked for."""
# The call that the room is made for would fail, too: then it is better to lose nothing.
_NO_SERVICE: frozenset[FailureKind] = frozenset(("connect", "tls", "auth", "quota", "not_found"))


def split(entries: Sequence[tuple[int, Message]], keep_tokens: int) -> int:
    """The index of the first entry to keep: the most recent ones within `keep_tokens`, no call cut from its result.

    0 means that there is nothing to compact.
    """
    index, kept = len(entries), 0
    while index > 0:
        kept += message_tokens([entries[index - 1][1]])
        if kept > keep_tokens:
            break
        index -= 1
    while 0 < index < len(entries) and _answers(entries[index][1]):
        index += 1
    return index


def _answers(message: Message) -> bool:
    return any(isinstance(block, ToolResult) for block in message.content)


class Plan(NamedTuple):
    """`old` goes, from `keep_from` (a `seq`) on everything stays. Tokens: the context's `before`, those `saved` without
    the summary, and the `room` that a text to be summarised may take.
    """

    cause: Cause
    old: tuple[Message, ...]
    keep_from: int
    last_words: str
    before: int
    saved: int
    room: int


class Compaction:
    """Compacts one session's context. `spent` is what the summaries cost, in tokens; `failure` why there is none."""

    def __init__(self, engine: Engine, model: ChatModel, base: ModelRequest, workdir: Path) -> None:
        self._engine = engine
        self._base = base
        self._workdir = workdir
        self._summariser = Summariser(engine, model, base)

    @property
    def spent(self) -> Usage:
        return self._summariser.spent

    @property
    def failure(self) -> Failed | None:
        return self._summariser.failure

    def plan(self, threshold: int, cause: Cause) -> Plan | None:
        """What would be summarised; None where that can't make the context much smaller.

        Who wishes it, or is refused, keeps less.
        """
        history = self._engine.history
        entries = history.entries
        before = context_tokens(history, self._base)
        keep = min(KEEP_RECENT_TOKENS, threshold // 4 if cause == "full" else before // 3)
        index = split(entries, keep)
        if index == 0:
            return None
        keep_from = entries[index][0] if index < len(entries) else (entries[-1][0] + 1)
        old = tuple(message for _, message in entries[:index])
        last_said, last_words = history.last_words
        last_words = last_words if last_said < keep_from else ""
        saved = message_tokens(old) - text_tokens(last_words)
        if saved < before // WORTH_IT:
            return None
        return Plan(cause, old, keep_from, last_words, before, saved, room=threshold // 2)

    async def run(self, plan: Plan, *, focus: str = "") -> bool:
        """Compact; False if that would not make the context smaller, or there is no summary.

        Without a summary the old part is cut, unless that was a person's wish or the model's service can't be had at
        all.
        """
        history = self._engine.history
        self._engine.emit(out.Phase(state="compacting"))
        fits = plan.cause != "overflow"
        summary = await self._summariser.summarise(plan.old, plan.room, focus, fits=fits)
        if not summary and self._may_cut(plan.cause):
            summary = CUT_MARKER
        saved = plan.saved - text_tokens(summary)
        if not summary or saved <= 0:
            return False
        known = history.compacted
        read, changed = files_of(plan.old, known.files_read if known else (), known.files_changed if known else ())
        self._engine.emit(
            out.Compacted(
                summary=summary,
                last_words=plan.last_words,
                keep_from=plan.keep_from,
                before_tokens=plan.before,
                after_tokens=max(0, plan.before - saved),
                transcript=await self._save_transcript([message for _, message in history.entries]),
                files_read=read,
                files_changed=changed,
            )
        )
        return True

    def _may_cut(self, cause: Cause) -> bool:
        if cause == "full":
            return self.failure is None or self.failure.kind not in _NO_SERVICE
        return cause == "overflow"

    async def _save_transcript(self, messages: Sequence[Message]) -> str | None:
        path = self._workdir / ".transcripts" / f"transcript_{time.time_ns() // 1_000_000}.jsonl"
        data = b"".join(msgspec.json.encode(message) + b"\n" for message in messages)
        try:
            await asyncio.to_thread(_write_transcript, path, data)
        except OSError as error:
            phrase = Phrase("notice.no_transcript", path=path, why=reason_of(error))
            text = texts("en").say(phrase)
            self._engine.emit(out.Notice(text=text, code=phrase.key, values=phrase.values, level="warning"))
            return None
        return str(path)


def _write_transcript(path: Path, data: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    if path.parent.is_symlink():  # planted by a command or a cloned repository: what it leads to is not ours
        raise NotADirectoryError(errno.ENOTDIR, "it is a symlink")
    ignore = path.parent / ".gitignore"
    if not ignore.exists():
        replace_file(ignore, b"*\n")
    replace_file(path, data, mode=0o600)
