"""The system prompt, as parts in their order: the core instructions first, then what is known of agent and person.

It is the same bytes as long as nothing it is made of changes, so that providers can cache it.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

from msgspec import Struct


class PromptPart(Struct, frozen=True, kw_only=True):
    """`key` is the same in every language, `title` what it is called, `text` has its heading.

    `cut` characters of what it is made of are left out.
    """

    key: str
    title: str
    text: str
    cut: int = 0


def core_part(*, lean: bool, appended: str = "") -> PromptPart:
    """The core instructions; `lean` is the short form for a small model. `appended` is the person's own addition."""
    name = "system.lean.md" if lean else "system.md"
    core = (files("helloclaw.agent") / "prose" / name).read_text(encoding="utf-8").strip()
    text = f"{core}\n\n{appended.strip()}" if appended.strip() else core
    return PromptPart(key="core", title="HelloClaw", text=text)


def role(kind: str) -> str:
    """What a subagent of a built-in kind is told of its place."""
    return (files("helloclaw.agent") / "prose" / f"role.{kind}.md").read_text(encoding="utf-8").strip()


def joined(parts: Iterable[PromptPart]) -> str:
    return "\n\n".join(part.text for part in parts)
