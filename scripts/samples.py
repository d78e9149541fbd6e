"""The work of `scripts/samples`: one turn of a script and one question in the REPL, as Markdown.

Only directories, session ids and the model's words are of its own making; every other character is the program's.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support.model_server import Call, ModelServer, Turn
from tests.support.pseudo_terminal import CTRL_D, PseudoTerminal

ADD_PY = "def add(a, b):\n    return a - b\n"
TEST_PY = "from add import add\n\nassert add(2, 2) == 4, add(2, 2)\n"
READ = Call(name="read_file", input={"path": "add.py"})
EDIT = Call(name="edit_file", input={"path": "add.py", "old_text": "a - b", "new_text": "a + b"})


class Words(NamedTuple):
    """What the person and the model say, in one language."""

    run: str
    ran: str
    fix: str
    fixed: str


WORDS = {
    "en": Words(
        run="Does test_add.py pass?",
        ran="No. `add(2, 2)` gives 0: add.py subtracts where it should add.",
        fix="Fix it.",
        fixed="add.py adds now.",
    ),
    "zh": Words(
        run="test_add.py 能通过吗？",
        ran="不能。`add(2, 2)` 得到 0：add.py 该相加的地方写成了相减。",
        fix="修好它。",
        fixed="add.py 现在是相加了。",
    ),
}


def main() -> None:
    lang = sys.argv[1] if sys.argv[1:] else "en"
    if lang not in WORDS:
        sys.exit(f"samples: {lang!r} is not a language; choose one of {', '.join(WORDS)}")
    words = WORDS[lang]
    with tempfile.TemporaryDirectory() as scratch, ModelServer() as server:
        home, project = Path(scratch, "home"), Path(scratch, "project")
        home.mkdir()
        project.mkdir()
        (project / "add.py").write_text(ADD_PY)
        (project / "test_add.py").write_text(TEST_PY)
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "LC_ALL": {"en": "C.UTF-8", "zh": "zh_CN.UTF-8"}[lang],
            "LLM_BASE_URL": f"{server.base_url}/v1",
            "LLM_MODEL_ID": "scripted",
        }
        parts = [turn(server, words, project, environ), question(server, words, project, environ)]
    sys.stdout.write("\n".join(parts))


def turn(server: ModelServer, words: Words, project: Path, environ: dict[str, str]) -> str:
    """A turn without a person, whose command a rule lets pass."""
    server.script(Turn(calls=(Call(name="bash", input={"command": "python3 test_add.py"}),)), Turn(text=words.ran))
    arguments = ["-p", words.run, "--allow", "Bash(python3:*)"]
    done = subprocess.run(
        [helloclaw(), *arguments],
        cwd=project,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
        timeout=60,
    )
    return fenced(f"$ helloclaw -p {words.run!r} --allow 'Bash(python3:*)'\n{done.stdout}")


def question(server: ModelServer, words: Words, project: Path, environ: dict[str, str]) -> str:
    """A question in the REPL, answered with yes."""
    server.script(Turn(calls=(READ,)), Turn(calls=(EDIT,)), Turn(text=words.fixed))
    with PseudoTerminal([helloclaw()], cwd=project, env=environ, columns=96) as screen:
        screen.wait_for("> ")
        screen.type(f"{words.fix}\n")
        screen.wait_for("180 ")  # the end of the question: how long it waits
        screen.type("y\n")
        screen.wait_for(words.fixed)
        screen.wait_for("> ")
        screen.type(CTRL_D)
        screen.wait_for_end()
        shown = screen.seen
    return fenced(f"$ helloclaw\n{shown}")


def helloclaw() -> str:
    return str(Path(sys.executable).with_name("helloclaw"))


def fenced(screen: str) -> str:
    """What the screen showed, without what only a terminal understands."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x07", "", screen)
    lines = [re.sub(r"^.*\r", "", line.rstrip("\r")).rstrip() for line in plain.splitlines()]
    return "```\n" + "\n".join(lines).strip() + "\n```\n"


if __name__ == "__main__":
    main()
