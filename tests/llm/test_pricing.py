"""Prices: of the list, of one's own computer, and of models that nobody has a price for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from helloclaw.llm.events import Usage
from helloclaw.llm.pricing import cost_usd
from helloclaw.llm.providers import resolve

USAGE = Usage(input=1_000_000, output=1_000_000)


@pytest.mark.parametrize(
    "model",
    [
        *("anthropic/claude-sonnet-4-5", "openai/gpt-4o", "deepseek/deepseek-v4-flash", "zhipu/glm-4.6"),
        *("moonshot/kimi-k2.6", "minimax/MiniMax-M2", "gemini/gemini-2.5-flash", "openrouter/openai/gpt-4o"),
    ],
)
def test_listed_models_have_a_price(model: str) -> None:
    price = cost_usd(resolve(model, api_key="k", environ={}), USAGE)
    assert price is not None
    assert 0.1 < price < 100


def test_tokens_from_the_cache_are_cheaper_and_counted_once() -> None:
    endpoint = resolve("anthropic/claude-sonnet-4-5", api_key="k", environ={})
    million = 1_000_000
    assert [
        cost_usd(endpoint, usage)
        for usage in (
            Usage(input=million // 10),
            Usage(cache_read=million // 10),
            Usage(cache_write=million // 10),
            Usage(output=million // 10),
            Usage(output=million // 10, reasoning=million // 20),
        )
    ] == pytest.approx([0.3, 0.03, 0.375, 1.5, 1.5])


def test_a_price_by_the_address_at_which_a_bare_name_is_served() -> None:
    endpoint = resolve("deepseek-v4-flash", base_url="https://api.deepseek.com", environ={})
    assert cost_usd(endpoint, USAGE) == cost_usd(resolve("deepseek/deepseek-v4-flash", api_key="k", environ={}), USAGE)


@pytest.mark.parametrize("model", ["local", "ollama/qwen3:8b", "lmstudio/x", "vllm/x"])
def test_ones_own_computer_costs_nothing(model: str) -> None:
    assert cost_usd(resolve(model, environ={}), USAGE) == 0


@pytest.mark.parametrize(("model", "url"), [("openai/no-such", None), ("deepseek-chat", "https://gateway.example/v1")])
def test_what_nobody_knows_is_not_made_up(model: str, url: str | None) -> None:
    assert cost_usd(resolve(model, base_url=url, api_key="k", environ={}), USAGE) is None


def test_the_list_is_not_loaded_before_it_is_asked() -> None:
    code = "import sys, helloclaw.llm.pricing; print('genai_prices' in sys.modules, 'pydantic' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "False False\n"
    )
