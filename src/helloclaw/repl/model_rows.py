"""Models to choose from: what servers here and the present address offer, and what keys are there for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from helloclaw.i18n import Texts
from helloclaw.repl.menu import Choice
from helloclaw.wording.plain import one_line

if TYPE_CHECKING:
    from helloclaw.settings.source import SettingsSource

_TIMEOUT_S = 4.0
_MOST = 300


async def model_rows(source: SettingsSource, say: Texts) -> list[Choice]:
    """Nearest first, each once. What does not answer in time is left out."""
    from helloclaw.llm.local_servers import find_local_servers
    from helloclaw.llm.providers import PROVIDERS

    offered, servers = await asyncio.gather(_offered(source), find_local_servers(source.environ))
    rows = [Choice(value=name, label=one_line(name), about=say("model.row.offered")) for name in offered[:_MOST]]
    for server in servers:
        rows += [
            Choice(
                value=f"{server.provider}/{name}",
                label=f"{server.provider}/{one_line(name)}",
                about=say("model.row.here"),
            )
            for name in server.models[:_MOST]
        ]
    rows.append(Choice(value="local", label="local", about=say("model.row.embedded")))
    for profile in PROVIDERS:
        if profile.default_model and any(source.environ.get(name) for name in profile.key_vars):
            name = f"{profile.name}/{profile.default_model}"
            rows.append(Choice(value=name, label=name, about=say("model.row.key")))
    return list({row.value: row for row in reversed(rows)}.values())[::-1]


async def _offered(source: SettingsSource) -> list[str]:
    """What the present address has, as names that `/model` takes."""
    from msgspec import structs

    from helloclaw.llm.events import Failed
    from helloclaw.llm.providers import UnknownModel
    from helloclaw.llm.transport import Transport
    from helloclaw.settings.endpoint import endpoint_from

    try:
        endpoint = endpoint_from(source.current(), source.environ)
    except UnknownModel:
        return []
    if endpoint.profile.name == "local":
        return []
    transport = Transport()
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            answer = await transport.list_models(structs.replace(endpoint, timeout_s=_TIMEOUT_S))
    except TimeoutError:
        return []
    finally:
        await transport.aclose()
    if isinstance(answer, Failed):
        return []
    named = endpoint.profile.name if not source.current().llm.base_url else ""
    return [f"{named}/{name}" if named and named != "custom" else name for name in answer]
