"""Message repair: make any history acceptable to every model API.

Pure. Run on load, on resume, after compaction and before each model call, so that no caller has to remember it. What it
leaves to the wires is what only one of them minds: id alphabets, foreign thinking, empty text next to other content.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from helloclaw.llm.messages import (
    AnyCall,
    Block,
    ImageBlock,
    MalformedCall,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResult,
    calls_of,
)

LOST = "(no result - cancelled or lost)"
EMPTY = "(empty)"


class Repaired(Struct, frozen=True):
    """Repaired messages, and what had to be done: empty for a history that was right."""

    messages: tuple[Message, ...]
    fixes: tuple[str, ...] = ()


def repair(messages: Sequence[Message]) -> Repaired:
    """Put any history in order. Repairing twice changes nothing more. One that is right costs a single look."""
    merged = _merge_neighbours(messages, [])
    if in_order(merged):
        return Repaired(tuple(merged))
    return _mend(messages)


def in_order(messages: Sequence[Message]) -> bool:
    """Whether every model API takes these messages, in which neighbours of one role have been joined."""
    return Order().holds(messages)


class Order:
    """Checks a growing list of messages without looking twice at those that can't change any more.

    The last message can, by being joined with the next; all before it must be the same objects from call to call.
    """

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._open: list[str] = []
        self._done = 0
        self._broken = False

    def holds(self, messages: Sequence[Message]) -> bool:
        while not self._broken and self._done < len(messages) - 1:
            opened = self._opened_by(messages[self._done])
            self._broken = opened is None
            self._open = opened or []
            self._seen.update(self._open)
            self._done += 1
        return not self._broken and (not messages or self._opened_by(messages[-1]) == [])

    def _opened_by(self, message: Message) -> list[str] | None:
        """The ids of the calls that wait for a result after this message; None if it can't stand here."""
        if message.role == "user":
            return [] if _user_in_order(message.content, self._open) else None
        if self._open or self._done == 0:
            return None
        return _assistant_in_order(message.content, self._seen)


def _user_in_order(content: Sequence[Block], open_ids: Sequence[str]) -> bool:
    """Results of the open calls, in order, then texts and images with something in them; and not nothing at all."""
    for index, block in enumerate(content):
        if index < len(open_ids):
            if not isinstance(block, ToolResult) or block.tool_use_id != open_ids[index] or _says_nothing(block):
                return False
        elif not (isinstance(block, ImageBlock) or (isinstance(block, TextBlock) and not _blank(block.text))):
            return False
    return len(content) >= max(1, len(open_ids))


def _assistant_in_order(content: Sequence[Block], seen: set[str]) -> list[str] | None:
    """The ids that this message's calls open; None if something is wrong with it."""
    opened: list[str] = []
    speaks = False
    for block in content:
        match block:
            case ToolCall(id=id) | MalformedCall(id=id):
                if not id or id in seen or id in opened:
                    return None
                opened.append(id)
            case TextBlock(text=text):
                if _blank(text):
                    return None
                speaks = True
            case ThinkingBlock():
                pass
            case _:
                return None
    return opened if opened or speaks else None


def _says_nothing(result: ToolResult) -> bool:
    return _blank(result.text) and not result.images


def _blank(text: str) -> bool:
    return not text or text.isspace()


def _mend(messages: Sequence[Message]) -> Repaired:
    fixes: list[str] = []
    roles = _blocks_in_their_role(messages, fixes)
    merged = _merge_neighbours(roles, fixes)
    unique = _unique_ids(merged, fixes)
    paired = pair_tool_results(unique, fixes)
    # Pairing may have dropped a message that held nothing but stray results, which makes neighbours of two others.
    filled = _fill_empty(_merge_neighbours(paired, fixes), fixes)
    started = _start_with_user(filled, fixes)
    return Repaired(tuple(started), tuple(fixes))


def pair_tool_results(messages: Sequence[Message], fixes: list[str]) -> list[Message]:
    """Give every tool call exactly one result, right after it and before any text.

    Anthropic answers 400 to a `tool_use` whose `tool_result` is missing or late; a crash, a cancel or a fork can leave
    one. The missing result says so, in the position the API demands. A result without its call is dropped.
    """
    results: dict[str, ToolResult] = {}
    for message in messages:
        for block in message.content:
            if isinstance(block, ToolResult):
                results.setdefault(block.tool_use_id, block)
    paired: list[Message] = []
    open_calls: tuple[AnyCall, ...] = ()
    for message in messages:
        if message.role == "assistant":
            if open_calls:
                paired.append(_answer(open_calls, (), results, fixes))
            open_calls = calls_of(message)
            paired.append(message)
            continue
        answered = _answer(open_calls, message.content, results, fixes)
        open_calls = ()
        if answered.content or not message.content:
            paired.append(answered)
    if open_calls:
        paired.append(_answer(open_calls, (), results, fixes))
    return paired


def _answer(
    calls: Sequence[AnyCall], content: Sequence[Block], results: dict[str, ToolResult], fixes: list[str]
) -> Message:
    """The user message that follows `calls`: their results in order, then the rest of what the message held."""
    ordered: list[Block] = []
    for call in calls:
        if call.id not in results:
            fixes.append(f"added the missing result of {call.name} ({call.id})")
        ordered.append(results.get(call.id, ToolResult(tool_use_id=call.id, text=LOST, is_error=True)))
    rest = [block for block in content if not isinstance(block, ToolResult)]
    here = {block.tool_use_id for block in content if isinstance(block, ToolResult)}
    if stray := here - {call.id for call in calls}:
        fixes.append(f"moved or dropped results without their call right before them: {', '.join(sorted(stray))}")
    fixed = (*ordered, *rest)
    if content and not stray and len(fixed) == len(content) and fixed != tuple(content):
        fixes.append("put tool results first, in the order of their calls")
    return Message(role="user", content=fixed)


def _blocks_in_their_role(messages: Sequence[Message], fixes: list[str]) -> list[Message]:
    """Drop blocks that a role can't hold: calls and thinking are the assistant's, results and images the user's."""
    kept: list[Message] = []
    for message in messages:
        content = tuple(block for block in message.content if _belongs(block, message.role))
        if len(content) != len(message.content):
            fixes.append(f"dropped a block that a message of the {message.role} can't hold")
            message = msgspec.structs.replace(message, content=content)
        kept.append(message)
    return kept


def _belongs(block: Block, role: str) -> bool:
    match block:
        case ToolCall() | MalformedCall() | ThinkingBlock():
            return role == "assistant"
        case ToolResult() | ImageBlock():
            return role == "user"
        case TextBlock():
            return True


def _merge_neighbours(messages: Iterable[Message], fixes: list[str]) -> list[Message]:
    """Join neighbours of one role. Two assistant messages join only if the first calls no tool."""
    merged: list[Message] = []
    for message in messages:
        last = merged[-1] if merged else None
        if last is None or last.role != message.role or (last.role == "assistant" and calls_of(last)):
            merged.append(message)
            continue
        if last.role == "assistant":
            fixes.append("joined two assistant messages in a row")
        origin = last.origin if last.origin == message.origin else None
        merged[-1] = Message(role=last.role, content=last.content + message.content, origin=origin)
    return merged


def _unique_ids(messages: Sequence[Message], fixes: list[str]) -> list[Message]:
    """Rename the second call with an id, and the result that follows it: Anthropic refuses a repeated id."""
    seen: set[str] = set()
    renamed: dict[str, str] = {}
    unique: list[Message] = []
    for message in messages:
        if message.role == "user":
            unique.append(_rename_results(message, renamed) if renamed else message)
            continue
        renamed = {}
        content: list[Block] = []
        for block in message.content:
            if isinstance(block, ToolCall | MalformedCall):
                block = _with_free_id(block, seen, renamed, fixes)
                seen.add(block.id)
            content.append(block)
        unique.append(msgspec.structs.replace(message, content=tuple(content)) if renamed else message)
    return unique


def _with_free_id(call: AnyCall, seen: set[str], renamed: dict[str, str], fixes: list[str]) -> AnyCall:
    if call.id and call.id not in seen:
        return call
    stem, number = call.id or "call", 2
    while f"{stem}_{number}" in seen:
        number += 1
    fixes.append(f"renamed a repeated call id {call.id!r}")
    # The first call with this id in the message keeps the first result; a later one finds its own by position below.
    renamed[call.id] = f"{stem}_{number}"
    return msgspec.structs.replace(call, id=f"{stem}_{number}")


def _rename_results(message: Message, renamed: dict[str, str]) -> Message:
    """Point results at renamed calls. Of several results with one id, the last belongs to the renamed call."""
    content = list(message.content)
    for old, new in renamed.items():
        for index in range(len(content) - 1, -1, -1):
            block = content[index]
            if isinstance(block, ToolResult) and block.tool_use_id == old:
                content[index] = msgspec.structs.replace(block, tool_use_id=new)
                break
    return msgspec.structs.replace(message, content=tuple(content))


def _fill_empty(messages: Sequence[Message], fixes: list[str]) -> list[Message]:
    """Replace nothing by `(empty)`: no API takes a message without content, or with thinking alone."""
    filled: list[Message] = []
    for message in messages:
        content = tuple(_filled(block) for block in message.content if not _is_blank_text(block))
        if all(isinstance(block, ThinkingBlock) for block in content):
            content = (*content, TextBlock(text=EMPTY))
        if content != message.content:
            fixes.append(f"filled or dropped something empty in a message of the {message.role}")
            message = msgspec.structs.replace(message, content=content)
        filled.append(message)
    return filled


def _is_blank_text(block: Block) -> bool:
    return isinstance(block, TextBlock) and _blank(block.text)


def _filled(block: Block) -> Block:
    if isinstance(block, ToolResult) and _says_nothing(block):
        return msgspec.structs.replace(block, text=EMPTY)
    return block


def _start_with_user(messages: Sequence[Message], fixes: list[str]) -> list[Message]:
    if messages and messages[0].role == "assistant":
        fixes.append("put a user message before the first assistant message")
        return [Message(role="user", content=(TextBlock(text=EMPTY),)), *messages]
    return list(messages)
