"""Read `~/.helloclaw/config.json` and `.env`. Every complaint names the file, the line, and what was probably meant."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from helloclaw.i18n import Phrase
from helloclaw.settings import jsonc
from helloclaw.settings.dotenv import Assignment, DotenvProblem, parse_dotenv
from helloclaw.settings.environment import Given
from helloclaw.settings.problems import SettingsError, nearest
from helloclaw.settings.table import Setting, all_settings, checked, expectation
from helloclaw.settings.values import Origin


class Snapshot(Struct, frozen=True, kw_only=True):
    """What the files say, byte for byte; None for one that isn't there. Equal snapshots give equal settings."""

    config: bytes | None
    dotenv: bytes | None


def snapshot(config: Path, dotenv: Path) -> Snapshot:
    """Raises `SettingsError` for a file that is there and can't be read."""
    return Snapshot(config=_bytes_of(config), dotenv=_bytes_of(dotenv))


def short(path: Path, environ: Mapping[str, str]) -> str:
    """`path` as a person writes it, with `~`."""
    home = environ.get("HOME")
    return f"~/{path.relative_to(home)}" if home and path.is_relative_to(home) else str(path)


def config_values(data: bytes | None, name: str) -> dict[str, Given]:
    """What `config.json` says, by key. `null` and `""` say nothing. Raises `SettingsError`."""
    document = parsed_config(data, name)
    found: dict[str, Given] = {}
    for section, value in document.value.items():
        if section in all_settings():
            members: list[tuple[str, Any]] = [(section, value)]
        elif _is_section(section):
            members = _members(document, section, value, name)
        else:
            raise _unknown(document, (section,), _sections(), name)
        for key, member in members:
            if member is not None and member != "":
                origin = Origin("file", f"{name}:{document.line(tuple(key.split('.')))}")
                found[key] = Given(_typed(document, key, member, name), origin)
    return found


def parsed_config(data: bytes | None, name: str) -> jsonc.Document:
    """Raises `SettingsError` for what is no JSON object."""
    try:
        return jsonc.parse(_decoded(data, name))
    except jsonc.JsonProblem as problem:
        raise SettingsError("settings.broken_json", place=_line(name, problem.line), what=problem.what) from problem


def dotenv_values(data: bytes | None, name: str) -> dict[str, Assignment]:
    """Raises `SettingsError` for a line that assigns nothing."""
    try:
        return parse_dotenv(_decoded(data, name))
    except DotenvProblem as problem:
        raise SettingsError("settings.broken_dotenv", place=_line(name, problem.line)) from problem


def _bytes_of(path: Path) -> bytes | None:
    try:
        if not path.is_dir() and path.exists() and not path.is_file():  # a FIFO would be waited for, for ever
            raise OSError(errno.EINVAL, "it is a FIFO or a device, not a file")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError("settings.unreadable", place=str(path), why=error.strerror or str(error)) from error


def _decoded(data: bytes | None, name: str) -> str:
    try:
        return (data or b"").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = (data or b"").count(b"\n", 0, error.start) + 1
        raise SettingsError("settings.not_utf8", place=_line(name, line)) from error


def _members(document: jsonc.Document, section: str, value: Any, name: str) -> list[tuple[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, dict):
        place = _line(name, document.line((section,)))
        raise SettingsError("settings.wrong_type", place=place, key=section, expected=Phrase("type.object"))
    members: list[tuple[str, Any]] = []
    for member, given in msgspec.convert(value, dict[str, Any]).items():
        key = f"{section}.{member}"
        if key not in all_settings():
            raise _unknown(document, (section, member), _names(section), name)
        members.append((key, given))
    return members


def _typed(document: jsonc.Document, key: str, value: Any, name: str) -> Any:
    setting: Setting = all_settings()[key]
    try:
        return checked(setting, value)
    except msgspec.ValidationError as error:
        place = _line(name, document.line(tuple(key.split("."))))
        expected = expectation(setting)
        raise SettingsError("settings.wrong_type", place=place, key=setting.name, expected=expected) from error


def _unknown(document: jsonc.Document, path: jsonc.Path, known: list[str], name: str) -> SettingsError:
    place = _line(name, document.line(path))
    near = nearest(path[-1], known)
    if near is None:
        return SettingsError("settings.unknown", place=place, key=path[-1], known=", ".join(known))
    return SettingsError("settings.unknown_near", place=place, key=path[-1], near=near)


def _is_section(word: str) -> bool:
    return any(setting.section == word and setting.in_file for setting in all_settings().values())


def _sections() -> list[str]:
    return list(dict.fromkeys(setting.section for setting in all_settings().values() if setting.in_file))


def _names(section: str) -> list[str]:
    return [setting.name for setting in all_settings().values() if setting.section == section]


def _line(name: str, line: int) -> Phrase:
    return Phrase("place.line", file=name, line=line)
