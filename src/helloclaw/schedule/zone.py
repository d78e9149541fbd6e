"""The machine's time zone, by the rules that change its clocks."""

from __future__ import annotations

import os
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_LINK = Path("/etc/localtime")
_NAME = Path("/etc/timezone")


def local_zone() -> tzinfo:
    """From `TZ`, `/etc/localtime` or `/etc/timezone`; else a fixed offset, which is what the clock shows now."""
    for name in (os.environ.get("TZ", "").lstrip(":"), _linked(), _named()):
        if name:
            try:
                return ZoneInfo(name)
            except (ZoneInfoNotFoundError, ValueError, OSError):
                continue
    return datetime.now().astimezone().tzinfo or UTC


def _linked() -> str:
    try:
        target = os.path.realpath(_LINK)
    except OSError:
        return ""
    return target.partition("/zoneinfo/")[2]


def _named() -> str:
    try:
        return _NAME.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
