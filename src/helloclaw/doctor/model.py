"""The model: is it there, does it take the key, does the server have it? And the embedded one: could it run?"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from importlib.util import find_spec

from msgspec import structs

from helloclaw.doctor.check import Check, Ground
from helloclaw.i18n import Phrase
from helloclaw.llm.address import shown_address
from helloclaw.llm.events import Failed
from helloclaw.llm.local.weights import DEFAULT, models_directory, pulled
from helloclaw.llm.providers import UnknownModel, near_names
from helloclaw.llm.wire import Endpoint
from helloclaw.settings.endpoint import endpoint_from
from helloclaw.settings.problems import SettingsError

WAIT_S = 10.0
_NO_LIST = frozenset({"not_found", "protocol", "bad_request", "not_an_api"})
"""Failures of listing models that a server which only has no such list gives too."""


async def reached(ground: Ground) -> Sequence[Check]:
    """Ask the settings' model's server, for at most 10 seconds: for its list, or where it has none for a few words."""
    try:
        endpoint = _endpoint(ground)
    except SettingsError:
        return (Check(name="model", state="off", what=Phrase("doctor.model.unknown")),)
    except UnknownModel as unknown:
        return (Check(name="model", state="fail", what=unknown.what, fix=unknown.next_step),)
    if endpoint.profile.name == "local":
        return (_embedded_model(ground, endpoint),)
    began = time.monotonic()
    try:
        async with asyncio.timeout(WAIT_S):
            answer = await _listed(structs.replace(endpoint, timeout_s=WAIT_S))
            if isinstance(answer, Failed) and answer.kind in _NO_LIST:
                return (await _called(ground, endpoint),)
    except TimeoutError:
        what = Phrase("doctor.model.silent", url=shown_address(endpoint.base_url), seconds=f"{WAIT_S:.0f}")
        return (Check(name="model", state="fail", what=what, fix=Phrase("doctor.model.silent.fix")),)
    if isinstance(answer, Failed):
        return (_refused(answer),)
    return (_offered(endpoint, answer, time.monotonic() - began),)


def embedded(ground: Ground) -> Sequence[Check]:
    size = f"{DEFAULT.bytes / 1e9:.1f}"
    if find_spec("xllamacpp") is None:
        what, fix = Phrase("doctor.embedded.none"), Phrase("doctor.embedded.none.fix")
        return (Check(name="embedded", state="off", what=what, fix=fix),)
    path = pulled(DEFAULT, models_directory(ground.home.models, ground.environ))
    if path is None:
        what, fix = Phrase("doctor.embedded.no_weights", title=DEFAULT.title), Phrase("doctor.embedded.pull", size=size)
        return (Check(name="embedded", state="off", what=what, fix=fix),)
    return (Check(name="embedded", state="ok", what=Phrase("doctor.embedded.ok", title=DEFAULT.title)),)


def _endpoint(ground: Ground) -> Endpoint:
    settings = ground.source.current()
    return endpoint_from(settings, ground.source.environ)


async def _listed(endpoint: Endpoint) -> list[str] | Failed:
    from helloclaw.llm.transport import Transport

    transport = Transport()
    try:
        return await transport.list_models(endpoint)
    finally:
        await transport.aclose()


async def _called(ground: Ground, endpoint: Endpoint) -> Check:
    from helloclaw.doctor.trial import try_model

    llm = structs.replace(ground.source.current().llm, max_output_tokens=64, thinking="off")
    heard = await try_model(endpoint, llm, models=ground.home.models, environ=ground.environ)
    if heard.failure is not None:
        return _refused(heard.failure)
    what = Phrase(
        "doctor.model.answers",
        model=endpoint.origin,
        url=shown_address(endpoint.base_url),
        ms=f"{heard.whole_s * 1000:.0f}",
    )
    return Check(name="model", state="ok", what=what)


def _offered(endpoint: Endpoint, names: list[str], seconds: float) -> Check:
    known = {"model": endpoint.origin, "url": shown_address(endpoint.base_url), "ms": f"{seconds * 1000:.0f}"}
    # A tag may be left out, and Gemini's list has a prefix.
    plain = {name.removeprefix("models/").removesuffix(":latest") for name in names}
    if endpoint.model.removesuffix(":latest") in plain:
        return Check(name="model", state="ok", what=Phrase("doctor.model.listed", **known))
    near = ", ".join(near_names(endpoint.model, sorted(plain))) or "–"
    fix = Phrase("doctor.model.unlisted.fix", near=near)
    return Check(name="model", state="warn", what=Phrase("doctor.model.unlisted", **known), fix=fix)


def _embedded_model(ground: Ground, endpoint: Endpoint) -> Check:
    """The settings mean the embedded model, which is not started for this."""
    from helloclaw.llm.local.weights import UnknownWeights, find

    try:
        weights = find(endpoint.model)
    except UnknownWeights:
        return Check(name="model", state="ok", what=Phrase("doctor.model.own_weights", model=endpoint.origin))
    if find_spec("xllamacpp") is None:
        fix = Phrase("doctor.model.embedded.fix")
        return Check(name="model", state="fail", what=Phrase("doctor.model.embedded.none"), fix=fix)
    if pulled(weights, models_directory(ground.home.models, ground.environ)) is None:
        what, fix = (
            Phrase("doctor.model.embedded.unpulled"),
            Phrase("doctor.embedded.pull", size=f"{weights.bytes / 1e9:.1f}"),
        )
        return Check(name="model", state="warn", what=what, fix=fix)
    return Check(name="model", state="ok", what=Phrase("doctor.model.embedded.ok", model=endpoint.origin))


def _refused(failed: Failed) -> Check:
    what = Phrase("doctor.model.failed", detail=failed.detail or failed.message)
    return Check(name="model", state="fail", what=what, fix=Phrase(f"failure.{failed.kind}"))
