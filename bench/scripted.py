"""The model of every subject: it asks for one file after another, then says it is done, and notes when it was asked.

The time from one question to the next is what a client needs for one step: read the answer, run the tool, ask again.
Only requests that offer tools count; some clients also ask for a title, and get one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import pairwise

from tests.support.model_server import Exchange, ModelServer, RecordedRequest, Turn

from bench.subjects import Subject

LINES_A_FILE = 20


def note_name(step: int) -> str:
    """Each step reads another file, so that no client can answer from what it has just read."""
    return f"notes/{step:04d}.txt"


def note_text(step: int) -> str:
    """A file of about a kilobyte."""
    return "".join(
        f"{step:04d}.{line:02d} the quick brown fox jumps over the lazy dog\n" for line in range(LINES_A_FILE)
    )


@dataclass(kw_only=True)
class Conversation:
    """One run's plan and what came of it."""

    subject: Subject
    steps: int
    asked_at: list[float] = field(default_factory=list)
    requests: list[RecordedRequest] = field(default_factory=list)

    def answer(self, request: RecordedRequest) -> Exchange | Turn:
        """Give the next answer of the plan."""
        if not request.json.get("tools"):
            return Turn(text="A title")
        step = len(self.asked_at)
        self.asked_at.append(time.perf_counter())
        self.requests.append(request)
        if step < self.steps:
            return Turn(text="I look at the next one.", calls=(self.subject.call(note_name(step)),))
        return self.subject.last

    @property
    def is_complete(self) -> bool:
        """Whether the subject went all the way, each step once."""
        return len(self.asked_at) == self.steps + 1

    def step_ms(self) -> list[float]:
        """The time from each question to the next."""
        return [(later - earlier) * 1000 for earlier, later in pairwise(self.asked_at)]


def listen_to(conversation: Conversation, server: ModelServer) -> None:
    """Let `server` follow this plan from now on."""
    server.always(conversation.answer)
