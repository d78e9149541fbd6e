"""The template that people copy: every block in it means the provider that its heading names."""

from __future__ import annotations

import re
from pathlib import Path

from helloclaw.llm.providers import resolve
from helloclaw.settings.dotenv import parse_dotenv

TEMPLATE = Path(__file__).parents[2] / ".env.example"


def blocks() -> dict[str, dict[str, str]]:
    """Each block as somebody gets it who uncomments that one, by its heading's last Latin word."""
    found: dict[str, dict[str, str]] = {}
    for paragraph in re.split(r"\n\n", TEMPLATE.read_text(encoding="utf-8")):
        heading, *lines = paragraph.strip().split("\n")
        if named := re.match(r"# ── (?:.*· )?(.+?) ──", heading):
            assignments = parse_dotenv("\n".join(line.removeprefix("# ") for line in lines))
            found[named[1]] = {name: assignment.value for name, assignment in assignments.items()}
    return found


def test_every_block_means_what_its_heading_says() -> None:
    meant: dict[str, tuple[str, str, str, str]] = {}
    for heading, variables in blocks().items():
        if heading == "其他":
            continue
        endpoint = resolve(
            variables.get("LLM_MODEL_ID") or variables["MODEL_ID"],
            base_url=variables.get("LLM_BASE_URL") or variables.get("ANTHROPIC_BASE_URL"),
            api_key=variables.get("LLM_API_KEY") or variables.get("ANTHROPIC_API_KEY"),
            url_from_anthropic_variable="ANTHROPIC_BASE_URL" in variables,
            environ=variables,
        )
        meant[heading] = (endpoint.profile.name, endpoint.wire, endpoint.base_url, endpoint.model)
    assert meant == {
        "DeepSeek": ("deepseek", "openai", "https://api.deepseek.com", "deepseek-flash"),
        "MiniMax": ("minimax", "anthropic", "https://api.minimaxi.com/anthropic", "MiniMax-M3"),
        "Zhipu GLM": ("zhipu", "anthropic", "https://open.bigmodel.cn/api/anthropic", "glm-5.3"),
        "Kimi": ("moonshot", "openai", "https://api.moonshot.cn/v1", "kimi-k3"),
        "Qwen": ("dashscope", "openai", "https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen3.8-max"),
        "Anthropic": ("anthropic", "anthropic", "https://api.anthropic.com", "claude-sonnet-5-5"),
        "OpenAI": ("openai", "openai", "https://api.openai.com/v1", "gpt-5.5"),
        "Ollama": ("ollama", "openai", "http://localhost:11434/v1", "qwen3"),
        "内置模型": ("local", "openai", "", "local"),
    }


def test_as_it_is_it_sets_nothing() -> None:
    assert parse_dotenv(TEMPLATE.read_text(encoding="utf-8")) == {}
