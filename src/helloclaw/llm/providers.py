"""Choose the provider, wire, address and key that a model's name and a base URL mean.

The rules are in the contract: `provider/model` names a built-in provider; a bare name takes its quirks from the host of
the base URL and, at hosts that serve many makers' models or that nobody knows, from the model's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from msgspec.structs import replace

from helloclaw.i18n import AdvisedError
from helloclaw.llm.address import shown_address
from helloclaw.llm.profile import Profile
from helloclaw.llm.provider_profiles import CUSTOM, CUSTOM_LOCAL, FAMILIES, PROFILES, WINDOWS, Family
from helloclaw.llm.wire import Endpoint, WireName

_ANTHROPIC_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")

WireChoice = Literal["auto", "anthropic", "openai"]

PROVIDERS: tuple[Profile, ...] = PROFILES
"""Everything that can stand before the slash, in the order in which a list shows it."""


class UnknownModel(AdvisedError):
    """No provider, address or key can be told from what was given. `message` names it, `hint` is the next step."""


def resolve(
    model_id: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    wire: WireChoice = "auto",
    url_from_anthropic_variable: bool = False,
    environ: Mapping[str, str],
    context_window: int | None = None,
    timeout_s: float = 60.0,
    stream: bool = True,
) -> Endpoint:
    """Where `model_id` is and how to speak to it. Raises `UnknownModel`.

    `url_from_anthropic_variable`: the base URL comes from `ANTHROPIC_BASE_URL`. `environ` is asked for keys only, and
    only for those of the provider that is going to get them: at its own address, or by its name at another.
    """
    model_id = model_id.strip()
    url = _checked_url(base_url) if base_url and base_url.strip() else None
    if not model_id:
        raise UnknownModel("endpoint.no_model")
    named, model = _split(model_id, has_url=url is not None)
    profile = named or (_profile_at(url) if url else _profile_serving(model))
    profile = with_model_quirks(profile, model)
    chosen = _wire(profile, wire, url, from_anthropic=url_from_anthropic_variable)
    address = _address(profile, chosen, url)
    names = (*profile.key_vars, *(_ANTHROPIC_KEYS if url_from_anthropic_variable else ()))
    key, auth = _key(profile, chosen, api_key, environ, names)
    if not key and profile.needs_key and url is None:
        raise UnknownModel("endpoint.no_key", provider=profile.name, variable=profile.key_vars[0])
    return Endpoint(
        profile=profile,
        wire=chosen,
        base_url=address,
        model=model,
        api_key=key,
        auth=auth,
        context_window=context_window or window_of(model, profile),
        timeout_s=timeout_s,
        stream=stream,
    )


def profile_named(name: str) -> Profile | None:
    return next((profile for profile in PROFILES if profile.name == name.lower()), None)


def profile_for_host(base_url: str) -> Profile | None:
    """The built-in provider at this address, if it is one's."""
    parts = _split_url(base_url)
    host = (parts.hostname or "").lower() if parts else ""
    place = f"{host}:{_port(parts)}" if parts else ""
    for profile in PROFILES:
        if any(host == known or host.endswith(f".{known}") or place == known for known in profile.hosts):
            return profile
    return None


def family_of(model: str) -> Family | None:
    """Whose model it is, by its name."""
    return next((family for family in FAMILIES if re.search(family.pattern, model, re.IGNORECASE)), None)


def with_model_quirks(profile: Profile, model: str) -> Profile:
    """The profile with what the model's name tells, where a host serves the models of many makers."""
    family = family_of(model) if profile.hosts_many else None
    if family is None:
        return profile
    quirks = dict(family.quirks)
    if profile.name != "custom":  # the host has its own way to ask for thinking
        quirks.pop("thinking_param", None)
    return replace(profile, **quirks) if quirks else profile


def window_of(model: str, profile: Profile) -> int | None:
    """The context window in tokens, if it is known. Servers of small models are started with one of their own."""
    if profile.num_ctx or profile.text_calls:
        return profile.num_ctx or None
    if said := re.search(r"-(\d+)k\b", model, re.IGNORECASE):
        return int(said[1]) * 1024
    return next((window for pattern, window in WINDOWS if re.search(pattern, model, re.IGNORECASE)), None)


def near_names(name: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """The names most like `name`, the nearest first; case and the part before a slash matter little."""
    import difflib

    by_plain = {candidate.lower(): candidate for candidate in known}
    wanted = name.lower()
    near = [plain for plain in by_plain if wanted in plain or plain in wanted]
    near += difflib.get_close_matches(wanted, by_plain, n=limit + len(near), cutoff=0.6)
    return [by_plain[plain] for plain in dict.fromkeys(near)][:limit]


def _split(model_id: str, *, has_url: bool) -> tuple[Profile | None, str]:
    """The provider that is named, and the rest. A slash after anything else is part of the model's name."""
    if model_id.lower() == "local":
        return profile_named("local"), "local"
    name, slash, rest = model_id.partition("/")
    profile = profile_named(name) if slash else None
    if profile is not None:
        if not rest.strip():
            raise UnknownModel("endpoint.names_no_model", model=model_id, provider=name)
        return profile, rest
    if slash and not has_url:
        names = ", ".join(profile.name for profile in PROFILES)
        near = near_names(name, [profile.name for profile in PROFILES], 1)
        if near:
            raise UnknownModel("endpoint.no_provider_near", name=name, near=f"{near[0]}/{rest}", known=names)
        raise UnknownModel("endpoint.no_provider", name=name, known=names)
    return None, model_id


def _profile_serving(model: str) -> Profile:
    """The provider of a bare name without an address, by its maker."""
    family = family_of(model)
    profile = profile_named(family.provider) if family else None
    if profile is None:
        raise UnknownModel("endpoint.unknown", model=model)
    return profile


def _profile_at(url: str) -> Profile:
    return profile_for_host(url) or (CUSTOM_LOCAL if _is_near(url) else CUSTOM)


def _is_near(url: str) -> bool:
    """Whether the address is of this computer or a private network."""
    import ipaddress

    parts = _split_url(url)
    host = (parts.hostname or "").lower() if parts else ""
    if host in ("localhost", "host.docker.internal") or host.endswith((".local", ".localhost", ".internal")):
        return True
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host


def _wire(profile: Profile, wire: WireChoice, url: str | None, *, from_anthropic: bool) -> WireName:
    if wire != "auto":
        return wire
    spoken = list(profile.base_urls)
    if url is None or len(spoken) == 1:
        return spoken[0] if spoken else _wire_of_url(url or "", from_anthropic=from_anthropic)
    return _wire_of_url(url, from_anthropic=from_anthropic)


def _wire_of_url(url: str, *, from_anthropic: bool) -> WireName:
    parts = _split_url(url)
    path = _without(parts.path if parts else "", "/v1/messages", "/messages", "/v1")
    return "anthropic" if from_anthropic or path.endswith("/anthropic") else "openai"


def _address(profile: Profile, wire: WireName, url: str | None) -> str:
    """The base URL without a trailing slash and without the endpoint's own path, in case someone gave all of it."""
    if url is None:
        if wire not in profile.base_urls:
            raise UnknownModel("endpoint.wire", provider=profile.name, wire=wire)
        return profile.base_urls[wire]
    if wire == "anthropic":
        return _without(url, "/v1/messages", "/messages", "/v1")
    url = _without(url, "/chat/completions")
    parts = _split_url(url)
    own = urlsplit(profile.base_urls.get("openai", ""))
    if profile.runs_locally and parts and not parts.path:  # nothing else is served there
        return url + own.path
    return url


def _without(text: str, *endings: str) -> str:
    for ending in endings:
        if text.endswith(ending):
            return text.removesuffix(ending).rstrip("/")
    return text.rstrip("/")


def _key(
    profile: Profile, wire: WireName, given: str | None, environ: Mapping[str, str], names: Iterable[str]
) -> tuple[str, Literal["x-api-key", "bearer", "none"]]:
    """The key, from `names` unless it is given, and how it travels: Anthropic's auth token is a bearer token."""
    set_names = {name: value for name in names if (value := environ.get(name, "").strip())}
    key = (given or "").strip() or next(iter(set_names.values()), "")
    if not key or profile.name == "local":
        return "", "none"
    api_key, token = (environ.get(name, "").strip() for name in _ANTHROPIC_KEYS)
    is_token = key == token != api_key
    return key, "x-api-key" if wire == "anthropic" and not is_token else "bearer"


def _checked_url(base_url: str) -> str:
    url = base_url.strip().rstrip("/")
    parts = _split_url(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise UnknownModel("endpoint.no_address", url=shown_address(base_url))
    host = parts.hostname
    if not host.isprintable() or " " in host or any(len(label) > 63 for label in host.split(".")):
        raise UnknownModel("endpoint.no_host", url=shown_address(base_url))
    if not _has_valid_port(parts):
        raise UnknownModel("endpoint.no_port", url=shown_address(base_url))
    return url


def _split_url(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None


def _port(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError:
        return None


def _has_valid_port(parts: SplitResult) -> bool:
    try:
        _ = parts.port
    except ValueError:
        return False
    return True
