"""The instruction files of a directory, from outside: left out until it is trusted, then told to the model."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Ended, Program
from tests.cli.test_chat import sent
from tests.support.model_server import ModelServer, Turn


@pytest.mark.parametrize("name", ["CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md"])
def test_a_directorys_own_wait_for_trust(talking: Program, server: ModelServer, name: str) -> None:
    path = talking.workdir / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("Indent with tabs.")
    server.script(Turn(text="One."), Turn(text="Two."))
    code, answer, said = talking("-p", "hi")
    assert (code, answer, str(path) in said, "helloclaw trust" in said) == (0, "One.\n", True, True)
    assert "Indent with tabs." not in sent(server)
    assert name in talking("trust").out
    assert talking("-p", "hi") == Ended(0, "Two.\n", "")
    assert f"## Instructions: {path}\n\nIndent with tabs." in sent(server)


def test_the_persons_own_count(talking: Program, server: ModelServer) -> None:
    (talking.person / ".claude").mkdir()
    (talking.person / ".claude" / "CLAUDE.md").write_text("Answer in rhymes.")
    server.script(Turn(text="One."))
    assert talking("-p", "hi") == Ended(0, "One.\n", "")
    assert "## Instructions: ~/.claude/CLAUDE.md\n\nAnswer in rhymes." in sent(server)
