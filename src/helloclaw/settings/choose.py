"""Another model from now on, written into `config.json` without the address and the key of the one before."""

from __future__ import annotations

from collections.abc import Mapping

from helloclaw.llm.profile import Profile
from helloclaw.llm.providers import profile_for_host, profile_named
from helloclaw.settings.connection import CONNECTION
from helloclaw.settings.environment import Given
from helloclaw.settings.files import config_values, short, snapshot
from helloclaw.settings.write import write_settings
from helloclaw.storage.paths import Home


def choose_model(home: Home, name: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Write the model, and take out what was stored for another provider: the keys of that are returned.

    Raises as `write_settings` does.
    """
    dropped = stored_for_another(home, name, environ)
    write_settings(home, {"llm.model_id": name, **dict.fromkeys(dropped)}, environ)
    return dropped


def stored_for_another(home: Home, name: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The keys in `config.json` that would send `name` to another provider, or another's key to it.

    Raises `SettingsError`.
    """
    stored = config_values(snapshot(home.config, home.dotenv).config, short(home.config, environ))
    chosen, before = _provider(name), _stored_provider(stored)
    if chosen is None:
        return ()
    if chosen.name == "local":  # it has neither address nor key; the key may be wanted again
        return tuple(key for key in ("llm.base_url", "llm.wire") if key in stored)
    if before is None or before.name in (chosen.name, "local"):
        return ()
    return tuple(key for key in CONNECTION if key in stored)


def _stored_provider(stored: Mapping[str, Given]) -> Profile | None:
    """Whose connection is stored: its address tells, else the model that it was stored with."""
    if "llm.base_url" in stored:
        return profile_for_host(str(stored["llm.base_url"].value))
    return _provider(str(stored["llm.model_id"].value)) if "llm.model_id" in stored else None


def _provider(model_id: str) -> Profile | None:
    name, slash, _ = model_id.partition("/")
    return profile_named(name) if slash or name == "local" else None
