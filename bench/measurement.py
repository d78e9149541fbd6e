"""Run each subject and collect samples: commands, a first turn, a long turn and its floor."""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from tests.support.model_server import ModelServer

from bench.measure import Sample, run
from bench.scripted import Conversation, listen_to
from bench.subjects import Place, Subject
from bench.venvs import ROOT

PASSED_ON = ("PATH", "LANG", "LC_ALL", "TERM", "SSL_CERT_FILE", "SSL_CERT_DIR")


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """A subject where it runs."""

    subject: Subject
    place: Place

    def command(self, words: Sequence[str]) -> list[str]:
        """With the program's full path in its venv."""
        return [str(self.place.venv / "bin" / words[0]), *words[1:]]

    def environment(self) -> dict[str, str]:
        """Only what a program needs; nothing of the person who measures."""
        passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        return passed | {"HOME": str(self.place.home)} | dict(self.subject.env(self.place))


class Measurement:
    """The samples of one `bench/run`."""

    def __init__(self, server: ModelServer, logs: Path, *, steps: int) -> None:
        self.values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.problems: list[str] = []
        self._server = server
        self._logs = logs
        self._steps = steps
        self._turns = 0

    def add(self, row: str, contestant: Contestant, value: float) -> None:
        self.values[row][contestant.subject.name].append(value)

    def command(self, row: str, contestant: Contestant, words: Sequence[str]) -> None:
        """Time a command that asks no model."""
        sample = self._run(contestant, contestant.command(words))
        if sample.exit_code:
            self._complain(contestant, " ".join(words), sample)
        else:
            self.add(row, contestant, sample.wall_s * 1000)

    def turn(self, contestant: Contestant, steps: int) -> tuple[Conversation, Sample] | None:
        """One headless turn with `steps` tool calls; None, and a complaint, if it did not go all the way."""
        conversation = Conversation(subject=contestant.subject, steps=steps)
        listen_to(conversation, self._server)
        self._turns += 1
        words = contestant.subject.turn(contestant.place, f"bench-{self._turns}")
        sample = self._run(contestant, contestant.command(words))
        if sample.exit_code or not conversation.is_complete:
            asked = f"a turn of {steps} steps (it asked the model {len(conversation.asked_at)} times)"
            self._complain(contestant, asked, sample)
            return None
        return conversation, sample

    def first_turn(self, contestant: Contestant) -> None:
        """A turn with one tool call, from start to exit."""
        if done := self.turn(contestant, 1):
            _, sample = done
            self.add("first_wall", contestant, sample.wall_s * 1000)
            self.add("first_cpu", contestant, sample.cpu_s * 1000)
            self.add("first_peak", contestant, sample.peak_mb)

    def long_turn(self, contestant: Contestant) -> None:
        """A turn with many tool calls, then the floor: its own requests sent by a bare client."""
        done = self.turn(contestant, self._steps)
        if done is None:
            return
        conversation, sample = done
        floor = Conversation(subject=contestant.subject, steps=self._steps)
        listen_to(floor, self._server)
        recorded = self._logs / "requests.jsonl"
        with recorded.open("w", encoding="utf-8") as out:
            for request in conversation.requests:
                out.write(json.dumps({"path": request.path, "body": request.raw.decode()}) + "\n")
        address = self._server.base_url.removeprefix("http://")
        command = [sys.executable, "-I", str(ROOT / "bench/floor.py"), address, str(recorded)]
        self._run(contestant, command)
        step, bare = mean(conversation.step_ms()), mean(floor.step_ms())
        self.add("step", contestant, step)
        self.add("floor", contestant, bare)
        self.add("overhead", contestant, step - bare)
        self.add("long_cpu", contestant, sample.cpu_s * 1000)
        self.add("long_peak", contestant, sample.peak_mb)

    def _run(self, contestant: Contestant, command: Sequence[str]) -> Sample:
        place = contestant.place
        sample = run(command, cwd=place.project, env=contestant.environment(), log=self._logs / "output.txt")
        self._server.requests.clear()
        return sample

    def _complain(self, contestant: Contestant, what: str, sample: Sample) -> None:
        last = "\n".join(sample.output.splitlines()[-8:])
        problem = f"{contestant.subject.name}: {what} failed with exit code {sample.exit_code}\n{last}"
        self.problems.append(problem)
        print(problem, file=sys.stderr)
