"""`bench/run`: set the subjects up, run them in turns (A B C A B C …), print the table, keep every sample as JSON."""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.support.model_server import ModelServer

from bench.measurement import Contestant, Measurement
from bench.report import Row, spread, table
from bench.scripted import note_name, note_text
from bench.subjects import HELLOCLAW, SUBJECTS, Place, Subject
from bench.venvs import ROOT, cache_dir, make_venv

MEMORY = Path("/dev/shm")


def rows(values: Mapping[str, Mapping[str, Sequence[float]]], steps: int) -> list[Row]:
    """What the table shows, in its order."""
    first_cpu, long_cpu = values.get("first_cpu", {}), values.get("long_cpu", {})
    step_cpu = {
        name: [(median(long) - median(first_cpu[name])) / (steps - 1)]
        for name, long in long_cpu.items()
        if first_cpu.get(name)
    }
    shown = [
        Row(title="`--help`", unit="ms", digits=0, values=values.get("help", {})),
        Row(title="`--version`", unit="ms", digits=0, values=values.get("version", {})),
        Row(title="first headless turn, wall", unit="ms", digits=0, values=values.get("first_wall", {})),
        Row(title="first headless turn, CPU", unit="ms", digits=0, values=first_cpu),
        Row(title="first headless turn, peak memory", unit="MB", digits=0, values=values.get("first_peak", {})),
        Row(title="one step, wall", unit="ms", digits=2, values=values.get("step", {})),
        Row(title="… the same requests from a bare client", unit="ms", digits=2, values=values.get("floor", {})),
        Row(title="… overhead of a step", unit="ms", digits=2, values=values.get("overhead", {})),
        Row(title="one step, CPU", unit="ms", digits=2, values=step_cpu),
        Row(title=f"peak memory after {steps} steps", unit="MB", digits=0, values=values.get("long_peak", {})),
    ]
    return [row for row in shown if any(row.values.values())]


def settle(subject: Subject, venv: Path, scratch: Path, base_url: str, steps: int) -> Contestant:
    """Make the subject's home, and a project with as many notes as it will read."""
    base = scratch / subject.name
    place = Place(venv=venv, home=base / "home", project=base / "project", base_url=base_url)
    for directory in (place.home, place.project / "notes"):
        directory.mkdir(parents=True)
    for step in range(steps):
        (place.project / note_name(step)).write_text(note_text(step))
    subject.prepare(place)
    return Contestant(subject=subject, place=place)


def measure(everyone: Sequence[Contestant], measurement: Measurement, runs: int) -> None:
    """Round after round, everyone in each. The first round is thrown away: it fills caches and makes first files."""
    for number in range(runs + 1):
        print(f"Round {number} of {runs}" if number else "Warming up", file=sys.stderr)
        for contestant in everyone:
            subject = contestant.subject
            if subject.help:
                measurement.command("help", contestant, subject.help)
            if subject.version:
                measurement.command("version", contestant, subject.version)
            measurement.first_turn(contestant)
            if number:
                measurement.long_turn(contestant)
        if number == 0:
            measurement.values.clear()


def chosen(only: Sequence[str]) -> list[Subject]:
    """Those whose name begins with one of `only`, or all; HelloClaw always, since the ratios are to it."""
    able = [subject for subject in SUBJECTS if MEMORY.is_dir() or not subject.in_memory]
    return [s for s in able if not only or s is HELLOCLAW or s.name.startswith(tuple(only))]


def describe(subjects: Sequence[Subject], runs: int, steps: int) -> str:
    """What was measured, on what, for the lines below the table."""
    machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    what = f"Medians of {runs} rounds; a step is one model answer and one tool call, {steps} in one turn. {machine}."
    lines = [what, ""]
    lines += [f"* **{s.name}** ({s.requirement or 'this checkout'}): {s.note}" for s in subjects]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/run", description="Measure HelloClaw against its peers.")
    parser.add_argument("--runs", type=int, default=7, help="rounds that count (default 7)")
    parser.add_argument("--steps", type=int, default=100, help="tool calls in a long turn (default 100)")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="only HelloClaw and this peer; repeatable"
    )
    options = parser.parse_args()
    subjects = chosen(options.only)
    started_at = time.time()
    cache_dir().mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        on_disk = Path(stack.enter_context(TemporaryDirectory(dir=cache_dir())))
        in_memory = Path(stack.enter_context(TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None)))
        server = stack.enter_context(ModelServer())
        everyone: list[Contestant] = []
        for subject in subjects:
            venv = make_venv(subject, started_at=started_at)
            scratch = in_memory if subject.in_memory else on_disk
            everyone.append(settle(subject, venv, scratch, server.base_url, options.steps))
        measurement = Measurement(server, on_disk, steps=options.steps)
        measure(everyone, measurement, options.runs)

    names = [subject.name for subject in subjects]
    result = rows(measurement.values, options.steps)
    print(table(result, names, against=HELLOCLAW.name))
    print(describe(subjects, options.runs, options.steps))
    save(measurement, result, options)
    return 1 if measurement.problems else 0


def save(measurement: Measurement, result: Sequence[Row], options: argparse.Namespace) -> None:
    """Keep every sample in bench/results/, and say how far they lie apart."""
    results = ROOT / "bench/results"
    results.mkdir(exist_ok=True)
    file = results / time.strftime("%Y%m%d-%H%M%S.json")
    data = {
        "command": ["bench/run", *sys.argv[1:]],
        "runs": options.runs,
        "steps": options.steps,
        "platform": platform.platform(),
        "python": platform.python_version(),
        "spread": {row.title: {name: spread(values) for name, values in row.values.items()} for row in result},
        "samples": measurement.values,
        "problems": measurement.problems,
    }
    file.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"Every sample is in {file.relative_to(ROOT)}.", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
