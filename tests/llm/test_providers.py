"""Which provider, wire, address and key a model's name and a base URL mean."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from helloclaw.llm.messages import ModelRequest, user_text
from helloclaw.llm.provider_profiles import PROFILES
from helloclaw.llm.providers import UnknownModel, family_of, near_names, profile_for_host, profile_named, resolve
from helloclaw.llm.wire_anthropic import AnthropicWire
from helloclaw.llm.wire_openai import OpenAIWire

KEYS = {f"{name}_API_KEY": f"{name.lower()}-key" for name in ("ANTHROPIC", "OPENAI", "DEEPSEEK", "LLM", "OPENROUTER")}
LOCALHOST = "http://127.0.0.1:9/v1"


def told(model: str, environ: dict[str, str] | None = None, **given: Any) -> tuple[str, str, str, str, str, str]:
    """Profile, wire, address, model, key and how it travels."""
    there = resolve(model, environ=KEYS if environ is None else environ, **given)
    return there.profile.name, there.wire, there.base_url, there.model, there.api_key, there.auth


@pytest.mark.parametrize(
    ("model", "given", "expected"),
    [
        (
            "deepseek/deepseek-v4-flash",
            {},
            "deepseek openai https://api.deepseek.com deepseek-v4-flash deepseek-key bearer",
        ),
        (
            "deepseek/deepseek-v4-flash",
            {"wire": "anthropic"},
            "deepseek anthropic https://api.deepseek.com/anthropic deepseek-v4-flash deepseek-key x-api-key",
        ),
        (
            "openrouter/anthropic/claude-sonnet-5.5",
            {},
            "openrouter openai https://openrouter.ai/api/v1 anthropic/claude-sonnet-5.5 openrouter-key bearer",
        ),
        (
            "claude-sonnet-5-5",
            {},
            "anthropic anthropic https://api.anthropic.com claude-sonnet-5-5 anthropic-key x-api-key",
        ),
        ("gpt-4o", {}, "openai openai https://api.openai.com/v1 gpt-4o openai-key bearer"),
        ("ollama/qwen3:8b", {}, "ollama openai http://localhost:11434/v1 qwen3:8b - none"),
        ("local", {}, "local openai - local - none"),
        ("local//tmp/x.gguf", {}, "local openai - /tmp/x.gguf - none"),
        # a provider at another address
        (
            "deepseek/deepseek-chat",
            {"base_url": LOCALHOST},
            f"deepseek openai {LOCALHOST} deepseek-chat deepseek-key bearer",
        ),
        (
            "anthropic/claude-x",
            {"base_url": "http://127.0.0.1:9"},
            "anthropic anthropic http://127.0.0.1:9 claude-x anthropic-key x-api-key",
        ),
        (
            "minimax/MiniMax-M2",
            {"base_url": LOCALHOST, "api_key": "k"},
            f"minimax openai {LOCALHOST} MiniMax-M2 k bearer",
        ),
        ("ollama/q", {"base_url": "http://box:11434/"}, "ollama openai http://box:11434/v1 q - none"),
        # a bare name with an address
        ("m", {"base_url": LOCALHOST}, f"custom openai {LOCALHOST} m - none"),
        ("m", {"base_url": LOCALHOST, "api_key": "k"}, f"custom openai {LOCALHOST} m k bearer"),
        (
            "m",
            {"base_url": "http://127.0.0.1:9", "url_from_anthropic_variable": True},
            "custom anthropic http://127.0.0.1:9 m anthropic-key x-api-key",
        ),
        (
            "m",
            {"base_url": "http://127.0.0.1:9/anthropic/"},
            "custom anthropic http://127.0.0.1:9/anthropic m - none",
        ),
        (
            "deepseek-v4-flash",
            {"base_url": "https://api.deepseek.com/anthropic"},
            "deepseek anthropic https://api.deepseek.com/anthropic deepseek-v4-flash deepseek-key x-api-key",
        ),
        (
            "deepseek-v4-flash",
            {"base_url": "https://api.deepseek.com/v1/"},
            "deepseek openai https://api.deepseek.com/v1 deepseek-v4-flash deepseek-key bearer",
        ),
        (
            "Qwen/Qwen3-8B",
            {"base_url": "https://gateway.example/v1"},
            "custom openai https://gateway.example/v1 Qwen/Qwen3-8B - none",
        ),
        (
            "glm-4.6",
            {"base_url": "https://api.z.ai/api/coding/paas/v4"},
            "zhipu openai https://api.z.ai/api/coding/paas/v4 glm-4.6 - none",
        ),
        (
            "q",
            {"base_url": "http://localhost:11434"},
            "ollama openai http://localhost:11434/v1 q - none",
        ),
        # an address with the endpoint's own path
        ("m", {"base_url": f"{LOCALHOST}/chat/completions"}, f"custom openai {LOCALHOST} m - none"),
        (
            "claude-x",
            {"base_url": "https://api.anthropic.com/v1/messages"},
            "anthropic anthropic https://api.anthropic.com claude-x anthropic-key x-api-key",
        ),
    ],
)
def test_what_is_meant(model: str, given: dict[str, Any], expected: str) -> None:
    assert " ".join(part or "-" for part in told(model, **given)) == expected


@pytest.mark.parametrize(
    ("base_url", "wire", "called"),
    [
        ("https://x.example/v1", "openai", "https://x.example/v1/chat/completions"),
        ("https://x.example/", "openai", "https://x.example/chat/completions"),
        ("https://x.example", "anthropic", "https://x.example/v1/messages"),
        ("https://x.example/v1/", "anthropic", "https://x.example/v1/messages"),
        ("https://x.example/anthropic", "auto", "https://x.example/anthropic/v1/messages"),
        ("https://x.example/anthropic/v1", "auto", "https://x.example/anthropic/v1/messages"),
    ],
)
def test_the_endpoint_is_where_the_vendors_clients_look_for_it(base_url: str, wire: Any, called: str) -> None:
    there = resolve("m", base_url=base_url, wire=wire, environ={})
    speaker = AnthropicWire() if there.wire == "anthropic" else OpenAIWire()
    assert speaker.request(ModelRequest(messages=(user_text("hi"),)), there).url == called


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"ANTHROPIC_AUTH_TOKEN": "t"}, ("t", "bearer")),
        ({"ANTHROPIC_API_KEY": "k"}, ("k", "x-api-key")),
        ({"ANTHROPIC_API_KEY": "k", "ANTHROPIC_AUTH_TOKEN": "t"}, ("k", "x-api-key")),
    ],
)
def test_anthropics_two_variables_travel_in_two_headers(environ: dict[str, str], expected: tuple[str, str]) -> None:
    assert told("anthropic/claude-x", environ)[4:] == expected
    assert told("m", environ, base_url="http://127.0.0.1:9", url_from_anthropic_variable=True)[4:] == expected
    assert told("anthropic/claude-x", environ, api_key=expected[0])[4:] == expected


@pytest.mark.parametrize("base_url", ["https://gateway.example/v1", "https://api.deepseek.com.evil.example/v1"])
def test_a_providers_key_never_goes_to_a_host_that_is_not_its_own(base_url: str) -> None:
    assert told("deepseek-chat", base_url=base_url)[4] == ""
    assert told("gpt-4o", base_url=base_url, wire="anthropic")[4] == ""


@pytest.mark.parametrize(
    ("model", "given", "message", "hint"),
    [
        ("", {}, "no model is chosen", "Give one as provider/model, for example deepseek/deepseek-v4-flash."),
        ("deepseek/", {}, '"deepseek/" names no model', "Write the model after the slash, as in deepseek/MODEL."),
        (
            "moonshot/kimi-k3",
            {},
            "moonshot needs an API key and none is set",
            "Set MOONSHOT_API_KEY, or llm.api_key in the settings.",
        ),
        (
            "foo-9",
            {},
            'nobody knows which provider serves "foo-9"',
            "Write provider/model, as in deepseek/deepseek-v4-flash or ollama/qwen3, or set a base URL.",
        ),
        (
            "m",
            {"base_url": "api.example.com/v1"},
            'the base URL "api.example.com/v1" is no web address',
            "It begins with https:// or http://.",
        ),
        *(
            (
                "m",
                {"base_url": f"http://{host}/v1"},
                f'the base URL "http://{host}/v1" names no computer',
                "Write its host name as in https://api.example.com/v1.",
            )
            for host in ("a b", "a" * 64 + ".com")
        ),
        (
            "m",
            {"base_url": "http://localhost:99999/v1"},
            'the base URL "http://localhost:99999/v1" has no port from 0 to 65535',
            "Correct the number after the colon, or drop it.",
        ),
        (
            "openai/gpt-4o",
            {"wire": "anthropic"},
            "openai does not speak the anthropic wire",
            "Leave llm.wire at auto, or set a base URL.",
        ),
    ],
)
def test_what_can_not_be_told_is_said_with_the_next_step(
    model: str, given: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(UnknownModel) as caught:
        resolve(model, environ=KEYS, **given)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_a_misspelt_provider_is_recognised() -> None:
    with pytest.raises(UnknownModel) as caught:
        resolve("deepsek/deepseek-chat", environ=KEYS)
    assert caught.value.message == '"deepsek" is not a provider'
    assert caught.value.hint.startswith("Did you mean deepseek/deepseek-chat? The providers are anthropic, openai,")


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        *(("deepseek-chat", "deepseek"), ("deepseek-ai/DeepSeek-V3.2", "deepseek"), ("kimi-k2", "moonshot")),
        *(("moonshotai/Kimi-K2-Instruct", "moonshot"), ("MiniMax-M2", "minimax"), ("abab6.5s-chat", "minimax")),
        *(("glm-4.6", "zhipu"), ("zai-org/GLM-4.6", "zhipu"), ("qwen3-max", "dashscope"), ("QwQ-32B", "dashscope")),
        *(("gemini-3-pro", "gemini"), ("mistral-large-latest", "mistral"), ("codestral-2508", "mistral")),
        *(("mistralai/Mixtral-8x7B", "mistral"), ("claude-sonnet-5-5", "anthropic"), ("gpt-5.5", "openai")),
        *(("o3-mini", "openai"), ("openai/gpt-4o", "openai"), ("doubao-seed-1-6", "volcengine")),
    ],
)
def test_whose_model_it_is(model: str, provider: str) -> None:
    family = family_of(model)
    assert family is not None
    assert family.provider == provider


@pytest.mark.parametrize("model", ["llama-3", "gpt-oss-20b", "some-model", "phi-4", "central"])
def test_models_of_nobody_in_particular(model: str) -> None:
    assert family_of(model) is None


@pytest.mark.parametrize(
    ("model", "within_budget"),
    [
        *(("claude-3-7-sonnet-latest", True), ("claude-sonnet-4-20250514", True), ("claude-opus-4-1", True)),
        *(("claude-sonnet-4-5-20250929", True), ("claude-haiku-4-5", True), ("claude-opus-4-0", True)),
        *(("claude-sonnet-4-6", False), ("claude-opus-4-8", False), ("claude-sonnet-5-5", False)),
    ],
)
def test_which_claude_thinks_within_a_budget(model: str, within_budget: bool) -> None:
    there = resolve(f"anthropic/{model}", api_key="k", environ={})
    request = ModelRequest(messages=(user_text("hi"),), thinking_budget=2048)
    kind = AnthropicWire().request(request, there).body["thinking"]["type"]
    assert kind == ("enabled" if within_budget else "adaptive")


@pytest.mark.parametrize(
    ("model", "window"),
    [
        *(("anthropic/claude-sonnet-4-5", 200_000), ("anthropic/claude-sonnet-5-5", 1_000_000)),
        *(("openai/gpt-4o", 128_000), ("openai/gpt-5", 400_000), ("openai/gpt-5.5", 1_000_000)),
        *(("deepseek/deepseek-v4-pro", 1_000_000), ("moonshot/moonshot-v1-32k", 32_768)),
        *(("moonshot/kimi-k2.6", 262_144), ("minimax/MiniMax-M2", 204_800), ("ollama/anything", 32_768)),
        *(("openai/ft:mine", None), ("lmstudio/qwen3", None)),
    ],
)
def test_context_windows(model: str, window: int | None) -> None:
    assert resolve(model, api_key="k", environ={}).context_window == window
    assert resolve(model, api_key="k", environ={}, context_window=5).context_window == 5


def test_near_names() -> None:
    known = ["deepseek-v4-flash", "deepseek-v4-pro", "deepseek-ai/DeepSeek-V3.2", "gpt-5.5"]
    assert near_names("deepseek-v4-flsh", known)[0] == "deepseek-v4-flash"
    assert near_names("DeepSeek-V3.2", known, limit=1) == ["deepseek-ai/DeepSeek-V3.2"]
    assert near_names("zzz", known) == []


def test_every_provider_is_found_by_its_name_and_its_own_addresses() -> None:
    for profile in PROFILES:
        assert profile_named(profile.name) is profile
        for url in profile.base_urls.values():
            assert profile_for_host(url) in ((profile,) if profile.hosts else (profile, None))


def test_choosing_a_provider_loads_nothing_heavy() -> None:
    code = (
        "import sys, helloclaw.llm.providers; "
        "print([name for name in ('httpx2', 'asyncio', 'genai_prices', 'pydantic', 'ssl') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
