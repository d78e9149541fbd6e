"""Change `config.json`: one value or several, whole or not at all, comments and layout left as they were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from helloclaw.i18n import Phrase
from helloclaw.settings import jsonc
from helloclaw.settings.files import parsed_config, short, snapshot
from helloclaw.settings.problems import SettingsError
from helloclaw.settings.table import Setting, all_settings, checked, expectation
from helloclaw.storage.atomic import PRIVATE_FILE, private_directory, replace_file
from helloclaw.storage.locks import hold
from helloclaw.storage.paths import Home

_LOCK_WAIT_S = 10.0


def write_setting(home: Home, setting: Setting, value: Any, environ: Mapping[str, str]) -> None:
    """Set one value; None takes it back to "not said".

    Raises `SettingsError` for a value of the wrong type or a file that is broken already, `Busy`, `OSError`.
    """
    write_settings(home, {setting.key: value}, environ)


def write_settings(home: Home, values: Mapping[str, Any], environ: Mapping[str, str]) -> None:
    """Set several values by their keys, all of them or none. Raises like `write_setting`."""
    for key, value in values.items():
        _check(all_settings()[key], value)
    private_directory(home.root)
    lock = hold(home.cache / "config.lock", timeout_s=_LOCK_WAIT_S)
    try:
        data = snapshot(home.config, home.dotenv).config
        for key, value in values.items():
            document = parsed_config(data, short(home.config, environ))
            data = jsonc.replaced(document, tuple(key.split(".")), value).encode()
        replace_file(home.config, data or b"", mode=PRIVATE_FILE)
    finally:
        lock.release()


def _check(setting: Setting, value: Any) -> None:
    try:
        if value is not None:
            checked(setting, value)
    except msgspec.ValidationError as error:
        shown = "…" if setting.secret else msgspec.json.encode(value).decode()
        expected: Phrase = expectation(setting)
        raise SettingsError("config.bad_value", key=setting.key, value=shown, expected=expected) from error


def create_config(home: Home) -> None:
    """Make a `config.json` with every setting at its default, commented out, unless there is one. Raises `OSError`."""
    private_directory(home.root)
    if not home.config.exists():
        replace_file(home.config, template().encode(), mode=PRIVATE_FILE)


def template() -> str:
    """A file that sets nothing and shows everything."""
    sections: dict[str, list[str]] = {}
    lines = ["{"]
    for setting in all_settings().values():
        if not setting.in_file:
            continue
        written = msgspec.json.encode(setting.default).decode()
        if setting.key == setting.section:
            sections[setting.key] = [f'  // "{setting.key}": {written},']
        else:
            sections.setdefault(setting.section, []).append(f'    // "{setting.name}": {written},')
    for section, members in sections.items():
        lines += members if section in all_settings() else [f'  "{section}": {{', *members, "  },"]
    return "\n".join([*lines, "}", ""])
