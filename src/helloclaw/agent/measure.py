"""How full the context is: what the model counted at its last call, and our own estimate of what came since."""

from __future__ import annotations

from helloclaw.agent.history import History
from helloclaw.agent.tokens import text_tokens
from helloclaw.llm.messages import ModelRequest

SCHEMA_TOKENS = 80
"""What a tool's schema takes beside its description, more or less."""
_BELIEVED = (0.5, 2.0)
"""A model may count this many tokens to one of ours; beyond that it is a gateway that reports nonsense."""


def fixed_tokens(base: ModelRequest) -> int:
    """Our estimate of what each request carries besides the conversation: the system prompt and the tools."""
    return text_tokens(base.system) + sum(text_tokens(tool.description) + SCHEMA_TOKENS for tool in base.tools)


def context_tokens(history: History, base: ModelRequest) -> int:
    """Tokens of the next request.

    Some gateways report nothing, or nonsense; a measure of less than half our estimate is not believed.
    """
    fixed = fixed_tokens(base)
    estimate = fixed + history.estimated
    if history.measured is None:
        return estimate
    since = (history.estimated - history.estimated_then) * _correction(history, fixed)
    return max(history.measured + round(since), estimate // 2)


def _correction(history: History, fixed: int) -> float:
    """How many tokens this model counts to one of our estimate, by its last call."""
    then = fixed + history.estimated_then
    if history.measured is None or then <= 0:
        return 1.0
    low, high = _BELIEVED
    return min(high, max(low, history.measured / then))
