"""`helloclaw config`: show, change and edit `config.json`. Secrets are never printed."""

from __future__ import annotations

import os
import shlex
import subprocess
from typing import Any

import msgspec

from helloclaw.cli.run import NothingThere, Run
from helloclaw.llm.address import shown_setting
from helloclaw.settings.problems import nearest
from helloclaw.settings.source import SettingsSource
from helloclaw.settings.table import Setting, all_settings, expectation
from helloclaw.settings.values import Origin, Settings
from helloclaw.settings.write import create_config, write_setting

# What people call a setting that has another name here.
_ALIASES = {"model": "llm.model_id"}


def main(run: Run) -> int:
    match run.action:
        case "list":
            return _list(run)
        case "get":
            return _get(run)
        case "set":
            return _set(run)
        case "edit":
            return _edit(run)
        case _:
            return _path(run)


def _list(run: Run) -> int:
    settings = run.settings().current()
    rows = [(setting, _value(settings, setting), settings.origin(setting.key)) for setting in all_settings().values()]
    if run.as_json:
        run.terminal.json([_as_json(setting, value, origin) for setting, value, origin in rows])
        return 0
    width = max(len(_shown_key(setting)) for setting, _, _ in rows)
    shown = [
        (_shown_key(setting), _shown(run, setting, value), _source(run, origin)) for setting, value, origin in rows
    ]
    value_width = min(40, max(len(value) for _, value, _ in shown))
    run.terminal.lines(f"{key:<{width}}  {value:<{value_width}}  {source}".rstrip() for key, value, source in shown)
    return 0


def _get(run: Run) -> int:
    setting = _setting(run.required("key"))
    settings = run.settings().current()
    value = _value(settings, setting)
    if run.as_json:
        run.terminal.json(_as_json(setting, value, settings.origin(setting.key)))
    else:
        run.terminal.line(_shown(run, setting, value))
    return 0


def _set(run: Run) -> int:
    setting = _setting(run.required("key"))
    if not setting.in_file:
        raise NothingThere("config.only_environment", variable=setting.variables[0])
    text = run.required("value")
    if text == "-":
        text = run.terminal.stdin.readline().strip() if run.terminal.stdin else ""
    home = run.home()
    write_setting(home, setting, _meant(setting, text), run.environ)
    settings = SettingsSource(home, run.environ).current()
    value, origin = _value(settings, setting), settings.origin(setting.key)
    if run.as_json:
        run.terminal.json(_as_json(setting, value, origin))
    else:
        run.terminal.line(run.say("config.is_now", key=setting.key, value=_shown(run, setting, value)))
    return 0


def _edit(run: Run) -> int:
    """Open the file in the person's editor, then say whether what they wrote is good."""
    home = run.home()
    create_config(home)
    editor = run.environ.get("VISUAL") or run.environ.get("EDITOR") or ("notepad" if os.name == "nt" else "vi")
    try:
        done = subprocess.run([*shlex.split(editor), str(home.config)], check=False)
    except (OSError, ValueError) as error:
        raise NothingThere("config.no_editor", editor=editor, path=str(home.config)) from error
    if done.returncode != 0:
        raise NothingThere("config.editor_failed", editor=editor, code=done.returncode)
    SettingsSource(home, run.environ).current()
    run.terminal.line(run.say("config.good", path=str(home.config)))
    return 0


def _path(run: Run) -> int:
    path = str(run.home().config)
    if run.as_json:
        run.terminal.json({"path": path})
    else:
        run.terminal.line(path)
    return 0


def _setting(key: str) -> Setting:
    """The row for a key as a person writes it: whole, or its last part if that is enough."""
    rows = all_settings()
    if key in rows:
        return rows[key]
    named = [setting for setting in rows.values() if key in (setting.name, *setting.variables)]
    if len(named) == 1:
        return named[0]
    names = [*rows, *(setting.name for setting in rows.values()), *_ALIASES]
    # `model.name`, `llm.model`: one part of it may be right.
    parts = (key, key.rpartition(".")[2], key.partition(".")[0])
    near = next((found for part in parts if (found := nearest(part, names))), None)
    if near is None:
        raise NothingThere("config.unknown", key=key)
    by_name = {setting.name: setting.key for setting in rows.values()} | _ALIASES
    raise NothingThere("config.unknown_near", key=key, near=near if near in rows else by_name[near])


def _meant(setting: Setting, text: str) -> Any:
    """What a person means by `text`: itself where the setting is text, else JSON, else the word (`on`, `yes`)."""
    if setting.type is str:
        return text
    words = {"on": True, "yes": True, "off": False, "no": False} if setting.type is bool else {}
    if text.lower() in words:
        return words[text.lower()]
    try:
        value = msgspec.json.decode(text.encode("utf-8", "replace"))
    except msgspec.DecodeError:
        value = text
    if isinstance(value, str) and setting.type == tuple[str, ...]:
        raise NothingThere("config.bad_value", key=setting.key, value=text, expected=expectation(setting))
    return value


def _value(settings: Settings, setting: Setting) -> Any:
    if setting.key == setting.section:
        return getattr(settings, setting.section)
    return getattr(getattr(settings, setting.section), setting.name)


def _as_json(setting: Setting, value: Any, origin: Origin) -> dict[str, Any]:
    shown = {"set": bool(value)} if setting.secret else shown_setting(value) if isinstance(value, str) else value
    return {"key": _shown_key(setting), "value": shown, "source": origin.level, "from": origin.name or None}


def _shown_key(setting: Setting) -> str:
    return setting.key if setting.in_file else setting.variables[0]


def _shown(run: Run, setting: Setting, value: Any) -> str:
    if setting.secret and value:
        return run.say("config.secret")
    if value is None or value == "":
        return run.say("config.unset")
    return shown_setting(value) if isinstance(value, str) else msgspec.json.encode(value).decode()


def _source(run: Run, origin: Origin) -> str:
    return run.say(f"config.source.{origin.level}", name=origin.name)
