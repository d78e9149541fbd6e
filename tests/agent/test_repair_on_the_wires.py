"""Any history, repaired, is a request that both APIs take, whichever provider it goes to."""

from __future__ import annotations

import pytest
from hypothesis import given

from helloclaw.agent.repair import repair
from helloclaw.llm.messages import Message, ModelRequest, ToolSpec
from helloclaw.llm.model import wire_for
from helloclaw.llm.providers import resolve
from helloclaw.llm.validate_anthropic import anthropic_problems
from helloclaw.llm.validate_openai import openai_problems
from tests.agent.test_repair import histories

BASH = ToolSpec(name="bash", description="Run.", input_schema={"type": "object", "properties": {}})
MODELS = [
    "anthropic/claude-sonnet-4-5",
    "openai/gpt-5",
    "deepseek/deepseek-chat",
    "zhipu/glm-4.6",
    "moonshot/kimi-k2",
    "minimax/MiniMax-M2",
    "dashscope/qwen3-coder",
    "openrouter/anthropic/claude-sonnet-4.5",
    "gemini/gemini-3-pro",
    "ollama/qwen3",
    "local",
]


@pytest.mark.parametrize("thinking_budget", [0, 2048])
@pytest.mark.parametrize("model", MODELS)
@given(history=histories)
def test_any_repaired_history_is_accepted(model: str, thinking_budget: int, history: list[Message]) -> None:
    endpoint = resolve(model, api_key="k", environ={})
    messages = repair(history).messages
    if not messages or messages[-1].role == "assistant":
        return  # the loop never calls a model without something new from the user's side
    request = ModelRequest(system="s", tools=(BASH,), messages=messages, thinking_budget=thinking_budget)

    body = wire_for(endpoint).request(request, endpoint).body

    problems = anthropic_problems(body) if endpoint.wire == "anthropic" else openai_problems(body, endpoint.profile)
    assert problems == []
