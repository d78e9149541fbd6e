"""The library API: an agent to embed in another program, with HelloClaw's names for its events."""

from helloclaw.library.agent import AgentError, HelloClawAgent
from helloclaw.library.stream import StreamEvent, StreamEventType

__all__ = ["AgentError", "HelloClawAgent", "StreamEvent", "StreamEventType"]
