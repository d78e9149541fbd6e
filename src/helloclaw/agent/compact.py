"""Compaction: put a summary in place of the old part of a conversation, so that it fits the model's window again.

The journal keeps everything; only what the model sees gets shorter. The conversation also goes to `.transcripts/`.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from helloclaw.agent.engine import Engine
from helloclaw.agent.history import History
from helloclaw.agent.model_step import retry_event
from helloclaw.agent.tokens import message_tokens, text_tokens
from helloclaw.i18n import Phrase, texts
from helloclaw.i18n.system import reason_of
from helloclaw.llm.accumulate import Accumulator
from helloclaw.llm.events import Failed, Retrying, Usage
from helloclaw.llm.messages import (
    MalformedCall,
    Message,
    ModelRequest,
    TextBlock,
    ToolCall,
    ToolResult,
    text_of,
    user_text,
)
from helloclaw.llm.model import ChatModel
from helloclaw.protocol import events as out
from helloclaw.storage.atomic import replace_file

KEEP_RECENT_TOKENS = 20_000
SUMMARY_TRIES = 2
CUT_MARKER = "(The older part of this conversation was cut because it did not fit any more.)"
RESULT_CHARACTERS = 2_000
WORTH_IT = 10
"""A summary that can't free a tenth of the context is not asked for."""
SCHEMA_TOKENS = 80

ASK_FOR_SUMMARY = """\
Summarise this conversation so that the work can go on without it. Write under these heads, leaving out what is empty: \
Task; Decisions; State of the work; Open ends; Files read and changed; The person's wishes. Keep exact names, paths, \
numbers and commands. Write nothing else."""


def context_tokens(history: History, base: ModelRequest) -> int:
    """How full the context is: what the last call measured plus an estimate of what came since.

    Some gateways report nothing, or nonsense; a measure of less than half our estimate is not believed.
    """
    fixed = text_tokens(base.system) + sum(text_tokens(tool.description) + SCHEMA_TOKENS for tool in base.tools)
    estimate = fixed + history.estimated
    if history.measured is None:
        return estimate
    return max(history.measured + history.estimated - history.estimated_then, estimate // 2)


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


class Compaction:
    """Compacts one session's context. `spent` is what the summaries cost, in tokens; `failure` why there is none."""

    def __init__(self, engine: Engine, model: ChatModel, base: ModelRequest, workdir: Path) -> None:
        self._engine = engine
        self._model = model
        self._base = base
        self._workdir = workdir
        self.spent = Usage()
        self.failure: Failed | None = None

    async def run(self, threshold: int, *, forced: bool = False, wanted: bool = False, focus: str = "") -> bool:
        """Compact; False if that would not make the context smaller, or there is no summary.

        `wanted`, by the person, keeps less. `forced`, after an overflow, does too, and cuts where there is no summary:
        nothing else would help.
        """
        history = self._engine.history
        entries = history.entries
        before = context_tokens(history, self._base)
        keep = min(KEEP_RECENT_TOKENS, before // 3 if forced or wanted else threshold // 4)
        index = split(entries, keep)
        if index == 0:
            return False
        keep_from = entries[index][0] if index < len(entries) else (entries[-1][0] + 1)
        old = [message for _, message in entries[:index]]
        last_said, last_words = history.last_words
        last_words = last_words if last_said < keep_from else ""
        saved = message_tokens(old) - text_tokens(last_words)
        if saved < before // WORTH_IT:
            return False
        self._engine.emit(out.Phase(state="compacting"))
        summary = await self._summarise(old, threshold // 2, focus) or (CUT_MARKER if forced else "")
        saved -= text_tokens(summary)
        if not summary or saved <= 0:
            return False
        self._engine.emit(
            out.Compacted(
                summary=summary,
                last_words=last_words,
                keep_from=keep_from,
                before_tokens=before,
                after_tokens=max(0, before - saved),
                transcript=await self._save_transcript([message for _, message in entries]),
            )
        )
        return True

    async def _summarise(self, old: Sequence[Message], room: int, focus: str) -> str:
        ask = f"{ASK_FOR_SUMMARY} Pay special attention to: {focus}" if focus else ASK_FOR_SUMMARY
        text = _as_text(old)
        # The middle goes first if it is too long: the task stands at the start, the state at the end.
        room_characters = room * 3
        if len(text) > room_characters:
            half = room_characters // 2
            text = f"{text[:half]}\n…\n{text[-half:]}"
        request = msgspec.structs.replace(
            self._base, messages=(user_text(f"{text}\n\n{ask}"),), tools=(), thinking_budget=0
        )
        for _ in range(SUMMARY_TRIES):
            answer = Accumulator()
            try:
                async with contextlib.aclosing(self._model.stream(request)) as events:
                    async for event in events:
                        answer.add(event)
                        if isinstance(event, Retrying):
                            self._engine.emit(retry_event(event))
            finally:
                self.spent = self.spent + answer.usage
            if answer.failure is not None:
                self.failure = answer.failure
                return ""  # The model has been tried again already.
            if summary := text_of(answer.message()).strip():
                return summary
        return ""

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


def _as_text(messages: Sequence[Message]) -> str:
    """A conversation as plain text, long results shortened."""
    lines: list[str] = []
    for message in messages:
        for block in message.content:
            match block:
                case TextBlock(text=text):
                    lines.append(f"[{message.role}] {text}")
                case ToolCall(name=name, input=arguments):
                    lines.append(f"[call] {name} {msgspec.json.encode(arguments).decode()[:RESULT_CHARACTERS]}")
                case MalformedCall(name=name, raw=raw):
                    lines.append(f"[call] {name} {raw[:RESULT_CHARACTERS]}")
                case ToolResult(text=text):
                    lines.append(f"[result] {text[:RESULT_CHARACTERS]}")
                case _:
                    pass
    return "\n".join(lines)
