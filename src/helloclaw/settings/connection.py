"""Keep a model away from the address and the key of another.

A model, its address, its key, its wire and its window are said together; a flag often replaces only the model. Then
what a lower source says of the connection still counts if it may be meant for it: for a bare name always, for
`provider/model` unless that source plainly speaks of another provider. `--model anthropic/…` over a `config.json` that
points at DeepSeek goes to Anthropic with Anthropic's key, and never takes DeepSeek's key along.
"""

from __future__ import annotations

from collections.abc import Mapping

from helloclaw.llm.profile import Profile
from helloclaw.llm.providers import profile_for_host, profile_named
from helloclaw.settings.environment import Given

CONNECTION = ("llm.base_url", "llm.api_key", "llm.wire", "llm.context_window")

Layer = Mapping[str, Given]


def fit_connection(layers: tuple[Layer, ...], environ: Mapping[str, str]) -> tuple[Layer, ...]:
    """The layers, highest first, without what is meant for another provider than the chosen model's."""
    for index, layer in enumerate(layers):
        if "llm.model_id" in layer:
            chosen = _provider_of(layer)
            if chosen is None:
                return layers
            lower = tuple(_fitting(each, chosen, environ) for each in layers[index + 1 :])
            return (*layers[: index + 1], *lower)
    return layers


def _fitting(layer: Layer, chosen: Profile, environ: Mapping[str, str]) -> Layer:
    if not _means_another(layer, chosen, environ):
        return layer
    return {key: given for key, given in layer.items() if key not in CONNECTION}


def _means_another(layer: Layer, chosen: Profile, environ: Mapping[str, str]) -> bool:
    if chosen.name == "local":
        return True
    if "llm.base_url" in layer:
        there = profile_for_host(str(layer["llm.base_url"].value))
        return there is not None and there.name != chosen.name
    if "llm.model_id" in layer:
        other = _provider_of(layer)
        return other is not None and other.name != chosen.name
    # A key on its own belongs to nobody in particular; the provider's own variable is the better one.
    return any(environ.get(name) for name in chosen.key_vars)


def _provider_of(layer: Layer) -> Profile | None:
    """The provider that the layer's model names, if it names one."""
    name, slash, _ = str(layer["llm.model_id"].value).partition("/")
    return profile_named(name) if slash or name == "local" else None
