"""The settings themselves: names, types, limits and defaults. Where a value may come from is in `sources`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from helloclaw.protocol.events import Mode

Level = Literal["flag", "file", "environment", "dotenv", "default"]
Positive = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(gt=0)]


class LlmSettings(Struct, frozen=True, kw_only=True):
    """Which model, where, and how. Empty strings mean "not said".

    `timeout_s` is inactivity on the stream, not the whole call. `context_window`, `max_output_tokens` and
    `thinking_budget` are tokens; 1024 is the least thinking budget that Anthropic's API accepts.
    """

    model_id: str = ""
    api_key: str = ""
    base_url: str = ""
    wire: Literal["auto", "anthropic", "openai"] = "auto"
    context_window: Positive | None = None
    max_output_tokens: Positive = 8000
    timeout_s: Seconds = 60.0
    stream: bool = True
    thinking: Literal["off", "enabled"] = "off"
    thinking_budget: Annotated[int, Meta(ge=1024)] = 4096
    fallback_model_id: str | None = None


class AgentSettings(Struct, frozen=True, kw_only=True):
    """The loop and its context. `max_tool_iterations` unset is each front end's own default.

    Compaction starts at `min(token_threshold, window × compression_threshold)` tokens, the memory flush
    `soft_threshold_tokens` earlier.
    """

    max_tool_iterations: Positive | None = None
    parallel_max_workers: Positive = 3
    token_threshold: Positive = 100_000
    compression_threshold: Annotated[float, Meta(gt=0, le=1)] = 0.8
    soft_threshold_tokens: Annotated[int, Meta(ge=0)] = 4000
    language: Literal["auto", "en", "zh"] = "auto"


class PermissionSettings(Struct, frozen=True, kw_only=True):
    """The person's own rules, for every directory. A question is left open for `ask_timeout_s` seconds.

    `sandbox` "off" has commands asked about that would otherwise run confined.
    """

    mode: Mode = "default"
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    ask_timeout_s: Positive = 180
    sandbox: Literal["auto", "off"] = "auto"


class MemorySettings(Struct, frozen=True, kw_only=True):
    """What is kept by itself: what the person says of themselves (`capture`), what the model finds worth keeping before
    a conversation is shortened (`flush`), and a short note of the conversation before in the home workspace.
    """

    capture: bool = True
    flush: bool = True
    session_notes: bool = True


class HeartbeatSettings(Struct, frozen=True, kw_only=True):
    """How often HEARTBEAT.md is looked at while a conversation is open, in minutes (0: never), and in which hours of a
    day: from `start_hour` until before `end_hour`, over midnight if that is less.
    """

    every_min: Annotated[int, Meta(ge=0, le=1440)] = 30
    start_hour: Annotated[int, Meta(ge=0, le=23)] = 8
    end_hour: Annotated[int, Meta(ge=0, le=24)] = 22


class WebSettings(Struct, frozen=True, kw_only=True):
    search_provider: str = "auto"


class UiSettings(Struct, frozen=True, kw_only=True):
    theme: Literal["auto", "dark", "light"] = "auto"
    lang: Literal["auto", "en", "zh"] = "auto"
    editing: Literal["emacs", "vi"] = "emacs"


class EnvironmentSettings(Struct, frozen=True, kw_only=True):
    """What only the environment (or `.env`) may say; not part of `config.json`."""

    brave_api_key: str = ""
    tavily_api_key: str = ""
    workspace_path: str = ""
    port: Annotated[int, Meta(ge=0, le=65535)] | None = None
    no_color: bool = False


class Origin(Struct, frozen=True):
    """Where a value came from: `name` is the flag, `FILE line N`, or the variable."""

    level: Level
    name: str = ""


class Settings(Struct, frozen=True, kw_only=True):
    """Everything resolved. `origins` has every key that is not at its default, such as `llm.model_id`."""

    llm: LlmSettings = LlmSettings()
    agent: AgentSettings = AgentSettings()
    permissions: PermissionSettings = PermissionSettings()
    memory: MemorySettings = MemorySettings()
    heartbeat: HeartbeatSettings = HeartbeatSettings()
    web: WebSettings = WebSettings()
    mcp_servers: dict[str, dict[str, Any]] = {}
    ui: UiSettings = UiSettings()
    env: EnvironmentSettings = EnvironmentSettings()
    origins: dict[str, Origin] = {}

    def origin(self, key: str) -> Origin:
        return self.origins.get(key, Origin("default"))
