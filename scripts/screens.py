"""The README's pictures: the real program in a terminal of its own, with a model that says what it is told to.

`scripts/samples` writes them to docs/screens. Only the model's words and the project's files are made up.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support.model_server import Call, ModelServer, Turn
from tests.support.terminal_window import ENTER, TerminalWindow

from scripts.picture import picture

PRICES = "def total(prices):\n    result = 0\n    for price in prices:\n        result = price\n    return result\n"
READ = Call(name="read_file", input={"path": "prices.py"})
EDIT = Call(
    name="edit_file",
    input={"path": "prices.py", "old_text": "        result = price\n", "new_text": "        result += price\n"},
)
CHECK = Call(name="bash", input={"command": "python3 -c 'from prices import total; print(total([1, 2, 3]))'"})


class Words(NamedTuple):
    ask: str
    plan: str
    done: str
    explain: str
    answer: str
    file: str


WORDS = {
    "en": Words(
        ask="total([1, 2, 3]) gives 3. Why? Fix it.",
        plan="I'll look at the function first.",
        done="Fixed: the loop **replaced** `result` where it should have added to it. `total([1, 2, 3])` is 6 now.",
        explain="Compare the ways to sum a list",
        answer="""There are three common ways:

| way | speed | floats |
| --- | --- | --- |
| `sum(xs)` | fast | small errors add up |
| `math.fsum(xs)` | slower | exact |
| a loop | slow | small errors add up |

1. For whole numbers take `sum`.
2. For money, take whole cents:

```python
def total(prices: list[int]) -> int:
    \"\"\"Prices in cents.\"\"\"
    return sum(prices)
```
""",
        file="look at @pri",
    ),
    "zh": Words(
        ask="total([1, 2, 3]) 得到 3，为什么？修好它。",
        plan="我先看看这个函数。",
        done="修好了：循环里**覆盖**了 `result`，本该累加。现在 `total([1, 2, 3])` 是 6。",
        explain="比较一下求和的几种写法",
        answer="""常见的写法有三种：

| 写法 | 速度 | 浮点数 |
| --- | --- | --- |
| `sum(xs)` | 快 | 误差会累积 |
| `math.fsum(xs)` | 较慢 | 精确 |
| 循环 | 慢 | 误差会累积 |

1. 整数用 `sum`。
2. 金额用“分”做单位：

```python
def total(prices: list[int]) -> int:
    \"\"\"价格，单位为分。\"\"\"
    return sum(prices)
```
""",
        file="看看 @pri",
    ),
}


def main() -> None:
    target = Path(sys.argv[1] if sys.argv[1:] else "docs/screens")
    for lang, words in WORDS.items():
        for name, scene in SCENES.items():
            path = target / lang / f"{name}.svg"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(scene(lang, words), encoding="utf-8")
            print(path)


class Pictured(TerminalWindow):
    """A terminal that shows faint text grey, which the emulator leaves out."""

    def _take(self, data: bytes) -> None:
        super()._take(re.sub(rb"(\x1b\[|;)2(?=[;m])", rb"\g<1>90", data))


@contextmanager
def opened(lang: str, *turns: Turn, columns: int = 88, rows: int = 36) -> Iterator[TerminalWindow]:
    """The program in a new project, ready for typing."""
    with tempfile.TemporaryDirectory() as scratch, ModelServer() as server:
        home, project = Path(scratch), Path(scratch, "shop")
        project.mkdir()
        (project / "prices.py").write_text(PRICES)
        server.script(*turns)
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "LC_ALL": {"en": "C.UTF-8", "zh": "zh_CN.UTF-8"}[lang],
            "PYTHONUTF8": "1",
            "LLM_BASE_URL": f"{server.base_url}/v1",
            "LLM_MODEL_ID": "scripted",
        }
        program = str(Path(sys.executable).with_name("helloclaw"))
        command = [program, "--mode", "default"]
        with Pictured(command, cwd=project, env=environ, columns=columns, rows=rows) as window:
            window.until("❯")
            yield window


def settled(window: TerminalWindow) -> bool:
    return not any("Esc" in row and " · " in row for row in window.rows)


def question(lang: str, words: Words) -> str:
    turns = (Turn(text=words.plan, calls=(READ,)), Turn(calls=(EDIT,)))
    with opened(lang, *turns, rows=34) as window:
        window.type(words.ask + ENTER)
        window.until("Edit(prices.py)")
        window.until(lambda w: any(row.startswith("❯ 1.") for row in w.rows))
        return picture(window.screen, words.ask)


def fixed(lang: str, words: Words) -> str:
    turns = (
        Turn(text=words.plan, calls=(READ,)),
        Turn(calls=(EDIT,)),
        Turn(calls=(CHECK,)),
        Turn(text=words.done),
    )
    with opened(lang, *turns, rows=44) as window:
        window.type(words.ask + ENTER)
        for _ in range(2):
            window.until(lambda w: any(row.startswith("❯ 1.") for row in w.rows))
            window.until(lambda w: not any("moment" in row or "稍候" in row for row in w.rows))
            window.type("y")
            window.until(lambda w: not any(row.startswith("❯ 1.") for row in w.rows))
        window.until(lambda w: any("result" in row and "6" in row and "[1, 2, 3]" in row for row in w.rows[10:]))
        window.until(settled)
        return picture(window.screen, words.ask)


def answer(lang: str, words: Words) -> str:
    with opened(lang, Turn(text=words.answer), rows=38) as window:
        window.type(words.explain + ENTER)
        window.until("return sum(prices)")
        window.until(settled)
        return picture(window.screen, words.explain)


def narrow(lang: str, words: Words) -> str:
    with opened(lang, Turn(text=words.answer), columns=40, rows=46) as window:
        window.type(words.explain + ENTER)
        window.until("sum(prices)")
        window.until(settled)
        return picture(window.screen, words.explain)


def completion(lang: str, _: Words) -> str:
    with opened(lang, rows=18) as window:
        window.until(lambda w: any(row.startswith("❯") for row in w.rows))
        window.type("/re")
        window.until("/rewind")
        return picture(window.screen, "/re")


SCENES: dict[str, Callable[[str, Words], str]] = {
    "question": question,
    "fixed": fixed,
    "answer": answer,
    "narrow": narrow,
    "completion": completion,
}

if __name__ == "__main__":
    main()
