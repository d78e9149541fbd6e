"""The embedded model: weights fetched once, llama.cpp in a child process, and the help a small model needs.

`LocalModel` is imported when it is asked for: listing and pulling weights need nothing of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from helloclaw.llm.local.model import LocalModel

__all__ = ["LocalModel"]


def __getattr__(name: str) -> Any:
    if name == "LocalModel":
        from helloclaw.llm.local.model import LocalModel

        return LocalModel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
