"""What became of a headless run, gathered from its events: the result object and the exit code. Pure."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from helloclaw.llm.events import Usage
from helloclaw.protocol import events
from helloclaw.protocol.events import Event
from helloclaw.wording.plain import sentences

DONE = 0
FAILED = 1
USAGE = 2
LIMIT = 3
TRY_AGAIN = 75
INTERRUPTED = 130


class Denial(Struct, frozen=True, kw_only=True):
    """A call that was not run. `rule` is the `--allow` rule that would have let it pass, if one would."""

    tool: str
    input: dict[str, Any]
    reason: str
    rule: str | None


class Result(Struct, frozen=True, kw_only=True, tag_field="type", tag="result"):
    """The object that `--output-format json` prints. `usage` counts tokens; `cost_usd` is null if no price is known.

    `stop_reason` is the model's for a turn that is done, else why it isn't: `limit`, `failed`, `interrupted`. `text` is
    the last thing the model said; where it said nothing and the turn failed, the error.
    """

    session_id: str
    text: str
    stop_reason: str | None
    is_error: bool
    steps: int
    duration_ms: int
    usage: dict[str, int]
    cost_usd: float | None
    permission_denials: list[Denial]


class Outcome:
    """Hears every event of a run, of one turn or several."""

    def __init__(self) -> None:
        self.text = ""
        self._answered = False  # the last call of the model, with words
        self._session_id = ""
        self._denials: list[Denial] = []
        self._error: events.ErrorEvent | None = None
        self._end: events.RoundEnd | None = None
        self._steps = 0
        self._duration_ms = 0
        self._usage = Usage()
        self._cost: float | None = None

    def hear(self, event: Event) -> None:
        self._session_id = event.session_id or self._session_id
        match event:
            case events.UserMessage(source="user"):
                self.text, self._error, self._end = "", None, None
            case events.LlmStart():
                self._answered = False
            case events.AssistantEnd() if event.text.strip():
                self.text, self._answered = event.text, True
            case events.ToolDenied():
                denial = Denial(tool=event.name, input=event.input, reason=event.reason, rule=event.rule)
                self._denials.append(denial)
            case events.ErrorEvent():
                self._error = event
            case events.RoundEnd():
                self._end = event
                self._steps += event.steps
                self._duration_ms += event.duration_ms
                self._usage = self._usage + event.usage
                self._cost = _sum(self._cost, event.cost_usd)
            case _:
                pass

    def interrupted(self) -> None:
        """The run was ended before a turn could say so itself."""
        if self._end is None:
            self._end = events.RoundEnd(reason="interrupted")

    @property
    def is_empty(self) -> bool:
        """Whether all went well and there is still no answer: nothing was said at the end, or only thought."""
        return self._end is not None and self._end.reason == "done" and not self._answered

    @property
    def exit_code(self) -> int:
        end = self._end
        if end is None:
            return FAILED
        match end.reason:
            case "done":
                return DONE
            case "limit":
                return LIMIT
            case "interrupted":
                return INTERRUPTED
            case "failed":
                return self._failure_code()

    def result(self, problem: str = "") -> Result:
        """What to print. `problem` is why there was no turn at all."""
        reason = self._end.reason if self._end else "failed"
        text = self.text or (self._error_text() or problem if reason == "failed" else "")
        return Result(
            session_id=self._session_id,
            text=text,
            stop_reason=self._end.stop_reason if self._end and reason == "done" else reason,
            is_error=reason != "done",
            steps=self._steps,
            duration_ms=self._duration_ms,
            usage=msgspec.structs.asdict(self._usage),
            cost_usd=self._cost,
            permission_denials=self._denials,
        )

    def _failure_code(self) -> int:
        if self._error is None:
            return FAILED
        if self._error.kind == "settings":
            return USAGE
        return TRY_AGAIN if self._error.retryable else FAILED

    def _error_text(self) -> str:
        return sentences(self._error.message, self._error.hint) if self._error else ""


def _sum(before: float | None, more: float | None) -> float | None:
    return before if more is None else (before or 0.0) + more
