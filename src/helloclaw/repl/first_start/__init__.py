"""The questions of a first start. This module only tells whether they are due: it is on the way to every prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from helloclaw.settings.source import SettingsSource


def needs_first_start(source: SettingsSource) -> bool:
    """Whether nobody has said anything yet: `config.json` says nothing, and no flag or variable names a model.

    Raises `SettingsError` if the settings were never read and can't be.
    """
    settings = source.current()
    chosen = settings.origin("llm.model_id").level != "default"
    return not chosen and all(origin.level != "file" for origin in settings.origins.values())


def asks_for_mode(source: SettingsSource) -> bool:
    """Whether the permission mode is a question: neither `--mode` nor `config.json` has said it."""
    return source.current().origin("permissions.mode").level == "default"
