"""What there is to talk to: keys in the environment, servers on this computer, the embedded model, providers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

from helloclaw.i18n import Texts
from helloclaw.llm.address import shown_address
from helloclaw.llm.local.weights import DEFAULT, models_directory, pulled
from helloclaw.llm.local_servers import LocalServer
from helloclaw.llm.profile import Profile
from helloclaw.llm.providers import PROVIDERS, profile_named
from helloclaw.repl.first_start.steps import Offer
from helloclaw.repl.menu import Choice
from helloclaw.settings.values import Settings


def offers(settings: Settings, environ: Mapping[str, str], servers: Iterable[LocalServer], models: Path) -> list[Offer]:
    """What was found before what needs a key. `environ` is `SettingsSource.environ`, `models` the weights' home."""
    held = [*_address_in_environment(settings), *_keys_in_environment(settings, environ)]
    found = [_served(server, settings) for server in servers]
    taken = {offer.provider for offer in (*held, *found)}
    others = [
        Offer(kind="provider", name=profile.name, provider=profile.name, base_url=_kept_apart(profile, settings))
        for profile in PROVIDERS
        if profile.needs_key and profile.name not in taken
    ]
    return [*held, *found, *_embedded(environ, models), *others, Offer(kind="address", name="")]


def offer_choice(offer: Offer, say: Texts) -> Choice:
    match offer.kind:
        case "held":
            return Choice(offer, offer.name, say("first.offer.held", variable=offer.held_by))
        case "server":
            return Choice(offer, offer.name, say("first.offer.server", count=len(offer.models)))
        case "embedded" if offer.bytes:
            return Choice(offer, say("first.embedded"), say("first.offer.fetch", size=f"{offer.bytes / 1e9:.1f}"))
        case "embedded":
            return Choice(offer, say("first.embedded"), say("first.offer.ready"))
        case "provider":
            return Choice(offer, offer.name, say("first.offer.key"))
        case "address":
            return Choice(offer, say("first.address"), say("first.offer.address"))


def _address_in_environment(settings: Settings) -> list[Offer]:
    """An address that was set for us without a model. Anthropic's variable may be meant for another program."""
    origin = settings.origin("llm.base_url")
    if not settings.llm.base_url or origin.name == "ANTHROPIC_BASE_URL":
        return []
    return [Offer(kind="held", name=shown_address(settings.llm.base_url), held_by=origin.name)]


def _served(server: LocalServer, settings: Settings) -> Offer:
    """Its address is said where another one is set, or what is meant for this computer would go there."""
    profile = profile_named(server.provider)
    own = next(iter(profile.base_urls.values())) if profile and settings.llm.base_url else ""
    address = server.base_url or own
    return Offer(kind="server", name=server.name, provider=server.provider, base_url=address, models=server.models)


def _kept_apart(profile: Profile, settings: Settings) -> str:
    """The provider's own address where `ANTHROPIC_BASE_URL` is set: it is not for another provider's key."""
    foreign = settings.origin("llm.base_url").name == "ANTHROPIC_BASE_URL" and profile.name != "anthropic"
    return next(iter(profile.base_urls.values())) if foreign else ""


def _keys_in_environment(settings: Settings, environ: Mapping[str, str]) -> list[Offer]:
    found: list[Offer] = []
    for profile in PROVIDERS:
        variable = next((name for name in profile.key_vars if environ.get(name, "").strip()), "")
        if variable:
            address = _kept_apart(profile, settings)
            offer = Offer(kind="held", name=profile.name, provider=profile.name, base_url=address, held_by=variable)
            found.append(offer)
    return found


def _embedded(environ: Mapping[str, str], models: Path) -> list[Offer]:
    if find_spec("xllamacpp") is None:
        return []
    here = pulled(DEFAULT, models_directory(models, environ)) is not None
    return [Offer(kind="embedded", name=DEFAULT.title, provider="local", bytes=0 if here else DEFAULT.bytes)]
