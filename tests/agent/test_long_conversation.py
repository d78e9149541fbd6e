"""Three hundred turns and 400,000 tokens through a window of 128,000: what is sent, kept, and found again."""

from __future__ import annotations

import json
import logging
from itertools import pairwise
from typing import Any

import pytest

from helloclaw.agent.flush import ASK_TO_NOTE
from helloclaw.agent.summary import ASK_FOR_SUMMARY
from helloclaw.agent.tokens import text_tokens
from helloclaw.llm.events import Usage
from helloclaw.llm.providers import resolve
from helloclaw.llm.validate_anthropic import anthropic_problems
from helloclaw.llm.validate_openai import openai_problems
from helloclaw.memory.notebook import Notebook
from helloclaw.protocol import events as out
from helloclaw.protocol.commands import Say
from tests.support.exchanges import RecordedRequest
from tests.support.model_server import Call, ModelServer, Turn
from tests.support.world import World

log = logging.getLogger(__name__)
pytestmark = pytest.mark.slow

TURNS = 300
WORDS = ("river stone lamp paper cloud engine garden window signal harbour " * 40).split()


def fact(number: int) -> str:
    return f"The access gate of project {number} is called kestrel-{number * 7919}."


def message(number: int) -> str:
    """About 600 tokens, every tenth with a fact in it."""
    filler = " ".join(f"{WORDS[(number * 31 + at * 7) % len(WORDS)]}{(number * at) % 97}" for at in range(300))
    return f"Message {number}. {fact(number) if number % 10 == 0 else ''} {filler}"


class Reader:
    """A model that reads all it is sent: it counts a tenth more tokens than we do, notes half of the facts when asked
    to, and puts no fact into its summaries.
    """

    def __init__(self, wire: str) -> None:
        self.wire = wire
        self.profile = resolve("scripted", base_url="http://127.0.0.1/v1", api_key="k", environ={}).profile
        self.bodies: list[dict[str, Any]] = []
        self.problems: list[str] = []
        self.noted: set[int] = set()
        self.asked: list[str] = []
        self.tokens = 0

    def __call__(self, request: RecordedRequest) -> Turn:
        body = request.json
        self.problems += anthropic_problems(body) if self.wire == "anthropic" else openai_problems(body, self.profile)
        text = json.dumps(body["messages"][-1], ensure_ascii=False)
        count = int(text_tokens(request.raw.decode()) * 1.1)
        if ASK_TO_NOTE[:60] in text:
            self.asked.append("flush")
            return Turn(calls=self._notes(request), usage=Usage(input=count, output=50))
        if ASK_FOR_SUMMARY[:40] in text:
            self.asked.append("summary")
            return Turn(text="Task: a long talk about words. " * 20, usage=Usage(input=count, output=150))
        self.bodies.append(body)
        self.tokens = count
        number = len(self.bodies)
        if number % 6 == 0 and body["messages"][-1]["role"] == "user" and "tool_result" not in text:
            return Turn(
                calls=(Call(name="bash", input={"command": "cat words.txt"}),), usage=Usage(input=count, output=30)
            )
        return Turn(text=f"Answer {number}. " + "word " * 620, usage=Usage(input=count, output=640))

    def _notes(self, request: RecordedRequest) -> tuple[Call, ...]:
        seen = request.raw.decode()
        new = [at for at in range(0, TURNS, 20) if fact(at) in seen and at not in self.noted]
        self.noted.update(new)
        return tuple(Call(name="memory_add", input={"content": fact(at)}) for at in new)


def sent(body: dict[str, Any]) -> bytes:
    """What a provider caches: tools, system prompt and messages in this order, without the marks of where it may."""
    parts = [body.get("tools"), body.get("system"), *body["messages"]]
    return b"\n".join(json.dumps(_unmarked(part), ensure_ascii=False).encode() for part in parts)


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unmarked(each) for key, each in value.items() if key != "cache_control"}
    return [_unmarked(each) for each in value] if isinstance(value, list) else value


def shared(before: bytes, after: bytes) -> int:
    """How many bytes both begin with."""
    low, high = 0, min(len(before), len(after))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if before[:middle] == after[:middle] else (low, middle - 1)
    return low


async def test_a_long_conversation(world: World, server: ModelServer) -> None:
    (world.workdir / "words.txt").write_text("\n".join(WORDS * 20))
    reader = Reader(world.wire)
    server.always(reader)
    async with world.session(allow=("Bash(cat:*)",), mode="auto") as (session, heard):
        for number in range(TURNS):
            before = len(reader.bodies)
            assert (await session.turn(Say(text=message(number)))).reason == "done"
            # Nothing of the last message is lost, whatever was compacted before the call.
            assert all(message(number) in str(body["messages"]) for body in reader.bodies[before:])
        history = str(reader.bodies[-1]["messages"])
        session_id = session.id
    assert reader.problems == []
    assert sum(text_tokens(message(number)) for number in range(TURNS)) + TURNS * 640 > 400_000

    compactions = heard.of(out.Compacted)
    flushes = [event for event in heard.of(out.MemorySaved) if event.flush]
    assert len(compactions) >= 3
    assert reader.asked == ["flush", "summary"] * len(compactions) + ["flush"] * (len(flushes) - len(compactions))
    assert all(each.after_tokens < each.before_tokens / 2 for each in compactions)
    assert max(event.context_tokens for event in heard.of(out.UsageEvent)) < 128_000

    check_prefixes(reader, heard)
    check_facts(world, history, session_id)


def check_prefixes(reader: Reader, heard: Any) -> None:
    """Between compactions each request is the one before it and more."""
    bodies = [sent(body) for body in reader.bodies]
    repeated = [(shared(before, after), len(before), len(after)) for before, after in pairwise(bodies)]
    broken = [each for each in repeated if each[0] < each[1] - 8]
    shortened = len(heard.of(out.Compacted)) + len(heard.of(out.ResultsDropped))
    assert len(broken) <= shortened
    whole = [each for each in repeated if each not in broken]
    large = [same / after for same, _, after in whole if after > 60_000]
    assert min(large) >= 0.9
    share = sum(same for same, _, _ in whole) / sum(after for _, _, after in whole)
    assert share >= 0.95
    log.info("%d requests, %d times shortened between them", len(bodies), shortened)
    log.info("else %.1f %% of all bytes repeat the request before", 100 * share)
    log.info("at least %.1f %% of each request over 60 kB", 100 * min(large))


def check_facts(world: World, history: str, session_id: str) -> None:
    """Each fact is in the context, or found by the search that the model is told of."""
    assert "memory_search" in history
    notebook = Notebook.of(world.home, world.home.workspace)
    missing = []
    for number in range(0, TURNS, 10):
        hits = notebook.finder.search(f"access gate project {number}", 8).hits
        if fact(number) not in history and not any(fact(number)[:-1] in hit.text for hit in hits):
            missing.append(number)
    notebook.close()
    assert missing == []
    assert any(hit.path == session_id for hit in notebook.finder.search("project 10 kestrel-79190").hits)
    notebook.close()
