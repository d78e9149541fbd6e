"""`compress`: the model's own wish to have the conversation summarised, which the loop fulfils after this step."""

from __future__ import annotations

from msgspec import Struct

from helloclaw.tools.base import Tool, ToolOutput
from helloclaw.tools.context import ToolContext


class Compress(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    focus: str = ""


class Wishes:
    """What tools can only ask of the loop. One per session."""

    def __init__(self) -> None:
        self._compress: str | None = None

    def compress(self, focus: str) -> None:
        self._compress = focus

    def take_compress(self) -> str | None:
        """The focus of a wish that was not taken yet (it may be empty), or None."""
        focus, self._compress = self._compress, None
        return focus


async def run(call: Compress, context: ToolContext) -> ToolOutput:
    context.wishes.compress(call.focus)
    return ToolOutput(text="The conversation will be summarised before your next step, if that makes it shorter.")


compress = Tool("compress", Compress, run, read_only=True)
