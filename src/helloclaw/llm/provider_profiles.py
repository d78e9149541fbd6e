"""The built-in providers as data: addresses, key variables and quirks. Sources are the vendors' references and users'
reports of what their servers really do; `tests/llm` has an exchange for every quirk.

How a model's name and an address choose among them is `providers`' business.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from helloclaw.llm.profile import Profile

_NOT_ADAPTIVE = r"claude-(instant|v\d|[234]\b|haiku-4|(opus|sonnet)-4([-.][015])?(-\d{8}|-latest|@|:|$))"
"""Claude models before 4.6 think within a budget; later ones decide for themselves."""

_REASONING_GPT = r"(^|/)(o\d|gpt-[5-9](?!.*chat))"

PROFILES: tuple[Profile, ...] = (
    Profile(
        name="anthropic",
        base_urls={"anthropic": "https://api.anthropic.com"},
        hosts=("anthropic.com",),
        key_vars=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        default_model="claude-sonnet-5-5",
        thinking_budget_models=_NOT_ADAPTIVE,
        signed_thinking_only=True,
    ),
    Profile(
        name="openai",
        base_urls={"openai": "https://api.openai.com/v1"},
        hosts=("api.openai.com", "openai.azure.com"),
        key_vars=("OPENAI_API_KEY",),
        default_model="gpt-5.5",
        max_tokens_field="max_completion_tokens",
        fixed_sampling_models=_REASONING_GPT,
        thinking_param="effort",
        call_ids="short",
        json_schema="response_format",
    ),
    Profile(
        name="deepseek",
        base_urls={"openai": "https://api.deepseek.com", "anthropic": "https://api.deepseek.com/anthropic"},
        hosts=("deepseek.com",),
        key_vars=("DEEPSEEK_API_KEY",),
        default_model="deepseek-v4-flash",
        thinks_by_default=True,
        needs_thinking_with_calls=True,
        thinking_param="type",
        thinking_replay="reasoning_content",
        thinking_required=True,
        images=False,
        think_tags="line",
        leaked_calls=True,
    ),
    Profile(
        name="zhipu",
        base_urls={
            "openai": "https://open.bigmodel.cn/api/paas/v4",
            "anthropic": "https://open.bigmodel.cn/api/anthropic",
        },
        hosts=("bigmodel.cn", "z.ai"),
        key_vars=("ZHIPU_API_KEY", "ZHIPUAI_API_KEY", "ZAI_API_KEY", "GLM_API_KEY"),
        default_model="glm-5.3",
        penalties=False,
        thinking_param="type",
        thinking_replay="reasoning_content",
        extra_body={"tool_stream": True},  # else nothing is sent until a call's arguments are complete
        think_tags="line",
        leaked_calls=True,
    ),
    Profile(
        name="moonshot",
        base_urls={"openai": "https://api.moonshot.cn/v1", "anthropic": "https://api.moonshot.cn/anthropic"},
        hosts=("moonshot.cn", "moonshot.ai", "kimi.com"),
        key_vars=("MOONSHOT_API_KEY", "KIMI_API_KEY"),
        default_model="kimi-k3",
        sampling=False,
        thinking_param="type",
        thinking_replay="reasoning_content",
        thinking_required=True,
        leaked_calls=True,
        note="Keys of platform.moonshot.ai need the base URL https://api.moonshot.ai/v1.",
    ),
    Profile(
        name="minimax",
        base_urls={"anthropic": "https://api.minimaxi.com/anthropic", "openai": "https://api.minimaxi.com/v1"},
        hosts=("minimaxi.com", "minimax.io", "minimax.chat"),
        key_vars=("MINIMAX_API_KEY",),
        default_model="MiniMax-M3",
        penalties=False,
        thinking_param="adaptive",
        thinking_replay="think_tags",
        finish_optional=True,
        think_tags="anywhere",
        leaked_calls=True,
        note="Keys of platform.minimax.io need the base URL https://api.minimax.io/anthropic.",
    ),
    Profile(
        name="dashscope",
        base_urls={
            "openai": "https://dashscope.aliyuncs.com/compatible-mode/v1",
            "anthropic": "https://dashscope.aliyuncs.com/apps/anthropic",
        },
        hosts=("aliyuncs.com",),
        key_vars=("DASHSCOPE_API_KEY",),
        default_model="qwen3.8-max",
        thinking_param="enable",
        think_tags="line",
        leaked_calls=True,
        hosts_many=True,
        quota_means_rate=True,
    ),
    Profile(
        name="siliconflow",
        base_urls={"openai": "https://api.siliconflow.cn/v1"},
        hosts=("siliconflow.cn", "siliconflow.com"),
        key_vars=("SILICONFLOW_API_KEY",),
        default_model="deepseek-ai/DeepSeek-V3.2",
        thinking_param="enable",
        think_tags="line",
        leaked_calls=True,
        hosts_many=True,
    ),
    Profile(
        name="openrouter",
        base_urls={"openai": "https://openrouter.ai/api/v1"},
        hosts=("openrouter.ai",),
        key_vars=("OPENROUTER_API_KEY",),
        default_model="deepseek/deepseek-v4-flash",
        fixed_sampling_models=_REASONING_GPT,
        thinking_param="openrouter",
        thinking_replay="reasoning",
        json_schema="response_format",
        cache_control_models=r"claude|^anthropic/",
        think_tags="line",
        leaked_calls=True,
    ),
    Profile(
        name="gemini",
        base_urls={"openai": "https://generativelanguage.googleapis.com/v1beta/openai"},
        hosts=("googleapis.com",),
        key_vars=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        default_model="gemini-3.8-flash",
        penalties=False,
        thinking_param="gemini",
        signature_filler="skip_thought_signature_validator",
        plain_schemas=True,
        finish_optional=True,
        think_tags="line",
    ),
    Profile(
        name="ollama",
        base_urls={"openai": "http://localhost:11434/v1"},
        hosts=("localhost:11434", "127.0.0.1:11434"),
        needs_key=False,
        thinking_param="effort",
        thinking_replay="reasoning",
        num_ctx=32_768,
        finish_optional=True,
        text_calls=True,
        think_tags="line",
        leaked_calls=True,
        runs_locally=True,
        note="Ollama cuts the conversation to its own context length, 4,096 tokens on many computers, without a word: "
        "start it with OLLAMA_CONTEXT_LENGTH=32768.",
    ),
    Profile(
        name="lmstudio",
        base_urls={"openai": "http://localhost:1234/v1"},
        hosts=("localhost:1234", "127.0.0.1:1234"),
        needs_key=False,
        json_schema="response_format",
        finish_optional=True,
        text_calls=True,
        think_tags="line",
        leaked_calls=True,
        runs_locally=True,
    ),
    Profile(
        name="vllm",
        base_urls={"openai": "http://localhost:8000/v1"},
        key_vars=("VLLM_API_KEY",),
        needs_key=False,
        json_schema="response_format",
        finish_optional=True,
        text_calls=True,
        think_tags="line",
        leaked_calls=True,
        hosts_many=True,
        runs_locally=True,
        note="Start the server with --enable-auto-tool-choice and the model's --tool-call-parser.",
    ),
    Profile(
        name="local",
        base_urls={"openai": ""},
        needs_key=False,
        default_model="local",
        json_schema="llama.cpp",
        text_calls=True,
        lean_prompt=True,
        think_tags="line",
        leaked_calls=True,
        runs_locally=True,
    ),
    Profile(
        name="mistral",
        base_urls={"openai": "https://api.mistral.ai/v1"},
        hosts=("mistral.ai",),
        key_vars=("MISTRAL_API_KEY",),
        default_model="devstral-2512",
        stream_usage=False,
        call_ids="alnum9",
        user_after_tool=False,
        json_schema="response_format",
    ),
    Profile(
        name="volcengine",
        base_urls={"openai": "https://ark.cn-beijing.volces.com/api/v3"},
        hosts=("volces.com", "volcengineapi.com"),
        key_vars=("ARK_API_KEY",),
        default_model="doubao-seed-1-6-251015",
        thinking_param="type",
        think_tags="line",
        leaked_calls=True,
        hosts_many=True,
    ),
)

CUSTOM = Profile(
    name="custom",
    needs_key=False,
    thinking_param="type",
    thinking_replay="reasoning_content",
    think_tags="line",
    leaked_calls=True,
    hosts_many=True,
)
"""Any other gateway: lenient where that can't hurt. A server that sent `reasoning_content` takes it back."""

CUSTOM_LOCAL = Profile(
    name="custom",
    needs_key=False,
    thinking_param="type",
    thinking_replay="reasoning_content",
    finish_optional=False,
    text_calls=True,
    think_tags="line",
    leaked_calls=True,
    hosts_many=True,
)
"""The same at an address of this computer or this network, where small models live."""


class Family(Struct, frozen=True, kw_only=True):
    """Models of one maker, by a regular expression of their names.

    `provider` serves them under a bare name; `quirks` are the profile's fields that belong to the model, not the host.
    """

    pattern: str
    provider: str
    quirks: dict[str, Any] = {}


FAMILIES: tuple[Family, ...] = (
    Family(
        pattern=r"deepseek",
        provider="deepseek",
        quirks={
            "needs_thinking_with_calls": True,
            "thinking_replay": "reasoning_content",
            "thinking_required": True,
            "images": False,
        },
    ),
    Family(
        pattern=r"kimi|moonshot",
        provider="moonshot",
        quirks={"sampling": False, "thinking_replay": "reasoning_content", "thinking_required": True},
    ),
    Family(pattern=r"(^|/|-)glm|chatglm", provider="zhipu", quirks={"thinking_replay": "reasoning_content"}),
    Family(
        pattern=r"minimax|abab",
        provider="minimax",
        quirks={"thinking_replay": "think_tags", "think_tags": "anywhere", "finish_optional": True},
    ),
    Family(
        pattern=r"qwen|qwq|qvq|tongyi",
        provider="dashscope",
        quirks={"must_not_think_whole": r"^(?!.*(thinking|qwq|qvq)).*qwen", "thinking_param": "enable"},
    ),
    Family(
        pattern=r"gemini",
        provider="gemini",
        quirks={
            "penalties": False,
            "plain_schemas": True,
            "thinking_param": "effort",
            "signature_filler": "skip_thought_signature_validator",
            "finish_optional": True,
        },
    ),
    Family(
        pattern=r"(mis|mix|pix|codes|devs|magis|minis)tral",
        provider="mistral",
        quirks={"call_ids": "alnum9", "user_after_tool": False},
    ),
    Family(
        pattern=r"claude",
        provider="anthropic",
        quirks={
            "thinking_param": "effort",
            "thinking_budget_models": _NOT_ADAPTIVE,
            "signed_thinking_only": True,
        },
    ),
    Family(
        pattern=_REASONING_GPT,
        provider="openai",
        quirks={
            "max_tokens_field": "max_completion_tokens",
            "thinking_param": "effort",
            "sampling": False,
            "call_ids": "short",
        },
    ),
    Family(
        pattern=r"(^|/)(gpt-\d|o\d|chatgpt|codex)",
        provider="openai",
        quirks={"thinking_param": "effort", "call_ids": "short"},
    ),
    Family(pattern=r"doubao", provider="volcengine"),
)

WINDOWS: tuple[tuple[str, int], ...] = (
    (r"claude.*(fable|mythos)|claude-(opus|sonnet)-4-[6-9]|claude-(opus|sonnet|haiku)-[5-9]", 1_000_000),
    (r"claude", 200_000),
    (r"gpt-(5\.[4-9](?!-(mini|nano))|[6-9])", 1_000_000),
    (r"gpt-5\.3$", 128_000),
    (r"gpt-5", 400_000),
    (r"gpt-4\.1", 1_000_000),
    (r"gpt-4o|gpt-4-turbo", 128_000),
    (r"gpt-oss", 131_072),
    (r"(^|/)o[134]", 200_000),
    (r"deepseek-(v[4-9]|flash)", 1_000_000),
    (r"deepseek", 128_000),
    (r"glm-5\.[23]", 1_000_000),
    (r"glm-(4\.[67]|5)", 200_000),
    (r"glm-4\.5", 131_072),
    (r"kimi-k3", 1_048_576),
    (r"kimi-k2-0711", 131_072),
    (r"kimi-k2", 262_144),
    (r"minimax-m3|minimax-m1|minimax-01", 1_000_000),
    (r"minimax-m2", 204_800),
    (r"qwen3?-?(coder-)?(plus|flash)|qwen3\.[5-9]", 1_000_000),
    (r"qwen3-(max|coder)", 262_144),
    (r"qwen", 131_072),
    (r"gemini", 1_048_576),
    (r"(mistral-(large|medium|small)|devstral|codestral)", 128_000),
)
"""Context windows in tokens, by a regular expression of the model's name; the first that matches counts."""
