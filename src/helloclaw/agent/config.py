"""What one turn runs with. Made anew before each turn, so that changed settings apply without a restart."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from helloclaw.agent.prompt import PromptPart
from helloclaw.agent.surroundings import NotesToTell
from helloclaw.i18n import Phrase
from helloclaw.llm.events import Usage
from helloclaw.llm.messages import ModelRequest
from helloclaw.llm.model import ChatModel
from helloclaw.permissions.keeping import RuleFiles
from helloclaw.permissions.rules import RuleSet
from helloclaw.permissions.verdict import Scope
from helloclaw.tools.registry import Toolbox


@dataclass(frozen=True, kw_only=True)
class TurnConfig:
    """Limits, the model, the prompt and the tools of a turn.

    `base` is the request without messages; `max_steps` counts model calls that may use tools. When they are used up and
    `closing_call` is set, one last call without tools asks for an answer. Tokens are the model's, costs US dollars.
    At `compact_at` tokens the conversation is summarised, at `flush_at` notes are made of what is worth keeping, if it
    `flushes`.
    `captures`: what the person says is searched for what is worth keeping. `notes_sessions`: the conversation before
    gets a note. `hint` is what to tell the model along with a message.
    `renew_base` is `base` made of what is known by then, `prompt` the parts of its system prompt; `turn_over` is told
    when the turn has ended.
    Without `rule_files` the rules of an `always` can only be kept for the session.
    """

    model: ChatModel
    base: ModelRequest
    toolbox: Toolbox
    rules: RuleSet
    scope: Callable[[], Scope]
    max_steps: int = 200
    closing_call: bool = True
    parallel_calls: int = 3
    compact_at: int = 100_000
    flush_at: int = 98_400
    renew_base: Callable[[], ModelRequest]
    notes_to_tell: NotesToTell = tuple
    prompt: tuple[PromptPart, ...] = ()
    captures: bool = True
    flushes: bool = True
    notes_sessions: bool = False
    by_schedule: bool = False
    hint: Callable[[str], str] = lambda _: ""
    turn_over: Callable[[], None] = lambda: None
    max_cost_usd: float | None = None
    price: Callable[[Usage], float | None] = lambda _: None
    interactive: bool = False
    rule_files: RuleFiles | None = None
    ask_timeout_s: float = 180.0
    notices: tuple[Phrase, ...] = ()


class CannotRun(Exception):
    """No turn can run with the settings as they are. `hint` is the next step for the person, `phrase` says it all."""

    def __init__(self, message: str, hint: str = "", phrase: Phrase | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        self.phrase = phrase


# Called before each turn. Raises `CannotRun`.
Configure = Callable[[], Awaitable[TurnConfig]]
