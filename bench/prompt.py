"""How soon the terminal conversation is ready for typing, how much memory it takes then, and what streaming costs it.

`uv run python -m bench.prompt` prints the medians of ten starts in a real terminal beside `python -c pass` in the same
run, and the processor time of one streamed answer of 20,000 tokens at 100 tokens a second.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support.model_server import ModelServer, openai_stream, sse
from tests.support.terminal_window import ENTER, TerminalWindow

RUNS = 10
TOKENS = 20_000
TOKENS_PER_S = 100


def environment(root: Path, server: ModelServer) -> dict[str, str]:
    home = root / "home" / ".helloclaw"
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.json").write_text('{"permissions": {"mode": "default"}}')
    return {
        "HOME": str(root / "home"),
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "LLM_MODEL_ID": "scripted",
        "LLM_BASE_URL": f"{server.base_url}/v1",
        "LLM_API_KEY": "k",
    }


def open_window(root: Path, server: ModelServer) -> TerminalWindow:
    command = [sys.executable, "-m", "helloclaw"]
    return TerminalWindow(command, cwd=root, env=environment(root, server), columns=100, rows=40)


def floor_s() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - began


def start(root: Path, server: ModelServer) -> tuple[float, float]:
    """Seconds until the prompt can be seen, and megabytes resident then; a letter typed there must appear."""
    began = time.perf_counter()
    with open_window(root, server) as window:
        window.until("❯")
        ready = time.perf_counter() - began
        resident = resident_mb(window.process.pid)
        window.type("x")
        window.until("❯ x")
    return ready, resident


def resident_mb(pid: int) -> float:
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    return int(fields["VmRSS"].split()[0]) / 1024


def answer(tokens: int) -> str:
    """About as many tokens of prose, lists and code, four characters each."""
    prose = "The **quick** brown fox jumps over `the` lazy dog, and then it rests for a while. " * 6
    code = "\n".join(f"def step_{n}(value: int) -> int:\n    return value + {n}" for n in range(12))
    items = "\n".join(f"* point {n} of what is to be said" for n in range(12))
    part = f"## A heading\n\n{prose}\n\n{items}\n\n```python\n{code}\n```\n\n"
    return (part * (tokens * 4 // len(part) + 1))[: tokens * 4]


def streaming_share(root: Path, server: ModelServer, tokens: int) -> float:
    """Processor seconds of the program for each second of a stream of one token every 10 ms."""
    body = openai_stream(answer(tokens), piece=4)
    pause_s = 1 / TOKENS_PER_S
    server.script(sse(body, chunk=len(body) // tokens + 1, pause_s=pause_s))
    with open_window(root, server) as window:
        window.until("❯")
        window.type(f"go{ENTER}")
        window.until("Answering")
        before, began = cpu_s(window.process.pid), time.perf_counter()
        window.until("ctx ", timeout_s=tokens * pause_s * 3 + 60)  # how full the context is, is known at the end
        return (cpu_s(window.process.pid) - before) / (time.perf_counter() - began)


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--tokens", type=int, default=TOKENS, help="length of the streamed answer; 0: none")
    options = parser.parse_args()
    with ModelServer() as server, tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        start(root, server)  # the first one compiles
        rounds = [(floor_s(), *start(root, server)) for _ in range(options.runs)]
        floor, ready, resident = (statistics.median(column) for column in zip(*rounds, strict=True))
        print(f"python -c pass   {floor * 1000:6.0f} ms")
        print(f"prompt ready     {ready * 1000:6.0f} ms   {ready / floor:.1f} times that")
        print(f"resident then    {resident:6.1f} MB")
        if options.tokens:
            print(f"streaming        {100 * streaming_share(root, server, options.tokens):6.1f} % of a core")


if __name__ == "__main__":
    main()
