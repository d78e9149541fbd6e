"""Functions of yours that the model may call, and questions that your program answers."""

from helloclaw import HelloClawAgent
from helloclaw.protocol.events import PermissionAsk


def ask(question: PermissionAsk) -> bool:
    """Only a command that says so may run."""
    print(f"? {question.tool_name}: {question.tool_input}")
    return question.tool_input.get("command") == "echo hello"


with HelloClawAgent(ask=ask) as agent:

    @agent.tool(read_only=True)
    def stock(article: str) -> str:
        """How many pieces of an article are in stock."""
        return f"{article}: 7 pieces"

    print(agent.chat("How many lamps are in stock? Then run: echo hello"))
