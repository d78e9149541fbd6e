"""One question, one answer. It remembers: ask it twice."""

import sys

from helloclaw import HelloClawAgent

with HelloClawAgent() as agent:
    print(agent.chat(" ".join(sys.argv[1:]) or "Hello! Who are you?"))
