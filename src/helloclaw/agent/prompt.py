"""What the model is told besides the conversation: the system prompt, and a note on what changes from turn to turn.

The prompt is the same bytes all session long, so that providers can cache it; the note goes into the user's message.
"""

from __future__ import annotations

from importlib.resources import files


def system_prompt(*, lean: bool, appended: str = "") -> str:
    """The core instructions; `lean` is the short form for a small model. `appended` is the person's own addition."""
    name = "system.lean.md" if lean else "system.md"
    core = (files("helloclaw.agent") / "prose" / name).read_text(encoding="utf-8").strip()
    return f"{core}\n\n{appended.strip()}" if appended.strip() else core
