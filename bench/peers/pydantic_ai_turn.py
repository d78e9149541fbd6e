"""One turn of a Pydantic AI agent with one tool, on the model that OPENAI_* and MODEL in the environment name."""

import os
import sys
from pathlib import Path

from pydantic_ai import Agent, UsageLimits
from pydantic_ai.models.openai import OpenAIChatModel

agent = Agent(OpenAIChatModel(os.environ["MODEL"]))


@agent.tool_plain
def read_file(path: str) -> str:
    """Read a text file."""
    return Path(path).read_text(encoding="utf-8")


print(agent.run_sync(sys.argv[1], usage_limits=UsageLimits(request_limit=1000)).output)
