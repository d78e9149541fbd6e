"""What the person has set and decided: settings with their sources, the files' privacy, trust in this directory."""

from __future__ import annotations

import shlex
import stat
from collections.abc import Sequence
from pathlib import Path

import msgspec

from helloclaw.doctor.check import Check, Ground
from helloclaw.i18n import Phrase
from helloclaw.llm.address import shown_setting
from helloclaw.settings.files import short
from helloclaw.settings.problems import SettingsError
from helloclaw.settings.table import all_settings
from helloclaw.settings.trust import is_trusted, trusted, what_waits
from helloclaw.settings.values import Origin, Settings

_LONGEST_VALUE = 60


def settings(ground: Ground) -> Sequence[Check]:
    """What is not at its default and who said so; secrets are only said to be there."""
    exposed = [
        _exposed(path, ground)
        for path in (ground.home.config, ground.home.dotenv, ground.home.permissions, ground.home.trust)
        if _others_may_read(path)
    ]
    try:
        found = ground.source.current()
    except SettingsError as problem:
        broken = Check(name="settings", state="fail", what=problem.phrase, fix=Phrase("doctor.settings.fix"))
        return (broken, *exposed)
    rows = [_row(found, key, origin) for key, origin in sorted(found.origins.items())]
    if not rows:
        return (Check(name="settings", state="ok", what=Phrase("doctor.settings.none")), *exposed)
    what = Phrase("doctor.settings.some", rows="\n".join(rows))
    return (Check(name="settings", state="ok", what=what), *exposed)


def trust(ground: Ground) -> Sequence[Check]:
    try:
        trusted(ground.home)
    except SettingsError as problem:
        return (Check(name="trust", state="fail", what=problem.phrase),)
    waiting = ", ".join(what_waits(ground.workdir))
    if is_trusted(ground.home, ground.workdir):
        return (Check(name="trust", state="ok", what=Phrase("doctor.trust.yes")),)
    if not waiting:
        return (Check(name="trust", state="ok", what=Phrase("doctor.trust.nothing")),)
    what, fix = Phrase("doctor.trust.no", names=waiting), Phrase("doctor.trust.fix")
    return (Check(name="trust", state="off", what=what, fix=fix),)


def _row(settings: Settings, key: str, origin: Origin) -> str:
    """`llm.model_id = deepseek/… ← ~/.helloclaw/config.json:3`, in no language."""
    setting = all_settings()[key]
    value = (
        getattr(settings, key) if key == setting.section else getattr(getattr(settings, setting.section), setting.name)
    )
    if isinstance(value, str):
        value = shown_setting(value)
    shown = "•••" if setting.secret else msgspec.json.encode(value).decode().strip('"')
    if len(shown) > _LONGEST_VALUE:
        shown = f"{shown[:_LONGEST_VALUE]}…"
    return f"{key} = {shown} ← {'.env ' if origin.level == 'dotenv' else ''}{origin.name or origin.level}"


def _others_may_read(path: Path) -> bool:
    try:
        return bool(stat.S_IMODE(path.stat().st_mode) & 0o077)
    except OSError:
        return False


def _exposed(path: Path, ground: Ground) -> Check:
    name = short(path, ground.environ)
    what = Phrase("doctor.settings.exposed", path=name, mode=f"{stat.S_IMODE(path.stat().st_mode):04o}")
    fix = Phrase("doctor.settings.exposed.fix", command=f"chmod 600 {shlex.quote(str(path))}")
    return Check(name="settings", state="warn", what=what, fix=fix)
