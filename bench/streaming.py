"""What it costs to show an answer while it is written: CPU seconds for 20,000 tokens, and the part of one core at 100
tokens a second.

    python -m bench.streaming
    python -m bench.streaming --only "one code block" --depth none --width 40

Deltas have four characters, about a token. After every ten of them, a tenth of a second's worth, the open end is
painted, as the terminal does.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from helloclaw.repl.output.answer_stream import AnswerStream
from helloclaw.repl.output.painter import Painter
from helloclaw.repl.output.theme import Depth, palette_for

TOKENS = 20_000
CHARACTERS = 4 * TOKENS
TOKENS_PER_SECOND = 100
TAIL_EVERY = 10
TAIL_ROWS = 14

_ENGLISH = (
    "The parser reads **each line once** and hands out what can't change any more; `tail()` shows the rest. "
    "That keeps the cost in proportion to the length of the answer, however long it gets. "
)
_CHINESE = (
    "解析器把每一行**只读一次**，把不会再变的部分先交出去，其余的由 `tail()` 显示。"
    "这样，无论回答多长，开销都只与长度成正比。"
)
_CODE = '''def total(prices: list[float], rate: float = 0.19) -> float:
    """What all of it costs.

    Taxes are included.
    """
    return sum(price * (1 + rate) for price in prices)  # in euros

'''


class Cost(NamedTuple):
    cpu_s: float
    slowest_add_ms: float
    slowest_tail_ms: float
    rows: int


def paragraphs(sentences: str, many: int) -> Iterator[str]:
    while True:
        yield sentences * many + "\n\n"


def items(numbered: bool) -> Iterator[str]:
    for number in itertools.count(1):
        yield f"{number}. item number {number}\n" if numbered else f"- item **{number}**\n"


def nested() -> Iterator[str]:
    for number in itertools.count(1):
        yield f"{'  ' * (number % 8)}- item number {number} at its depth\n"


def table() -> Iterator[str]:
    yield "| Number | Name | 说明 | Price |\n|---:|---|---|---:|\n"
    for number in range(1, 501):
        yield f"| {number} | the *name* of {number} | 第 {number} 行 | {number * 1.5:.2f} |\n"
    yield "\n"
    yield from paragraphs(_ENGLISH, 3)


def fence(language: str) -> Iterator[str]:
    yield f"```{language}\n"
    yield from itertools.repeat(_CODE)


def html() -> Iterator[str]:
    yield "<table>\n"
    for number in itertools.count(1):
        yield f"<tr><td>{number}</td><td>the name of {number}</td></tr>\n"


def one_line(text: str) -> Iterator[str]:
    yield from itertools.repeat(text)


def quoted() -> Iterator[str]:
    while True:
        yield "> " + _ENGLISH + "\n"


KINDS: Mapping[str, Callable[[], Iterator[str]]] = {
    "English prose": lambda: paragraphs(_ENGLISH, 3),
    "Chinese prose": lambda: paragraphs(_CHINESE, 3),
    "one endless paragraph": lambda: one_line(_ENGLISH),
    "one code block": lambda: fence("python"),
    "unclosed fence, no language": lambda: fence(""),
    "code in a list item": lambda: itertools.chain(
        ["1. Like this:\n"], (f"   {line}\n" for text in fence("python") for line in text.splitlines())
    ),
    "one line of code": lambda: itertools.chain(["```js\n"], one_line("var a=[1,2,3];")),
    "500-row table": table,
    "list": lambda: items(numbered=False),
    "numbered list": lambda: items(numbered=True),
    "nested lists": nested,
    "HTML": html,
    "endless quotation": quoted,
    "emphasis never closed": lambda: one_line("**a *b _c [d `"),
}


def source_of(kind: str) -> str:
    text, parts = 0, list[str]()
    for part in KINDS[kind]():
        parts.append(part)
        text += len(part)
        if text >= CHARACTERS:
            break
    return "".join(parts)[:CHARACTERS]


def measure(source: str, painter: Painter) -> Cost:
    painter.markdown(f"warm **up**\n\n```python\npass\n```\n{source[:200]}")
    stream = AnswerStream(painter)
    adds, tails = [0.0], [0.0]
    rows = 0
    begin = time.process_time()
    for index, at in enumerate(range(0, len(source), 4), start=1):
        start = time.perf_counter()
        rows += stream.add(source[at : at + 4]).count("\n")
        adds.append(time.perf_counter() - start)
        if index % TAIL_EVERY == 0:
            start = time.perf_counter()
            stream.tail(TAIL_ROWS)
            stream.tail(TAIL_ROWS)
            tails.append(time.perf_counter() - start)
    rows += stream.end().count("\n")
    return Cost(time.process_time() - begin, max(adds) * 1000, max(tails) * 1000, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=list(KINDS))
    parser.add_argument("--depth", choices=["none", "16", "256", "truecolor"], default="256")
    parser.add_argument("--width", type=int, default=100)
    options = parser.parse_args()
    depth: Depth = options.depth
    print(f"{'answer':30} {'CPU s':>8} {'of a core':>10} {'slowest add':>12} {'slowest tail':>13} {'rows':>6}")
    for kind in [options.only] if options.only else KINDS:
        cost = measure(source_of(kind), Painter(options.width, depth, palette_for("auto", {})))
        share = cost.cpu_s / (TOKENS / TOKENS_PER_SECOND)
        print(
            f"{kind:30} {cost.cpu_s:8.2f} {share:10.1%} {cost.slowest_add_ms:9.1f} ms {cost.slowest_tail_ms:10.1f} ms"
            f" {cost.rows:6}"
        )


if __name__ == "__main__":
    main()
