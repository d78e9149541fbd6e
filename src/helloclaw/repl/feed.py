"""A session's events as they appear: text that is printed once and stays, and the live part that is repainted.

It holds what is open (the answer being written, the tools running) and nothing of the screen.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from msgspec import structs

from helloclaw.i18n import Texts
from helloclaw.protocol import events
from helloclaw.protocol.events import Event, Phase
from helloclaw.repl.spacing import Spacing
from helloclaw.wording.failure import failure_text, notice_text
from helloclaw.wording.lines import progress_line, schedule_text

if TYPE_CHECKING:
    from helloclaw.repl.output.answer_stream import AnswerStream
    from helloclaw.repl.output.cards import Cards
    from helloclaw.repl.output.painter import Painter

IDLE = Phase(state="idle")


class _Running:
    """A tool at work."""

    def __init__(self, use: events.ToolUse, since: float) -> None:
        self.use = use
        self.since = since
        self.progress = ""


class Feed:
    """`hear` each event; what it returns is ANSI text, whole rows, to be printed above. `live` is the rest."""

    def __init__(self, painter: Painter, cards: Cards, say: Texts, clock: Callable[[], float] = time.monotonic) -> None:
        self._painter = painter
        self._cards = cards
        self._say = say
        self._clock = clock
        self._answer: AnswerStream | None = None
        self._uses: dict[str, events.ToolUse] = {}
        self._running: dict[str, _Running] = {}
        self._thought: list[str] = []
        self._thinking_since = 0.0
        self._turn_since = clock()
        self._phase_since = 0.0
        self._detail = ""
        self._told = False
        self._asked: set[str] = set()
        self.spaced = Spacing()
        self.phase: Phase = IDLE
        self.folded: list[str] = []
        """Whole texts of what was folded, by number minus one."""
        self.usage: events.UsageEvent | None = None

    def hear(self, event: Event) -> str:
        match event:
            case events.AssistantDelta(text=text):
                self._told = True
                return self.spaced("answer", self._open_answer().add(text))
            case events.AssistantEnd():
                # Of the past, or where nothing is streamed, the message comes whole.
                whole = "" if self._told else self.spaced("answer", self._open_answer().add(event.text))
                self._told = False
                return whole + self._end_answer()
            case events.ThinkingStart() | events.ThinkingDelta() | events.ThinkingEnd():
                return self._hear_thinking(event)
            case events.ToolUse() | events.ToolStart() | events.ToolProgress() | events.ToolEnd() | events.ToolDenied():
                return self._hear_tool(event)
            case events.UserMessage():
                return self._user_message(event)
            case events.RoundEnd():
                return self._round_end(event)
            case events.LlmRetry() | events.LlmFallback():
                return self._again(event)
            case events.Phase() | events.UsageEvent() | events.Status():
                self._remember(event)
                return ""
            case _:
                return self._hear_rest(event)

    def _hear_thinking(self, event: events.ThinkingStart | events.ThinkingDelta | events.ThinkingEnd) -> str:
        match event:
            case events.ThinkingStart():
                self._thinking_since = self._clock()
            case events.ThinkingDelta(text=text):
                self._thought.append(text)
            case events.ThinkingEnd():
                return self._fold_thinking()
        return ""

    def _hear_tool(
        self, event: events.ToolUse | events.ToolStart | events.ToolProgress | events.ToolEnd | events.ToolDenied
    ) -> str:
        match event:
            case events.ToolUse():
                self._uses[event.id] = event
            case events.ToolStart():
                use = self._uses.get(event.id) or events.ToolUse(id=event.id, name=event.name, input={})
                self._running[event.id] = _Running(use, self._clock())
            case events.ToolProgress():
                if running := self._running.get(event.id):
                    running.progress = event.text
            case events.ToolEnd():
                return self._tool_done(event)
            case events.ToolDenied():
                return self._end_answer() + self.spaced("tool", self._cards.tool_denied(event))
        return ""

    def _remember(self, event: events.Phase | events.UsageEvent | events.Status) -> None:
        match event:
            case events.Phase():
                self._enter(event)
            case events.UsageEvent():
                self.usage = event
            case events.Status():
                self._detail = notice_text(event, self._say)

    def _hear_rest(self, event: Event) -> str:
        match event:
            case events.Compacted():
                return self.spaced("note", self._cards.compacted(event))
            case events.CronFire() | events.CronAutoRunDone() | events.CronAutoRunError():
                return self._end_answer() + self._note(schedule_text(event, self._say), "info")
            case events.MemorySaved() if event.notes:
                return self._end_answer() + self.spaced("note", self._cards.remembered(event))
            case events.Notice():
                return self._end_answer() + self._note(notice_text(event, self._say), event.level)
            case events.ErrorEvent():
                return self._end_answer() + self.spaced("note", self._cards.error(failure_text(event, self._say)))
            case events.Cleared() | events.Rewound():
                self.usage = None  # of what no longer counts
                cleared = isinstance(event, events.Cleared) and event.conversation
                return self._note(self._say("repl.cleared"), "info") if cleared else ""
            case _:
                return ""

    def replay(self, past: list[Event]) -> str:
        """Events of the past, of a session that is resumed: nothing of them is still going on."""
        text = "".join(map(self.hear, past)) + self._end_answer()
        self._running.clear()
        self.phase = IDLE
        return text

    def live(self, rows: int) -> str:
        """The open end of the answer, or the tools at work; at most `rows` rows."""
        if self._answer is not None:
            return self._answer.tail(rows)
        now = self._clock()
        cards = [
            self._cards.tool_running(each.use.name, each.use.input, now - each.since, each.progress)
            for each in self._running.values()
        ]
        return "\n".join("".join(cards).rstrip("\n").split("\n")[-rows:])

    @property
    def seconds(self) -> float:
        """How long the phase has lasted; a turn's waiting for the model counts from the turn's last step."""
        return self._clock() - self._phase_since

    @property
    def turn_seconds(self) -> float:
        """How long ago the person said something last."""
        return self._clock() - self._turn_since

    @property
    def detail(self) -> str:
        if self.phase.state == "thinking" and self._thought:
            return self._say("phase.thought", count=sum(map(len, self._thought)))
        return self._detail

    def asked(self, diff: str | None) -> None:
        """A diff is shown in a question: the call that makes it need not show it again."""
        if diff:
            self._asked.add(diff)

    def fold(self, text: str) -> int:
        """Keep a text that is shown folded; its number."""
        self.folded.append(text)
        return len(self.folded)

    def stop(self) -> str:
        """What is open is over: the terminal is about to be left, or the width has changed."""
        return self._end_answer()

    def _open_answer(self) -> AnswerStream:
        if self._answer is None:
            from helloclaw.repl.output.answer_stream import AnswerStream

            self._answer = AnswerStream(self._painter)
            self.spaced.part()
        return self._answer

    def _end_answer(self) -> str:
        answer, self._answer = self._answer, None
        return self.spaced("answer", answer.end()) if answer is not None else ""

    def _fold_thinking(self) -> str:
        text, self._thought = "".join(self._thought).strip(), []
        if not text:
            return ""
        seconds = self._clock() - self._thinking_since
        return self.spaced("thought", self._cards.thinking_folded(seconds, len(text), self.fold(text)))

    def _tool_done(self, event: events.ToolEnd) -> str:
        before = self._end_answer()
        running = self._running.pop(event.id, None)
        use = self._uses.pop(event.id, None) or (running.use if running else None)
        use = use or events.ToolUse(id=event.id, name=event.name, input={})
        if event.diff is not None and event.diff in self._asked:
            # It stands above, in the question that allowed it.
            self._asked.discard(event.diff)
            event = structs.replace(event, diff=None, output="")
        if items := _plan(use, event):
            event = structs.replace(event, output="")
            use = structs.replace(use, input={})
        card = self._cards.tool_done(use, event, self.fold)
        return before + self.spaced("tool", card + (self._cards.todo_list(items) if items else ""))

    def _user_message(self, event: events.UserMessage) -> str:
        before = self._end_answer()
        self._turn_since = self._clock()
        if event.source != "user" or not (event.text or event.images):
            return before
        return before + self.spaced("user", self._cards.user_message(event))

    def _round_end(self, event: events.RoundEnd) -> str:
        text = self._end_answer() + self._fold_thinking()
        self._running.clear()
        self._uses.clear()
        self._asked.clear()
        self._enter(IDLE)
        if event.reason in {"interrupted", "limit"}:
            text += self._note(self._say(f"repl.{event.reason}"), "warning")
        return text

    def _again(self, event: events.LlmRetry | events.LlmFallback) -> str:
        """What was shown of the failed attempt stays where it is, with a word that it is void."""
        self._thought.clear()
        self._told = False
        text = self._end_answer()
        if isinstance(event, events.LlmRetry) and event.superseded and text:
            text += self._note(self._say("repl.superseded"), "warning")
        return text + self._note(progress_line(event, self._say) or "", "warning")

    def _note(self, text: str, level: Literal["info", "warning"]) -> str:
        return self.spaced("note", self._cards.notice(text, level))

    def _enter(self, phase: Phase) -> None:
        if phase != self.phase:
            self._phase_since = self._clock()
            self._detail = ""
        self.phase = phase


def _plan(use: events.ToolUse, event: events.ToolEnd) -> list[tuple[str, str]]:
    """The to-do list that a call has written, as (status, text) pairs; empty for any other call."""
    if event.name != "TodoWrite" or event.error is not None:
        return []
    items: object = use.input.get("items")
    if not isinstance(items, list):
        return []
    return [(str(item.get("status")), str(item.get("content"))) for item in items if isinstance(item, dict)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType, reportUnknownMemberType] - any JSON
