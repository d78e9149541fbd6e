"""Commands in: what a front end may ask of a session."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from helloclaw.llm.messages import ImageBlock
from helloclaw.protocol.events import Mode, Save, Source


class Say(Struct, frozen=True, kw_only=True, tag_field="type", tag="say", omit_defaults=True):
    """A message for the model: starts a turn, or joins the running one at its next step (steering).

    The same `client_id` twice is one message. `typed` is what the person typed with their own hands, where that is less
    than `text`: nothing of a long paste, or of the text that a command stands for.
    """

    text: str
    typed: str | None = None
    context: tuple[str, ...] = ()
    images: tuple[ImageBlock, ...] = ()
    source: Source = "user"
    client_id: str | None = None


class Cancel(Struct, frozen=True, kw_only=True, tag_field="type", tag="cancel"):
    """Stop the running turn, whatever it is doing."""


class Answer(Struct, frozen=True, kw_only=True, tag_field="type", tag="answer", omit_defaults=True):
    """A person's answer to a permission question. The first one wins. `reason` reaches the model with a denial.

    `save` is where the `rule` of an `always` is kept; it counts for the session in any case.
    """

    ask_id: str
    decision: Literal["allow", "deny", "always"]
    rule: str | None = None
    reason: str = ""
    save: Save = "session"


class SetMode(Struct, frozen=True, kw_only=True, tag_field="type", tag="set_mode"):
    mode: Mode


class Note(Struct, frozen=True, kw_only=True, tag_field="type", tag="note", omit_defaults=True):
    """Something the model is to know from its next step on, such as what a command of the person's own printed.

    It starts no turn. It is kept at once, or in a running turn before the next step.
    """

    text: str
    source: Source = "command"


class Recall(Struct, frozen=True, kw_only=True, tag_field="type", tag="recall"):
    """Take a message back that waits for a running turn. Too late for one that has entered the conversation."""

    client_id: str


class Rename(Struct, frozen=True, kw_only=True, tag_field="type", tag="rename"):
    """Give the session a title; an empty one brings back the first words said."""

    title: str


class Compact(Struct, frozen=True, kw_only=True, tag_field="type", tag="compact", omit_defaults=True):
    """Compact the conversation now, between turns. `focus` is what the summary should keep above all."""

    focus: str = ""


class Clear(Struct, frozen=True, kw_only=True, tag_field="type", tag="clear", omit_defaults=True):
    """Begin anew in the same session, between turns: without the conversation, the counted tokens, the to-do list."""

    conversation: bool = False
    usage: bool = False
    todos: bool = False


class Rewind(Struct, frozen=True, kw_only=True, tag_field="type", tag="rewind", omit_defaults=True):
    """Take back the message with `seq` number `to` and everything since, between turns.

    With `files`, what the edit tools have changed since is put back too, except in files that somebody else has
    changed afterwards.
    """

    to: int
    files: bool = False


Command = Say | Cancel | Answer | SetMode | Note | Recall | Rename | Compact | Clear | Rewind
