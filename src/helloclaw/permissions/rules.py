"""The rules that are kept in files: `permissions.json` of a person, and the one that a project brings."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from helloclaw.i18n import Phrase
from helloclaw.permissions.rule_syntax import BadRule, Rule, RuleSet, Source, parse_rule
from helloclaw.storage.atomic import PRIVATE_FILE, private_directory, replace_file

__all__ = ["BadRule", "ListName", "Rule", "RuleSet", "Source", "load_rules", "parse_rule", "remove_rule", "save_rule"]

ListName = Literal["allow", "deny", "ask"]
_LISTS: tuple[ListName, ...] = ("allow", "deny", "ask")


def load_rules(path: Path, source: Source) -> RuleSet:
    """The rules in a file; none if there is no file. Raises `BadRule`, which names file and entry, and `OSError`."""
    content = _read(path)
    return RuleSet(**{name: _parse_list(content.get(name, []), path, name, source) for name in _LISTS})


def save_rule(path: Path, rule: Rule, kind: ListName = "allow") -> None:
    """Add a rule to a file, replacing it whole; what else the file says stays. Raises `BadRule`, `OSError`."""
    content = _read(path)
    entries = content.setdefault(kind, [])
    _parse_list(entries, path, kind, rule.source)
    if rule.text not in entries:
        entries.append(rule.text)
        _write(path, content)


def remove_rule(path: Path, text: str) -> bool:
    """Take a rule out of every list of a file. False if it is in none. Raises `BadRule`, `OSError`."""
    content = _read(path)
    removed = False
    for name in _LISTS:
        entries = content.get(name, [])
        _parse_list(entries, path, name, "user")
        if text in entries:
            content[name] = [entry for entry in entries if entry != text]
            removed = True
    if removed:
        _write(path, content)
    return removed


def _parse_list(entries: Any, path: Path, name: ListName, source: Source) -> tuple[Rule, ...]:
    if not isinstance(entries, list):
        raise BadRule(name, Phrase("rule.list"), str(path))
    return tuple(
        _parse_entry(entry, f"{path}: {name}[{index}]", source)
        for index, entry in enumerate(cast("list[Any]", entries))
    )


def _parse_entry(entry: Any, place: str, source: Source) -> Rule:
    if not isinstance(entry, str):
        raise BadRule(msgspec.json.encode(entry).decode(), Phrase("rule.string"), place)
    try:
        return parse_rule(entry, source=source)
    except BadRule as error:
        raise BadRule(error.text, error.why, place) from None


def _read(path: Path) -> dict[str, Any]:
    if path.exists() and not path.is_file() and not path.is_dir():  # waited for, or read without end
        raise BadRule(path.name, Phrase("rule.no_file"), str(path))
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    if not data.strip():
        return {}
    try:
        content = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadRule(path.name, Phrase("rule.no_json", why=error), str(path)) from error
    if not isinstance(content, dict):
        raise BadRule(path.name, Phrase("rule.file"), str(path))
    lists = cast("dict[str, Any]", content)
    for name in lists:
        if name not in _LISTS:
            raise BadRule(name, Phrase("rule.lists"), str(path))
    return lists


def _write(path: Path, content: dict[str, Any]) -> None:
    if not path.parent.exists():
        private_directory(path.parent)
    replace_file(path, msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n", mode=PRIVATE_FILE)
