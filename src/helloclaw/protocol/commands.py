"""Commands in: what a front end may ask of a session."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from helloclaw.llm.messages import ImageBlock
from helloclaw.protocol.events import Mode, Source


class Say(Struct, frozen=True, kw_only=True, tag_field="type", tag="say", omit_defaults=True):
    """A message for the model: starts a turn, or joins the running one at its next step (steering).

    The same `client_id` twice is one message.
    """

    text: str
    context: tuple[str, ...] = ()
    images: tuple[ImageBlock, ...] = ()
    source: Source = "user"
    client_id: str | None = None


class Cancel(Struct, frozen=True, kw_only=True, tag_field="type", tag="cancel"):
    """Stop the running turn, whatever it is doing."""


class Answer(Struct, frozen=True, kw_only=True, tag_field="type", tag="answer", omit_defaults=True):
    """A person's answer to a permission question. The first one wins. `reason` reaches the model with a denial."""

    ask_id: str
    decision: Literal["allow", "deny", "always"]
    rule: str | None = None
    reason: str = ""


class SetMode(Struct, frozen=True, kw_only=True, tag_field="type", tag="set_mode"):
    mode: Mode


Command = Say | Cancel | Answer | SetMode
