"""A provider as data: where it is, which wire it speaks, and in which ways it departs from that wire.

A wire asks the profile, never the host name. A new quirk is a new flag here, a row in `providers.py`, and a test.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct


class Profile(Struct, frozen=True, kw_only=True):
    """Flags of one provider. Every default is the plain behaviour of the wire.

    `base_urls` maps a wire's name to its address, the preferred wire first. `hosts` are host-name suffixes by which a
    bare `base_url` is recognised. `key_vars` are environment variables that may hold the key.
    """

    name: str
    base_urls: dict[Literal["anthropic", "openai"], str] = {}
    hosts: tuple[str, ...] = ()
    key_vars: tuple[str, ...] = ()
    needs_key: bool = True
    default_model: str = ""

    # Anthropic wire
    thinking_budget_models: str = ""
    """Regular expression of the models that think within a budget, where others take `adaptive`; empty: all do."""
    thinks_by_default: bool = False
    """Thinks unless told not to, so that no thinking has to be asked for in so many words."""
    signed_thinking_only: bool = False
    """Refuses replayed thinking that carries no signature."""
    needs_thinking_with_calls: bool = False
    """Refuses, while thinking is on, an assistant turn with tool calls and without a thinking block."""

    # OpenAI wire: requests
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    stream_usage: bool = True
    """Sends usage at the end of a stream when `stream_options` asks for it; False: refuses the field."""
    sampling: bool = True
    """Takes `temperature`."""
    penalties: bool = True
    """Takes `frequency_penalty` and `presence_penalty`."""
    fixed_sampling_models: str = ""
    """Regular expression of the models that refuse temperature and penalties where others take them."""
    thinking_param: Literal["none", "type", "adaptive", "enable", "effort", "openrouter", "gemini"] = "none"
    """How thinking is asked for; see `openai_request`."""
    must_not_think_whole: str = ""
    """Regular expression of the models that think unless told not to, and refuse to unless they stream (Qwen3)."""
    thinking_replay: Literal["none", "reasoning_content", "reasoning", "think_tags"] = "none"
    """Where the model's own thinking goes in its earlier turns."""
    thinking_required: bool = False
    """Refuses an earlier turn with tool calls and without the thinking field; `""` will do."""
    call_ids: Literal["any", "short", "alnum9"] = "any"
    """`short`: at most 40 characters (OpenAI). `alnum9`: nine letters or digits (Mistral)."""
    user_after_tool: bool = True
    """Takes a user message right after a tool's result."""
    images: bool = True
    """Takes images; False: content must be a string."""
    json_schema: Literal["none", "response_format", "llama.cpp"] = "none"
    cache_control_models: str = ""
    """Regular expression of the models whose cache wants `cache_control` marks (Claude on OpenRouter)."""
    signature_filler: str = ""
    """Stands in for `thought_signature` on calls that another model made (Gemini 3 refuses calls without one)."""
    plain_schemas: bool = False
    """Takes only the OpenAPI subset of JSON Schema for tool parameters: no references, no `additionalProperties`."""
    num_ctx: int = 0
    """Context window in tokens to ask a server for that else cuts silently (Ollama); 0: it has none of that."""
    extra_body: dict[str, Any] = {}
    """Fields that go into every request as they are."""

    # OpenAI wire: answers
    finish_optional: bool = False
    """Ends streams without a finish reason or `[DONE]`."""
    text_calls: bool = False
    """Small models: a message that is nothing but a call written as text is a call."""

    # Both wires: answers
    think_tags: Literal["off", "line", "anywhere"] = "off"
    """Where `<think>` in text opens a thought: nowhere, at the start of a line, anywhere."""
    leaked_calls: bool = False
    """Lets tool calls through as markup in the text (DSML, Kimi's tokens and the like)."""

    # Choosing
    hosts_many: bool = False
    """Serves models of many makers, so that the model's name tells more quirks; see `providers`."""
    lean_prompt: bool = False
    """Small models: wants few tools and few words."""
    runs_locally: bool = False
    """Costs nothing."""
    note: str = ""
    """What a person should know who uses this provider, one English sentence."""

    # Failures
    quota_means_rate: bool = False
    """Says `insufficient_quota` with a 429 when one calls too fast."""
