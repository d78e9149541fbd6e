"""HelloClaw: a local-first AI agent. The library's door; everything behind it is imported on first use."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from helloclaw.library import HelloClawAgent as HelloClawAgent
    from helloclaw.library import StreamEvent as StreamEvent
    from helloclaw.library import StreamEventType as StreamEventType

__all__ = ["HelloClawAgent", "StreamEvent", "StreamEventType", "__version__"]


def __getattr__(name: str) -> Any:
    """Import the library API lazily, so that `helloclaw --help` never pays for it (PEP 562)."""
    if name in __all__:
        from helloclaw import library

        return getattr(library, name)
    raise AttributeError(f"module 'helloclaw' has no attribute {name!r}")
