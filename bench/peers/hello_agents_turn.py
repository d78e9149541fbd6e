"""One turn of hello-agents' SimpleAgent with its own file reader, on the model that LLM_* in the environment names."""

import sys

from hello_agents import HelloAgentsLLM, SimpleAgent, ToolRegistry
from hello_agents.tools.builtin.file_tools import ReadTool

registry = ToolRegistry()
registry.register_tool(ReadTool(project_root=".", registry=registry))
agent = SimpleAgent("bench", HelloAgentsLLM(), tool_registry=registry, max_tool_iterations=1000)
print(agent.run(sys.argv[1]))
