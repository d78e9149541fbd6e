"""Say what a real API would answer 400 to, without asking it. Pure; for tests, and for whoever writes requests.

Strict where any provider is: a body without problems is accepted by all that speak the wire with that profile.
"""

from __future__ import annotations

from helloclaw.llm.validate_anthropic import anthropic_problems
from helloclaw.llm.validate_openai import openai_problems

__all__ = ["anthropic_problems", "openai_problems"]
