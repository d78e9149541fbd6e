"""The values that go in and out of the input line. No terminal here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from helloclaw.llm.messages import ImageBlock


class CommandHelp(NamedTuple):
    """A slash command as completion shows it. `name` has no slash; `usage` is its arguments, such as `[default|plan]`.

    `choices` gives what can stand as its argument, asked each time; None when that is free text.
    """

    name: str
    usage: str
    about: str
    takes_argument: bool
    choices: Callable[[], list[str]] | None = None


class Composed(NamedTuple):
    """What Enter submits. `text` is exactly what was typed, pastes in full; `typed` is it without long pastes.

    `context` and `images` are what the text mentions. `shell` is the command of a line that began with `!`, else None.
    """

    text: str
    typed: str | None = None
    context: tuple[str, ...] = ()
    images: tuple[ImageBlock, ...] = ()
    shell: str | None = None
