"""Conversations that older programs kept as one JSON file, made into sessions of ours.

Two forms are known: Anthropic's messages (`{role, content: text or blocks}`, results of tools in the user's messages)
and OpenAI's (`{role, content, tool_calls}`, results as messages of the role `tool`), each as a bare list or in an
object beside other fields. Reading is liberal: what can't be understood is counted and left out. Nothing is written
but the new journal.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct

from helloclaw.agent.catalog import TITLE_CHARACTERS
from helloclaw.agent.opening import open_new
from helloclaw.i18n import SpokenError
from helloclaw.i18n.system import reason_of
from helloclaw.llm.messages import AnyCall, Block, TextBlock, ToolCall
from helloclaw.protocol import events
from helloclaw.storage.paths import Home

_LIMIT_BYTES = 256 * 2**20
_PREVIEW = 400
_LISTS = ("messages", "history", "conversation", "conversation_history", "chat_history")
_ARGUMENTS = ("arguments", "input", "args", "parameters")
_INNER = ("session", "data", "state", "agent", "metadata")


class CannotImport(SpokenError):
    """The file holds no conversation that can be read."""


class Imported(Struct, frozen=True, kw_only=True):
    """The new session. `messages` were taken over, `skipped` were not understood."""

    id: str
    title: str
    workdir: str
    messages: int
    skipped: int


class Conversation(Struct, frozen=True, kw_only=True):
    """What a file says. `events` are in order, without numbers; times are seconds since 1970, 0 where unknown."""

    events: tuple[events.Event, ...]
    title: str = ""
    workdir: str = ""
    model: str = ""
    messages: int = 0
    skipped: int = 0


def import_session(home: Home, path: Path, workdir: Path) -> Imported:
    """Read `path` and keep it as a new session, in its own directory if it names one that is there, else in `workdir`.

    Raises `CannotImport`, `JournalError`, `OSError`.
    """
    conversation = read_conversation(_content(path), str(path))
    named = Path(conversation.workdir) if conversation.workdir else workdir
    workdir = named if named.is_absolute() and named.is_dir() else workdir
    opened = open_new(home, workdir)
    try:
        named_first = (events.SessionUpdated(title=conversation.title),) if conversation.title else ()
        now = time.time()
        for event in (*named_first, *conversation.events):
            numbered = msgspec.structs.replace(event, seq=opened.journal.next_seq, ts=now)
            opened.journal.append(msgspec.json.encode(numbered))
        opened.journal.sync()
    finally:
        opened.release()
    return Imported(
        id=opened.session_id,
        title=conversation.title or _first_words(conversation),
        workdir=str(workdir),
        messages=conversation.messages,
        skipped=conversation.skipped,
    )


def read_conversation(data: bytes, name: str) -> Conversation:
    """Make events of a file's bytes. `name` is for the error. Raises `CannotImport`."""
    try:
        whole: Any = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CannotImport("import.no_json", path=name, why=error) from error
    messages = _messages_in(whole)
    if messages is None:
        raise CannotImport("import.no_messages", path=name)
    fields = _fields(whole)
    reading = _Reading(_text_of(fields, "model", "model_id"))
    for message in messages:
        reading.take(message)
    found = reading.finish()
    if not any(isinstance(event, events.UserMessage | events.AssistantEnd) for event in found):
        raise CannotImport("import.empty", path=name)
    return Conversation(
        events=found,
        title=" ".join(_text_of(fields, "title", "name").split())[:TITLE_CHARACTERS],
        workdir=_text_of(fields, "workdir", "cwd", "working_directory", "workspace"),
        model=reading.model,
        messages=reading.taken,
        skipped=reading.skipped,
    )


class _Reading:
    """Turns messages into events, one after the other. Text of the system's role is for another program: left out."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.taken = 0
        self.skipped = 0
        self._found: list[events.Event] = []
        self._open: dict[str, AnyCall] = {}
        self._spoken = False  # something was said since the last end of a turn
        self._count = 0

    def take(self, message: Any) -> None:
        if not isinstance(message, dict):
            self.skipped += 1
            return
        said = cast("dict[str, Any]", message)
        before = len(self._found)
        match said.get("role"):
            case "user":
                self._user(said)
            case "assistant":
                self._assistant(said)
            case "tool" | "function":
                self._result(
                    str(said.get("tool_call_id") or said.get("name") or ""), _plain(said.get("content")), False
                )
            case "system" | "developer" | "summary":
                return
            case _:
                pass
        if len(self._found) > before:
            self.taken += 1
        else:
            self.skipped += 1

    def finish(self) -> tuple[events.Event, ...]:
        self._end_turn()
        return tuple(self._found)

    def _user(self, said: Mapping[str, Any]) -> None:
        content = said.get("content")
        for block in _blocks(content):
            if block.get("type") == "tool_result":
                self._result(
                    str(block.get("tool_use_id", "")), _plain(block.get("content")), bool(block.get("is_error"))
                )
        text = _plain(content)
        if text.strip():
            self._end_turn()
            self._found.append(events.UserMessage(text=text))
            self._spoken = True

    def _assistant(self, said: Mapping[str, Any]) -> None:
        text = _plain(said.get("content"))
        blocks: list[Block] = [TextBlock(text=text)] if text.strip() else []
        calls = [*self._calls(said)]
        if not blocks and not calls:
            return
        self._settle()
        model = str(said.get("model") or self.model)
        self._found.append(events.AssistantEnd(text=text, content=(*blocks, *calls), model=model))
        self._spoken = True
        for call in calls:
            self._found.append(events.ToolUse(id=call.id, name=call.name, input=call.input))
            self._open[call.id] = call
        for record in _recorded(said):  # the older form keeps calls and their results in one record
            if "result" in record or "output" in record:
                self._result(_id_of(record), _plain(record.get("result", record.get("output"))), _failed(record))

    def _calls(self, said: Mapping[str, Any]) -> Iterator[ToolCall]:
        for block in _blocks(said.get("content")):
            if block.get("type") == "tool_use":
                yield self._call(block, block.get("name"), block.get("input"))
        for record in _recorded(said):
            named = record.get("function")
            function: dict[str, Any] = cast("dict[str, Any]", named) if isinstance(named, dict) else record
            name = function.get("name") or function.get("tool_name") or function.get("tool")
            given = [function[key] for key in _ARGUMENTS if key in function]
            yield self._call(record, name, given[0] if given else None)

    def _call(self, record: Mapping[str, Any], name: Any, arguments: Any) -> ToolCall:
        self._count += 1
        return ToolCall(
            id=_id_of(record) or f"imported_{self._count}", name=str(name or "unknown"), input=_arguments(arguments)
        )

    def _result(self, called: str, text: str, is_error: bool) -> None:
        call = self._open.pop(called, None)
        if call is None and self._open and not called:
            call = self._open.pop(next(iter(self._open)))
        if call is None:
            return
        preview, error = text[:_PREVIEW], (text.splitlines() or [""])[0] if is_error else None
        self._found.append(
            events.ToolEnd(id=call.id, name=call.name, duration_ms=0, output_preview=preview, output=text, error=error)
        )

    def _settle(self) -> None:
        """Give calls whose results the file doesn't have an answer: no model reads a call without one."""
        for called in tuple(self._open):
            self._result(called, "No result was kept.", True)

    def _end_turn(self) -> None:
        self._settle()
        if self._spoken:
            self._found.append(events.RoundEnd(reason="done"))
            self._spoken = False


def _content(path: Path) -> bytes:
    if path.exists() and not path.is_file():  # a FIFO would be waited for, for ever
        raise CannotImport("import.no_file", path=path)
    try:
        if path.stat().st_size > _LIMIT_BYTES:
            raise CannotImport("import.too_long", path=path, limit=_LIMIT_BYTES >> 20)
        return path.read_bytes()
    except OSError as error:
        raise CannotImport("import.unreadable", path=path, why=reason_of(error)) from error


def _messages_in(value: Any) -> list[Any] | None:
    """The list of messages, wherever it stands."""
    match value:
        case list():
            items = cast("list[Any]", value)
            return items if not items or any(isinstance(each, dict) and "role" in each for each in items) else None
        case dict():
            fields = cast("dict[str, Any]", value)
            for name in (*_LISTS, *_INNER):
                if name in fields and (found := _messages_in(fields[name])) is not None:
                    return found
        case _:
            pass
    return None


def _fields(value: Any) -> dict[str, Any]:
    """What stands beside the messages, outer fields before inner ones."""
    if not isinstance(value, dict):
        return {}
    fields = cast("dict[str, Any]", value)
    inner: dict[str, Any] = {}
    for name in _INNER:
        inner |= _fields(fields.get(name))
    return inner | fields


def _text_of(fields: Mapping[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := fields.get(name), str) and value), "")


def _blocks(content: Any) -> list[dict[str, Any]]:
    if not isinstance(content, list):
        return []
    return [cast("dict[str, Any]", each) for each in cast("list[Any]", content) if isinstance(each, dict)]


def _plain(content: Any) -> str:
    """The text of a message or a result; of blocks those that are text."""
    match content:
        case None:
            return ""
        case str():
            return content
        case list():
            pieces = [each if isinstance(each, str) else "" for each in cast("list[Any]", content)]
            pieces += [str(block.get("text", "")) for block in _blocks(cast("Any", content)) if _is_text(block)]
            return "\n".join(piece for piece in pieces if piece)
        case _:
            return json.dumps(content, ensure_ascii=False)


def _is_text(block: Mapping[str, Any]) -> bool:
    return block.get("type", "text") in ("text", "input_text", "output_text")


def _recorded(said: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Calls that stand beside the content, or in `metadata`."""
    metadata = said.get("metadata")
    inner: dict[str, Any] = cast("dict[str, Any]", metadata) if isinstance(metadata, dict) else {}
    return _blocks(said.get("tool_calls")) or _blocks(inner.get("tool_calls"))


def _id_of(record: Mapping[str, Any]) -> str:
    return next((str(record[key]) for key in ("id", "tool_call_id", "tool_use_id") if record.get(key)), "")


def _failed(record: Mapping[str, Any]) -> bool:
    return record.get("status") in ("error", "failed", "failure") or record.get("is_error") is True


def _arguments(given: Any) -> dict[str, Any]:
    if isinstance(given, str):
        try:
            given = msgspec.json.decode(given)
        except msgspec.DecodeError:
            return {"arguments": given} if given.strip() else {}
    return cast("dict[str, Any]", given) if isinstance(given, dict) else {}


def _first_words(conversation: Conversation) -> str:
    said = next((event.text for event in conversation.events if isinstance(event, events.UserMessage)), "")
    return " ".join(said.split())[:TITLE_CHARACTERS]
