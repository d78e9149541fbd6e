"""From settings to the model's address, wire and key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from helloclaw.llm.providers import resolve
from helloclaw.llm.wire import Endpoint
from helloclaw.settings.connection import CONNECTION, fit_connection
from helloclaw.settings.environment import Given
from helloclaw.settings.values import LlmSettings, Origin, Settings

EMBEDDED = "local"


def endpoint_from(settings: Settings, environ: Mapping[str, str], *, model_id: str | None = None) -> Endpoint:
    """Where the settings' model is, or `model_id` in its place (a fallback), and how to speak to it.

    With nothing set it is the embedded model. `environ` is `SettingsSource.environ`: providers' own key variables are
    looked up there. Raises `UnknownModel`.
    """
    llm = settings.llm if model_id is None else _with_model(settings, model_id, environ)
    from_anthropic = settings.origin("llm.base_url").name == "ANTHROPIC_BASE_URL"
    if not llm.model_id and not llm.api_key and (not llm.base_url or from_anthropic):
        # An `ANTHROPIC_BASE_URL` without a model is there for another program.
        llm = structs.replace(llm, model_id=EMBEDDED, base_url="")
    return resolve(
        llm.model_id,
        base_url=llm.base_url or None,
        api_key=llm.api_key or None,
        wire=llm.wire,
        url_from_anthropic_variable=from_anthropic and bool(llm.base_url),
        environ=environ,
        context_window=llm.context_window,
        timeout_s=llm.timeout_s,
        stream=llm.stream,
    )


def _with_model(settings: Settings, model_id: str, environ: Mapping[str, str]) -> LlmSettings:
    """The settings with another model, and of the connection only what fits it."""
    llm = settings.llm
    said = {f"llm.{name}": value for name, value in structs.asdict(llm).items()}
    blank = structs.asdict(LlmSettings())
    below = {
        key: Given(said[key], settings.origin(key))
        for key in ("llm.model_id", *CONNECTION)
        if said[key] != blank[key.removeprefix("llm.")]
    }
    chosen = {"llm.model_id": Given(model_id, Origin("flag"))}
    fitting = fit_connection((chosen, below), environ)[1]
    connection: dict[str, Any] = {
        key.removeprefix("llm."): fitting[key].value if key in fitting else blank[key.removeprefix("llm.")]
        for key in CONNECTION
    }
    return structs.replace(llm, model_id=model_id, **connection)
