"""How well the embedded model does small jobs: tasks x runs through the real command line, judged by the outcome.

    python bench/local_model.py --runs 10
    python bench/local_model.py --runs 3 --tasks read,write_zh,run --command "helloclaw"

Each run is `helloclaw -p PROMPT` in a fresh directory with fixtures. A task passes when the answer, or the directory,
says what it should; nothing else is looked at. llama.cpp samples with a new seed each time.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

LIMIT_S = 600
_OPTIONS = (*("--model", "local", "--allow", "Bash", "--allow", "Edit"), *("--output-format", "json"))


@dataclass(frozen=True)
class Task:
    """`files` are laid out before; `passes(directory, answer)` judges."""

    prompt: str
    passes: Callable[[Path, str], bool]
    files: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Run:
    passed: bool
    seconds: float
    steps: int
    answer: str


def says(*words: str) -> Callable[[Path, str], bool]:
    return lambda _, answer: all(word.lower() in answer.lower() for word in words)


def holds(name: str, content: str) -> Callable[[Path, str], bool]:
    """The file is there and has this content, white space at the end aside."""
    return lambda directory, _: _content(directory / name).rstrip() == content.rstrip()


def _content(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else "\0"


TASKS: dict[str, Task] = {
    "read": Task(
        "What is in the file notes.txt?",
        says("whale", "150"),
        {"notes.txt": "The blue whale weighs 150 tonnes.\n"},
    ),
    "write_zh": Task("写一个文件 问候.txt，内容是“你好，世界”", holds("问候.txt", "你好，世界")),
    "run": Task(
        "Run the script hello.py and tell me what it prints.",
        says("462"),
        {"hello.py": 'print("The answer is", 6 * 7 * 11)\n'},
    ),
    "lines": Task(
        "How many lines does data.csv have?",
        says("37"),
        {"data.csv": "".join(f"{number},item{number}\n" for number in range(137, 174))},
    ),
    "find": Task(
        "Which file contains the word pineapple?",
        says("b.md"),
        {"a.txt": "apple\n", "docs/b.md": "I like pineapple pizza\n", "c.txt": "banana\n"},
    ),
    "replace": Task(
        "In config.ini, change the port from 8080 to 9090.",
        holds("config.ini", "[server]\nhost = localhost\nport = 9090\ndebug = false\n"),
        {"config.ini": "[server]\nhost = localhost\nport = 8080\ndebug = false\n"},
    ),
    "list": Task(
        "List the files in this directory.",
        says("alpha.txt", "beta.py", "gamma.md"),
        {"alpha.txt": "x\n", "beta.py": "x = 1\n", "gamma.md": "# x\n"},
    ),
    "sum": Task(
        "The file numbers.txt has one number per line. What is their sum?",
        says("218"),
        {"numbers.txt": "12\n7\n105\n33\n61\n"},
    ),
    "mkdir": Task(
        "Make a directory called reports and put a file summary.txt in it with the text: all good",
        holds("reports/summary.txt", "all good"),
    ),
    "plain": Task("What is the capital of France?", says("Paris")),
}

FURTHER: dict[str, Task] = {
    "read_zh": Task(
        "读一下 说明.md，告诉我密码是什么",
        says("tiger-42"),
        {"说明.md": "# 说明\n\n服务器的密码是 tiger-42。\n"},
    ),
    "write_and_run": Task(
        "Write a Python script fib.py that prints the first 10 Fibonacci numbers, run it, and show me the output.",
        lambda directory, answer: "34" in answer and (directory / "fib.py").is_file(),
    ),
    "define": Task(
        "Which file defines the function parse_date?",
        says("util.py"),
        {"src/util.py": "def parse_date(s):\n    return s\n", "src/main.py": "import util\nprint(1)\n"},
    ),
    "version": Task(
        "Change the version in package.json to 2.0.0",
        holds("package.json", '{\n  "name": "demo",\n  "version": "2.0.0"\n}'),
        {"package.json": '{\n  "name": "demo",\n  "version": "1.4.2"\n}\n'},
    ),
    "run_zh": Task("运行 run.sh，告诉我它输出了什么", says("369"), {"run.sh": 'echo "结果是 $((123*3))"\n'}),
    "json": Task(
        "What is the value of timeout in settings.json?",
        says("45"),
        {"settings.json": '{"retries": 3, "timeout": 45, "name": "x"}\n'},
    ),
    "count": Task(
        "How many .txt files are there in this folder?",
        lambda _, answer: "4" in answer or "four" in answer.lower(),
        {**{f"f{number}.txt": "x\n" for number in (1, 2, 3, 5)}, "a.md": "x\n"},
    ),
    "delete": Task(
        "Delete the file old.log",
        lambda directory, _: not (directory / "old.log").exists() and (directory / "new.log").exists(),
        {"old.log": "x\n", "new.log": "y\n"},
    ),
    "hello": Task("Hello! Who are you?", says("HelloClaw")),
    "explain_zh": Task("用一句话解释什么是递归", says("递归")),
    "todo": Task(
        "Create a file todo.md with three items: buy milk, call mom, write report",
        lambda directory, _: all(
            item in _content(directory / "todo.md").lower() for item in ("buy milk", "call mom", "write report")
        ),
    ),
    "bug": Task(
        "calc.py has a bug: add should return the sum. Fix it.",
        holds("calc.py", "def add(a, b):\n    return a + b\n\n\ndef mul(a, b):\n    return a * b\n"),
        {"calc.py": "def add(a, b):\n    return a - b\n\n\ndef mul(a, b):\n    return a * b\n"},
    ),
    "largest": Task(
        "Which file in this folder is the largest?",
        says("b.bin"),
        {"a.txt": "x" * 10, "b.bin": "x" * 5000, "c.txt": "x" * 300},
    ),
    "append": Task(
        "Add the line 'cherry' to the end of fruits.txt",
        holds("fruits.txt", "apple\nbanana\ncherry"),
        {"fruits.txt": "apple\nbanana\n"},
    ),
    "list_zh": Task("当前目录有哪些文件？", says("一.txt", "二.txt"), {"一.txt": "1\n", "二.txt": "2\n"}),
    "replace_zh": Task(
        "把 名单.txt 里的 张三 改成 李四",
        holds("名单.txt", "王五\n李四\n赵六\n"),
        {"名单.txt": "王五\n张三\n赵六\n"},
    ),
    "sum_zh": Task("计算 数字.txt 里所有数字的总和", says("60"), {"数字.txt": "10\n20\n30\n"}),
    "rename": Task(
        "Rename draft.txt to final.txt",
        lambda directory, _: _content(directory / "final.txt") == "text\n" and not (directory / "draft.txt").exists(),
        {"draft.txt": "text\n"},
    ),
    "first_line": Task(
        "What is the first line of poem.txt?",
        says("tiger", "burning"),
        {"poem.txt": "Tyger Tyger, burning bright: a tiger\nIn the forests of the night\n"},
    ),
    "words": Task(
        "How many words are in essay.txt?", says("9"), {"essay.txt": "one two three four\nfive six seven eight nine\n"}
    ),
}


OTHERS: dict[str, Task] = {
    "port": Task("Which port does the server in app.yaml use?", says("7070"), {"app.yaml": "name: x\nport: 7070\n"}),
    "python": Task("Which version of Python is installed here?", says("3.")),
    "poem": Task(
        "Write a short poem about rain into rain.txt",
        lambda directory, _: len(_content(directory / "rain.txt")) > 30,
    ),
    "todo_zh": Task(
        "新建 待办.md，写上三件事：买菜、跑步、读书",
        lambda directory, _: all(each in _content(directory / "待办.md") for each in ("买菜", "跑步", "读书")),
    ),
    "author": Task("Who wrote the novel 1984?", says("Orwell")),
    "multiply": Task("Use Python to compute 1234 * 5678.", says("7006652"), {}),
    "log": Task(
        "How many lines in server.log contain ERROR?",
        says("3"),
        {"server.log": "ok\nERROR a\nok\nERROR b\nwarn\nERROR c\n"},
    ),
    "max": Task("What is the largest number in values.txt?", says("981"), {"values.txt": "45\n981\n7\n310\n"}),
    "host": Task(
        "In settings.toml set debug to false.",
        holds("settings.toml", 'name = "x"\ndebug = false\nport = 1\n'),
        {"settings.toml": 'name = "x"\ndebug = true\nport = 1\n'},
    ),
    "copy": Task(
        "Copy a.txt to backup/a.txt",
        holds("backup/a.txt", "precious"),
        {"a.txt": "precious\n"},
    ),
    "function": Task(
        "What does the function area in shapes.py compute?",
        says("width", "height"),
        {"shapes.py": "def area(width, height):\n    return width * height\n"},
    ),
    "exists": Task("Is there a file named LICENSE here?", says("no"), {"README.md": "# x\n"}),
    "test": Task(
        "Run test_x.py with python and tell me if it passes.",
        says("pass"),
        {"test_x.py": "assert 1 + 1 == 2\nprint('all tests passed')\n"},
    ),
    "translate_zh": Task("把“早上好”翻译成英文", says("morning")),
    "greeting_py": Task(
        "Create hi.py that asks nothing and prints: Hi there",
        lambda directory, _: "Hi there" in _content(directory / "hi.py"),
    ),
    "rust": Task("What is the name field in Cargo.toml?", says("crab"), {"Cargo.toml": '[package]\nname = "crab"\n'}),
    "find_zh": Task(
        "哪个文件里提到了 北京？",
        says("行程.md"),
        {"行程.md": "周一：去北京\n", "日记.md": "今天在家\n"},
    ),
    "csv": Task(
        "In people.csv, how old is Bob?",
        says("52"),
        {"people.csv": "name,age\nAlice,31\nBob,52\nCarol,47\n"},
    ),
    "mkdirs": Task(
        "Create the directories src, tests and docs.",
        lambda directory, _: all((directory / each).is_dir() for each in ("src", "tests", "docs")),
    ),
    "error": Task(
        "Run broken.py. What goes wrong?",
        says("zero"),
        {"broken.py": "print(10 / 0)\n"},
    ),
}


def run_once(task: Task, command: Sequence[str], environ: Mapping[str, str]) -> Run:
    with tempfile.TemporaryDirectory(prefix="local-model-") as name:
        directory = Path(name)
        for path, content in task.files.items():
            (directory / path).parent.mkdir(parents=True, exist_ok=True)
            (directory / path).write_text(content, encoding="utf-8")
        began = time.monotonic()
        try:
            done = subprocess.run(
                [*command, "-p", task.prompt, *_OPTIONS],
                cwd=directory,
                env=environ,
                capture_output=True,
                encoding="utf-8",
                timeout=LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Run(passed=False, seconds=LIMIT_S, steps=0, answer=f"(no answer within {LIMIT_S} s)")
        seconds = time.monotonic() - began
        try:
            result = json.loads(done.stdout.splitlines()[-1])
        except (ValueError, IndexError):
            return Run(passed=False, seconds=seconds, steps=0, answer=(done.stdout + done.stderr).strip())
        return Run(
            passed=task.passes(directory, result["text"]),
            seconds=seconds,
            steps=result["steps"],
            answer=result["text"],
        )


def report(name: str, runs: Sequence[Run]) -> str:
    passed = sum(run.passed for run in runs)
    seconds = statistics.median(run.seconds for run in runs)
    steps = statistics.mean(run.steps for run in runs)
    return f"{name:<14} {passed:>3} / {len(runs):<3} {seconds:>7.1f} s {steps:>6.1f} steps"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    known = TASKS | FURTHER | OTHERS
    parser.add_argument("--runs", type=int, default=1, help="of each task")
    parser.add_argument("--tasks", help=f"comma-separated, of: {', '.join(known)} (default: the first ten)")
    parser.add_argument("--all", action="store_true", help="all tasks")
    parser.add_argument("--command", default=f"{sys.executable} -m helloclaw", help="how to start helloclaw")
    parser.add_argument("--home", type=Path, help="HELLOCLAW_HOME (default: the user's)")
    options = parser.parse_args()
    names = options.tasks.split(",") if options.tasks else list(known if options.all else TASKS)
    environ = os.environ | ({"HELLOCLAW_HOME": str(options.home)} if options.home else {})
    command = shlex.split(options.command)
    total = 0
    for name in names:
        runs = [run_once(known[name], command, environ) for _ in range(options.runs)]
        total += sum(run.passed for run in runs)
        print(report(name, runs), flush=True)
        for run in runs:
            if not run.passed:
                print(f"    {' '.join(run.answer.split())[:200]}", flush=True)
    print(f"{'all':<14} {total:>3} / {options.runs * len(names)}")
    return 0 if total >= 0.7 * options.runs * len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
