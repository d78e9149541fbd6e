"""What a model call costs, from the price list of `genai-prices`.

The list takes a tenth of a second and 14 MB to load, so that happens at the first question, never on the way to a first
answer. Prices are list prices: discounts, plans and batch rates are not known here.
"""

from __future__ import annotations

from helloclaw.llm.events import Usage
from helloclaw.llm.failures import is_loopback
from helloclaw.llm.wire import Endpoint

_LISTED_AS: dict[str, tuple[str, ...]] = {
    "anthropic": ("anthropic",),
    "openai": ("openai",),
    "deepseek": ("deepseek",),
    "zhipu": ("zhipuai", "zai"),
    "moonshot": ("moonshotai",),
    "minimax": ("minimax",),
    "openrouter": ("openrouter",),
    "gemini": ("google",),
    "mistral": ("mistral",),
}
"""Our providers' names in the list. The others are not in it."""


def load_prices() -> None:
    """Load the price list ahead of the first question. For a thread, while a model is thinking."""
    import genai_prices

    genai_prices.calc_price(genai_prices.Usage(), "gpt-4o", provider_id="openai")


def may_cost(endpoint: Endpoint) -> bool:
    """Whether the price list has to be asked at all."""
    return not endpoint.profile.runs_locally and not is_loopback(endpoint)


def cost_usd(endpoint: Endpoint, usage: Usage) -> float | None:
    """The price in US dollars of one call or of several to the same model; None if nobody knows.

    A model that runs on one's own computer costs nothing.
    """
    if endpoint.profile.runs_locally:
        return 0.0
    if is_loopback(endpoint):  # some gateway of one's own: no list knows it
        return None
    prices = [_listed(endpoint.model, usage, url=endpoint.base_url)]
    prices += [_listed(endpoint.model, usage, provider=name) for name in _LISTED_AS.get(endpoint.profile.name, ())]
    return next((price for price in prices if price is not None), None)


def _listed(model: str, usage: Usage, *, url: str | None = None, provider: str | None = None) -> float | None:
    """The price in the list, of a provider that is told by its address or by its name there."""
    import genai_prices

    counted = genai_prices.Usage(
        input_tokens=usage.input + usage.cache_read + usage.cache_write,
        cache_read_tokens=usage.cache_read,
        cache_write_tokens=usage.cache_write,
        output_tokens=usage.output,
    )
    try:
        if url is not None:
            price = genai_prices.calc_price(counted, model, provider_api_url=url)
        else:
            price = genai_prices.calc_price(counted, model, provider_id=provider)
    except (LookupError, ValueError):  # not in the list, or without a price for one of these kinds of tokens
        return None
    return float(price.total_price)
