"""The model that the settings name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from helloclaw.agent.config import CannotRun
from helloclaw.i18n import Phrase
from helloclaw.llm.model import ChatModel, open_model
from helloclaw.llm.wire import Endpoint
from helloclaw.settings.endpoint import endpoint_from
from helloclaw.settings.values import Settings
from helloclaw.storage.paths import Home


def endpoints_of(settings: Settings, environ: Mapping[str, str]) -> tuple[Endpoint, Endpoint | None]:
    """The model's endpoint and the fallback's. Raises `CannotRun`."""
    from helloclaw.llm.providers import UnknownModel

    try:
        main = endpoint_from(settings, environ)
        name = settings.llm.fallback_model_id
        return main, (endpoint_from(settings, environ, model_id=name) if name else None)
    except UnknownModel as problem:
        raise CannotRun(problem.message, problem.hint, problem.phrase) from problem


def model_at(
    endpoints: tuple[Endpoint, Endpoint | None], home: Home, tell: Callable[[Phrase | None], None]
) -> ChatModel:
    main, fallback = endpoints
    if main.profile.name == "local":
        from helloclaw.llm.local import LocalModel

        return LocalModel(main, home.models, on_status=tell)
    return open_model(main, fallback)
