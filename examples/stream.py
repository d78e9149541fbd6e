"""The answer as it comes, with what the agent does meanwhile."""

import asyncio
import sys

from helloclaw import HelloClawAgent, StreamEventType


async def main(question: str) -> None:
    with HelloClawAgent() as agent:
        async for event in agent.achat(question):
            match event.type:
                case StreamEventType.LLM_CHUNK:
                    print(event.data["chunk"], end="", flush=True)
                case StreamEventType.TOOL_CALL_START:
                    print(f"\n[{event.data['tool_name']}]")
                case StreamEventType.ERROR:
                    print(f"\nfailed: {event.data}", file=sys.stderr)
                case _:
                    pass
    print()


asyncio.run(main(" ".join(sys.argv[1:]) or "What day is it?"))
