"""Which files a conversation was about, as its calls name them: what a summary must not forget. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from helloclaw.llm.messages import Message, ToolCall

MOST_FILES = 50
_READING = frozenset(("read_file",))
_CHANGING = frozenset(("write_file", "edit_file"))


def files_of(messages: Iterable[Message], read: Sequence[str], changed: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """(read, changed): the files that were known of before and those that these messages name, most recent last.

    A file that was changed is not listed as read, too. Each list holds the latest fifty.
    """
    reads, changes = dict.fromkeys(read), dict.fromkeys(changed)
    for message in messages:
        for block in message.content:
            match block:
                case ToolCall(name=name, input={"path": str(path)}) if name in _READING:
                    _move_to_end(reads, path)
                case ToolCall(name=name, input={"path": str(path)}) if name in _CHANGING:
                    _move_to_end(changes, path)
                case _:
                    pass
    only_read = [path for path in reads if path not in changes]
    return tuple(only_read[-MOST_FILES:]), tuple(list(changes)[-MOST_FILES:])


def _move_to_end(known: dict[str, None], path: str) -> None:
    known.pop(path, None)
    known[path] = None
