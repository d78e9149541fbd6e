"""A session that goes on, one that is resumed and one that is forked have the same history, whatever was taken back."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from helloclaw.agent.engine import LocalEngine
from helloclaw.agent.history import History
from helloclaw.agent.living import living_events, living_lines
from helloclaw.agent.load import load_history
from helloclaw.llm.events import Usage
from helloclaw.llm.messages import TextBlock, ToolCall
from helloclaw.protocol import events as out
from helloclaw.storage.journal import Journal, scan
from tests.agent.folds import plain_fold, state_of

# What happens, and a number that chooses among the possibilities of the moment.
HAPPENINGS = st.lists(
    st.tuples(
        st.sampled_from(
            (
                "say",
                "say",
                "note",
                "answer",
                "call",
                "result",
                "usage",
                "drop",
                "flush",
                "compact",
                "clear",
                "name",
                "mode",
                "rewind",
            )
        ),
        st.integers(0, 1000),
    ),
    max_size=40,
)
TOOLS = ("read_file", "bash")


class Told:
    """Makes events that could have happened: compactions of what is there, rewinds to what counts."""

    def __init__(self, path: Path) -> None:
        self.engine = LocalEngine("s", Journal.create(path, {"id": "s", "workdir": "/w"}), History(), lambda: 1.0)
        self._calls = 0
        self._open: list[tuple[str, str]] = []

    def happen(self, what: str, choice: int) -> None:  # noqa: C901 - one line for each happening
        history = self.engine.history
        match what:
            case "say":
                client_id = f"c{choice}" if choice % 2 else None
                self._emit(out.UserMessage(text=f"words {choice}" if choice % 5 else "", client_id=client_id))
            case "note":
                self._emit(out.UserMessage(text="", context=(f"<user-command>{choice}",), source="command"))
            case "answer":
                self._emit(out.AssistantEnd(text="yes", content=(TextBlock(text="是的 " * (choice % 9 + 1)),)))
            case "call":
                self._calls += 1
                call = ToolCall(id=f"t{self._calls}", name=TOOLS[choice % 2], input={"path": "x"})
                self._open.append((call.id, call.name))
                self._emit(out.AssistantEnd(text="", content=(call,)))
            case "result" if self._open:
                call_id, name = self._open.pop()
                self._emit(out.ToolEnd(id=call_id, name=name, duration_ms=1, output_preview="", output="x " * 9))
            case "usage":
                self._emit(usage(history.total + Usage(input=choice, output=1)))
            case "drop" if history.entries:
                before = history.entries[choice % len(history.entries)][0]
                self._emit(out.ResultsDropped(before=before, freed_tokens=9))
            case "flush":
                self._emit(out.MemorySaved(notes=("n",), flush=choice % 2 == 0))
            case "compact" if len(history.entries) > 1:
                index = 1 + choice % len(history.entries)
                keep_from = history.entries[index][0] if index < len(history.entries) else history.entries[-1][0] + 1
                said, words = history.last_words
                kept = words if said < keep_from else ""
                self._emit(
                    out.Compacted(summary="S", last_words=kept, keep_from=keep_from, before_tokens=9, after_tokens=1)
                )
            case "clear":
                self._emit(out.Cleared(conversation=choice % 3 > 0, usage=choice % 2 == 0, todos=True))
            case "name":
                self._emit(out.SessionUpdated(title=f"title {choice}" if choice % 3 else ""))
            case "mode":
                self._emit(out.SessionUpdated(mode="plan" if choice % 2 else "auto"))
            case "rewind":
                living = [each for each in living_events(self.engine.past()) if isinstance(each, out.UserMessage)]
                if said_by_person := [each.seq or 0 for each in living if each.source == "user"]:
                    self._emit(out.Rewound(to=said_by_person[choice % len(said_by_person)]))
            case _:
                pass

    def _emit(self, event: out.Base) -> None:
        self.engine.emit(event)


def usage(total: Usage) -> out.UsageEvent:
    return out.UsageEvent(last=total, total=total, context_tokens=total.input, token_threshold=9, ctx_percent=1)


@settings(max_examples=150)
@given(HAPPENINGS)
def test_living_reloaded_and_forked_are_the_same(happenings: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "s.jsonl")
        told = Told(path)
        for what, choice in happenings:
            told.happen(what, choice)
        lines = scan(path).lines
        assert state_of(told.engine.history) == plain_fold(lines)
        assert state_of(load_history(lines)) == plain_fold(lines)
        copy = Path(directory, "copy.jsonl")
        Journal.create(copy, {"id": "f"}, lines).close()
        assert state_of(load_history(scan(copy).lines)) == plain_fold(lines)
        told.engine.close()


@settings(max_examples=150)
@given(HAPPENINGS, st.lists(st.integers(0, 1000), max_size=6))
def test_damaged_lines_are_as_if_they_were_not_there(happenings: list[tuple[str, int]], places: list[int]) -> None:
    """Lines that look like JSON from afar, and are none."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "s.jsonl")
        told = Told(path)
        for what, choice in happenings:
            told.happen(what, choice)
        told.engine.close()
        lines = scan(path).lines
        damaged = list(lines)
        for place in places:
            kind = (b"usage", b"compacted", b"rewound", b"user_message", b"tool_end", b"cleared")[place % 6]
            damaged.insert(place % (len(damaged) + 1), b'{"type":"' + kind + b'",\x00}')
        assert state_of(load_history(damaged)) == plain_fold(lines)


class Watched(list[bytes]):
    """Counts how often a line is looked at."""

    looked = 0

    def __getitem__(self, index: Any) -> Any:
        self.looked += 1
        return cast("Any", super()).__getitem__(index)


def test_many_rewinds_of_a_long_session_look_at_no_line_again_and_again() -> None:
    """Each rewind goes back to the same message, over all that the others took back."""
    lines = Watched()
    for round_ in range(500):
        first = round_ * 50 + 1
        lines += [b'{"type":"llm_end","seq":%d,"model":"m"}' % seq for seq in range(first, first + 49)]
        lines.append(b'{"type":"rewound","seq":%d,"to":2}' % (first + 49))
    counts = living_lines(lines, range(49, len(lines), 50))
    assert [index for index, alive in enumerate(counts) if alive] == [0, len(lines) - 1]
    assert lines.looked < 2 * len(lines)
