"""What `.hooks.json` says: events, and the commands to run at each. Pure; whether it may count is for `source`.

    {"hooks": {"PreToolUse": [{"matcher": "bash|write_*", "command": "./check.sh", "onError": "continue"}]}}

The nested form of Claude Code is refused, not read: there exit code 2 blocks a call, here it lets the call pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any, Literal, cast, get_args

from msgspec import Struct

from helloclaw.i18n import Phrase
from helloclaw.settings import jsonc
from helloclaw.settings.problems import SettingsError, nearest

HookEvent = Literal[
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "RoundEnd", "SessionEnd"
]
EVENTS: tuple[HookEvent, ...] = get_args(HookEvent)
LIMIT_S = 30.0
"""How long one run of a hook may take."""

_TOOL_EVENTS = ("PreToolUse", "PostToolUse")
_GUARDED = ("PreToolUse", "UserPromptSubmit")
_KEYS = ("matcher", "command", "onError")
_TOP = ("hooks", "$schema")
_MOST_BYTES = 1024 * 1024


class Hook(Struct, frozen=True, kw_only=True):
    """One command for one event. `line` is where it stands in the file, counted from 1.

    `guards`: what it was to check does not happen when it fails to answer.
    """

    event: HookEvent
    command: str
    matcher: str = ""
    guards: bool = False
    line: int = 0

    def wants(self, tool: str) -> bool:
        """Whether the hook is for calls of `tool`: a name, `a|b`, or a glob, in any case. Empty is all."""
        patterns = self.matcher.casefold().split("|")
        return any(not pattern.strip() or fnmatchcase(tool.casefold(), pattern.strip()) for pattern in patterns)


def read_hooks(data: bytes, name: str) -> tuple[Hook, ...]:
    """The hooks in the order of the file, which is called `name` in complaints. Raises `SettingsError`."""
    document = _parsed(data, name)
    _known(document, (), document.value, _TOP, name)
    if document.repeated:
        twice = document.repeated[0]
        raise SettingsError("hooks.repeated", place=_line(name, document, twice), key=twice[-1])
    events = document.value.get("hooks", {})
    if not isinstance(events, dict):
        raise _wrong(name, document, ("hooks",), Phrase("type.object"))
    events = cast("dict[str, Any]", events)
    _known(document, ("hooks",), events, EVENTS, name)
    return tuple(
        _hook(document, event, number, item, name)
        for event in EVENTS
        for number, item in enumerate(_items(document, event, events.get(event, []), name))
    )


def _parsed(data: bytes, name: str) -> jsonc.Document:
    if len(data) > _MOST_BYTES:
        raise SettingsError("hooks.too_long", place=name, size=_MOST_BYTES // 1024)
    try:
        return jsonc.parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError("hooks.not_utf8", place=Phrase("place.line", file=name, line=line)) from error
    except jsonc.JsonProblem as problem:
        place = Phrase("place.line", file=name, line=problem.line)
        raise SettingsError("hooks.broken_json", place=place, what=problem.what) from problem


def _items(document: jsonc.Document, event: HookEvent, value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(name, document, ("hooks", event), Phrase("hooks.type.list"))
    return cast("list[Any]", value)


def _hook(document: jsonc.Document, event: HookEvent, number: int, item: Any, name: str) -> Hook:
    path = ("hooks", event, str(number))
    if not isinstance(item, dict):
        raise _wrong(name, document, path, Phrase("type.object"))
    item = cast("dict[str, Any]", item)
    if "hooks" in item:
        raise SettingsError("hooks.nested", place=_line(name, document, (*path, "hooks")))
    _known(document, path, item, _KEYS, name)
    for key in item:
        if not isinstance(item[key], str):
            raise _wrong(name, document, (*path, key), Phrase("type.text"))
    command, matcher = str(item.get("command", "")), str(item.get("matcher", ""))
    if not command.strip() or "\0" in command:
        raise SettingsError("hooks.no_command", place=_line(name, document, path), event=event)
    if matcher.strip() not in ("", "*") and event not in _TOOL_EVENTS:
        raise SettingsError("hooks.no_tool", place=_line(name, document, (*path, "matcher")), event=event)
    on_error = item.get("onError", "block" if event == "PreToolUse" else "continue")
    if on_error not in ("block", "continue"):
        expected = Phrase("type.one_of", choices="block | continue")
        raise _wrong(name, document, (*path, "onError"), expected)
    if item.get("onError") == "block" and event not in _GUARDED:
        raise SettingsError("hooks.no_block", place=_line(name, document, (*path, "onError")), event=event)
    return Hook(
        event=event,
        command=command,
        matcher=matcher,
        guards=on_error == "block",
        line=document.line(path),
    )


def _known(
    document: jsonc.Document, path: jsonc.Path, members: Iterable[str], known: tuple[str, ...], name: str
) -> None:
    for key in members:
        if key in known:
            continue
        place = _line(name, document, (*path, key))
        near = nearest(key.casefold(), [each.casefold() for each in known])
        if near is None:
            raise SettingsError("hooks.unknown", place=place, key=key, known=", ".join(known))
        meant = next(each for each in known if each.casefold() == near)
        raise SettingsError("hooks.unknown_near", place=place, key=key, near=meant)


def _wrong(name: str, document: jsonc.Document, path: jsonc.Path, expected: Phrase) -> SettingsError:
    key = f"{path[-2]}[{path[-1]}]" if path[-1].isdigit() else path[-1]
    return SettingsError("hooks.wrong_type", place=_line(name, document, path), key=key, expected=expected)


def _line(name: str, document: jsonc.Document, path: jsonc.Path) -> Phrase:
    return Phrase("place.line", file=name, line=document.line(path))
