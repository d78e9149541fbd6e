"""`helloclaw model`: what models there are, which one is used, whether it works, and weights for this computer."""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec import structs

from helloclaw.cli.run import Run
from helloclaw.i18n import Texts
from helloclaw.llm.address import shown_address
from helloclaw.llm.events import Failed
from helloclaw.llm.failures import timed_out
from helloclaw.llm.local.weights import CATALOGUE, models_directory, pulled
from helloclaw.llm.profile import Profile
from helloclaw.llm.providers import PROVIDERS, UnknownModel, resolve
from helloclaw.llm.wire import Endpoint
from helloclaw.settings.choose import choose_model, stored_for_another
from helloclaw.settings.endpoint import endpoint_from
from helloclaw.settings.source import SettingsSource
from helloclaw.wording.failure import failure_text
from helloclaw.wording.plain import one_line

_LIST_TIMEOUT_S = 4.0


def main(run: Run) -> int:
    match run.action:
        case "list":
            return _list(run)
        case "use":
            return _use(run)
        case "test":
            from helloclaw.cli.model_test import test_model

            return test_model(run)
        case _:
            from helloclaw.cli.model_pull import pull_model

            return pull_model(run)


def _list(run: Run) -> int:
    source = run.settings()
    providers = [_provider(profile, source) for profile in PROVIDERS]
    local = _local(run)
    current, offered, problem = _current(source, run.say)
    if run.as_json:
        endpoint = {"base_url": shown_address(current.base_url), "models": offered} if current else None
        chosen = current.origin if current else None
        known = {"current": chosen, "providers": providers, "local": local}
        run.terminal.json(known | {"endpoint": endpoint, "problem": problem or None})
        return 0
    say = run.say
    run.terminal.line(say("model.current", model=current.origin) if current else one_line(problem))
    run.terminal.line()
    run.terminal.line(say("model.providers"))
    for row in providers:
        state = say(f"model.key.{row['key']}", variable=row["key_variable"])
        run.terminal.line(f"  {row['name']:<12} {one_line(row['default_model']):<28} {state}".rstrip())
    run.terminal.line()
    run.terminal.line(say("model.here"))
    for row in local:
        state = say("model.pulled") if row["pulled"] else say("model.not_pulled", size=f"{row['bytes'] / 1e9:.1f}")
        run.terminal.line(f"  local/{row['name']:<34} {state}")
    if current is not None and (offered or problem):
        run.terminal.line()
        run.terminal.line(say("model.offered", url=shown_address(current.base_url)))
        run.terminal.lines(f"  {one_line(name)}" for name in offered or [problem])
    return 0


def _provider(profile: Profile, source: SettingsSource) -> dict[str, Any]:
    held = next((name for name in profile.key_vars if source.environ.get(name)), "")
    state = "set" if held else "missing" if profile.needs_key else "unneeded"
    return {
        "name": profile.name,
        "wires": list(profile.base_urls),
        "default_model": profile.default_model,
        "key": state,
        "key_variable": held or next(iter(profile.key_vars), ""),
    }


def _local(run: Run) -> list[dict[str, Any]]:
    directory = models_directory(run.home().models, run.environ)
    rows: list[dict[str, Any]] = [
        {"name": each.name, "title": each.title, "bytes": each.bytes, "pulled": pulled(each, directory) is not None}
        for each in CATALOGUE
    ]
    known = {each.filename for each in CATALOGUE}
    for path in sorted(directory.glob("*.gguf")) if directory.is_dir() else []:
        if path.name not in known:
            size = path.stat().st_size
            rows.append({"name": str(path), "title": path.stem, "bytes": size, "pulled": True})
    return rows


def _current(source: SettingsSource, say: Texts) -> tuple[Endpoint | None, list[str], str]:
    """The settings' endpoint, what it offers, and what is wrong with it."""
    try:
        endpoint = endpoint_from(source.current(), source.environ)
    except UnknownModel as unknown:
        return None, [], say.say(unknown.phrase)
    if endpoint.profile.name == "local":
        return endpoint, [], ""
    answer = asyncio.run(_offered(structs.replace(endpoint, timeout_s=_LIST_TIMEOUT_S)))
    return (endpoint, [], failure_text(answer, say)) if isinstance(answer, Failed) else (endpoint, answer, "")


async def _offered(endpoint: Endpoint) -> list[str] | Failed:
    from helloclaw.llm.transport import Transport

    transport = Transport()
    try:
        async with asyncio.timeout(2 * _LIST_TIMEOUT_S):
            return await transport.list_models(endpoint)
    except TimeoutError:
        return timed_out(endpoint)
    finally:
        await transport.aclose()


def _use(run: Run) -> int:
    """Write the model into `config.json`, if there can be such a model; a key may still be missing."""
    name = run.required("name")
    home = run.home()
    source = run.settings()
    foreign = stored_for_another(home, name, run.environ)
    base_url = "" if "llm.base_url" in foreign else source.current().llm.base_url
    resolve(name, base_url=base_url or None, api_key="-", environ=source.environ)
    dropped = choose_model(home, name, run.environ)
    after = SettingsSource(home, run.environ)
    settings = after.current()
    if run.as_json:
        run.terminal.json({"model": name})
    else:
        run.terminal.line(run.say("model.is_now", model=name))
    if dropped:
        run.complain(run.say("model.dropped", keys=run.say("list.comma").join(dropped)))
    try:
        endpoint_from(settings, after.environ)
    except UnknownModel as problem:
        run.complain(run.say("error.plain", text=problem.phrase))
    return 0
