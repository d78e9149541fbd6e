"""Starting costs little, and help is complete in both languages."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from helloclaw import __version__
from helloclaw.cli.grammar import COMMANDS, GLOBAL, HEADLESS, SESSION
from tests.cli.conftest import Ended, Program

HEAVY = {"msgspec", "asyncio", "httpx2", "tree_sitter", "logging", "dataclasses", "inspect", "socket", "subprocess"}


@pytest.mark.parametrize("words", [["--help"], ["sessions", "--help"], ["--version"], ["--bogus"], ["sesions"]])
def test_help_and_usage_errors_load_nothing_heavy(program: Program, words: list[str]) -> None:
    script = "import sys\nfrom helloclaw.cli.main import entry\nentry(sys.argv[1:])\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script, *words], env=program.environ, capture_output=True, text=True, check=True
    )
    assert set(done.stdout.splitlines()[-1].split()) & HEAVY == set()


@pytest.mark.alone
def test_help_costs_less_than_a_tenth_of_a_second_more_than_python(program: Program) -> None:
    def best(*command: str) -> float:
        """Seconds of processor time, which other work on the machine does not lengthen as it does waiting."""
        times: list[float] = []
        for _ in range(5):
            with subprocess.Popen(command, env=program.environ, stdout=subprocess.DEVNULL) as process:
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            times.append(used.ru_utime + used.ru_stime)
        return min(times)

    python = best(sys.executable, "-c", "pass")
    assert best(sys.executable, "-m", "helloclaw", "--help") < python + 0.1


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_help_names_every_command_and_option(program: Program, lang: str) -> None:
    code, text, problems = program("--help", "--lang", lang)
    assert (code, problems) == (0, "")
    options = [flag for option in (*GLOBAL, *SESSION, *HEADLESS) for flag in option.flags]
    ready = [command.name for command in COMMANDS if command.ready]
    assert [word for word in (*options, *ready) if word not in text] == []
    assert [command.name for command in COMMANDS if not command.ready and f"  {command.name} " in text] == []
    for command in ready:
        assert program(command, "--help", "--lang", lang).code == 0


@pytest.mark.parametrize(
    ("words", "environ", "chinese"),
    [
        (["--help"], {"LANG": "zh_CN.UTF-8"}, True),
        (["--help"], {"LC_ALL": "zh_CN.UTF-8"}, True),
        (["--help"], {}, False),
        (["--lang", "en", "--help"], {"LANG": "zh_CN.UTF-8"}, False),
        (["sessions", "--help", "--lang=zh"], {}, True),
    ],
)
def test_help_speaks_the_persons_language(
    program: Program, words: list[str], environ: dict[str, str], chinese: bool
) -> None:
    assert ("用法：" in program(*words, **environ).out) == chinese


def test_the_settings_language_goes_before_the_locale(program: Program) -> None:
    program.home.mkdir()
    config = program.home / "config.json"
    config.write_text('{"ui": {"lang": "zh"}}')
    assert "用法：" in program("--help").out
    config.write_text('{// mine\n"ui": {\n  "lang": "zh",\n}}')
    assert "用法：" in program("--help").out
    assert program("sesions").err == "用法：没有“sesions”这个命令；你是指“sessions”吗？\n"
    config.write_text("{broken")
    assert "Usage:" in program("--help").out


def test_version(program: Program) -> None:
    assert program("--version") == Ended(0, f"helloclaw {__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["sesions"], 'usage: "sesions" is not a command; did you mean "sessions"?'),
        (["a poem"], 'usage: "a poem" is not a command; see helloclaw --help; a prompt goes: helloclaw -p "…"'),
        (["--modle", "x"], 'usage: "--modle" is not an option; did you mean "--mode"?'),
        (["--zzz"], 'usage: "--zzz" is not an option; see helloclaw --help'),
        (["--model"], "usage: --model needs a value; see helloclaw --help"),
        (["--json=1"], "usage: --json takes no value"),
        (["sessions", "lst"], 'usage: sessions can\'t "lst"; did you mean "list"?'),
        (["sessions", "frob"], 'usage: sessions can\'t "frob"; it can: list show search export import rm'),
        (["sessions", "show"], "usage: ID is missing; see helloclaw sessions show --help"),
        (["sessions", "show", "a", "b"], 'usage: nothing expects "b" here; put a text of several words in quotes'),
        (["config", "set", "llm.stream"], "usage: VALUE is missing; see helloclaw config set --help"),
        (["-c", "sessions"], "usage: --continue means nothing to sessions; leave it out"),
        (["--output-format", "json"], "usage: --output-format needs -p"),
        (["-p", "x", "--output-format", "xml"], 'usage: --output-format "xml" is not one of text | json | stream-json'),
        (["-p", "hi", "--max-turns", "0"], 'usage: --max-turns "0" is not a whole number above 0'),
        (["-p", "hi", "--max-cost", "free"], 'usage: --max-cost "free" is not an amount above 0'),
        (["-p", "hi", "--mode", "yolo"], 'usage: --mode "yolo" is not one of default | plan | auto'),
        (["-p", "x", "--workdir", "/zz"], "usage: --workdir /zz is not a directory; create it or name another"),
        (["-p", "hi", "--fork"], "usage: --fork copies a session; say which with -r ID or -c"),
        (["-p", ""], "usage: the prompt is empty; say what you want"),
        (["-p", " \n"], "usage: the prompt is empty; say what you want"),
        (["-p"], "usage: the prompt is empty; say what you want"),
        (["ask", ""], "usage: the prompt is empty; say what you want"),
        (["-r", "-p", "hi"], "session: which one? -r ID; see them with: helloclaw sessions list"),
        (["--lang", "fr"], 'usage: --lang "fr" is not one of en | zh'),
        (["web"], "helloclaw: web is not available yet in this version"),
        (["web", "--json"], "helloclaw: web is not available yet in this version"),
        ([], 'repl: there is no terminal here; in a script use: helloclaw -p "PROMPT"'),
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_one_line_with_the_next_step(
    program: Program, words: list[str], complaint: str
) -> None:
    assert program(*words) == Ended(2, "", complaint + "\n")
