"""`helloclaw chat` and `ask`: conversations in the home workspace, from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helloclaw.workspace.names import NAMES
from tests.cli.conftest import Program
from tests.support.model_server import Call, ModelServer, Turn
from tests.support.pseudo_terminal import CTRL_D, PseudoTerminal

READ = Call(name="read_file", input={"path": "IDENTITY.md"})
NAME_IT = Call(
    name="edit_file", input={"path": "IDENTITY.md", "old_text": "_(pick one together)_", "new_text": "Pincer"}
)


def started(program: Program, *words: str, **environ: str) -> PseudoTerminal:
    return PseudoTerminal(program.command(*words), cwd=program.workdir, env=program.environ | environ)


def sent(server: ModelServer, index: int = -1) -> str:
    """All that the model was told, system prompt first."""
    body = server.posts[index].json
    return "\n".join(
        each["content"] if isinstance(each["content"], str) else json.dumps(each["content"], ensure_ascii=False)
        for each in body["messages"]
    )


def say(screen: PseudoTerminal, text: str, answer: str) -> str:
    screen.type(f"{text}\n")
    return screen.wait_for(f"{answer}\n> ")


def test_the_first_talk_ends_with_a_name(talking: Program, server: ModelServer) -> None:
    home = talking.home / "workspace"
    server.script(
        Turn(text="Hello! What shall I be called?"),
        Turn(calls=(READ,)),
        Turn(calls=(NAME_IT,)),
        Turn(text="Pincer it is."),
        Turn(text="Still Pincer."),
    )
    with started(talking, "chat") as screen:
        screen.wait_for("> ")
        say(screen, "hi", "called?")
        told = sent(server)
        assert {path.name for path in home.iterdir() if path.suffix == ".md"} == set(NAMES)
        assert told.index("## Your workspace") < told.index("## Getting started") < told.index("## Your identity")
        assert f"Working directory: {home}" in told
        screen.type("Pincer\n")
        screen.wait_for("180 s: ")
        screen.type("y\n")
        screen.wait_for("Pincer it is.\n> ")
        assert "- **Name:** Pincer\n" in (home / "IDENTITY.md").read_text()
        say(screen, "who are you?", "Still Pincer.")
        assert ("## Getting started" in sent(server), "**Name:** Pincer" in sent(server)) == (False, True)
        screen.type(CTRL_D)
        assert screen.wait_for_end() == 0
    assert {path.name for path in home.iterdir() if path.suffix == ".md"} == set(NAMES) - {"BOOTSTRAP.md"}


def test_a_name_given_in_passing_ends_the_introduction_too(talking: Program, server: ModelServer) -> None:
    home = talking.home / "workspace"
    server.script(Turn(calls=(READ,)), Turn(calls=(NAME_IT,)), Turn(text="Pincer."))
    assert talking("ask", "you are Pincer", "--allow", "Edit").out == "Pincer.\n"
    assert "## Getting started" not in sent(server)  # nobody is there to talk to
    assert {path.name for path in home.iterdir() if path.suffix == ".md"} == set(NAMES) - {"BOOTSTRAP.md"}


def test_an_edit_counts_from_the_next_message_on(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="One."), Turn(text="Two."))
    with started(talking, "chat") as screen:
        screen.wait_for("> ")
        say(screen, "a", "One.")
        (talking.home / "workspace" / "USER.md").write_text("- **Name:** Ada\n")
        say(screen, "b", "Two.")
    assert ("Ada" in sent(server, 0), "Ada" in sent(server)) == (False, True)


def test_in_chinese(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="你好。"))
    with started(talking, "chat", "--lang", "zh") as screen:
        screen.wait_for("> ")
        say(screen, "你好", "你好。")
    assert "## 初始化引导" in sent(server)
    assert "**名称：**" in (talking.home / "workspace" / "IDENTITY.md").read_text()


def test_in_another_directory(talking: Program, server: ModelServer) -> None:
    server.script(Turn(text="There."))
    with started(talking, "chat", "-w", str(talking.workdir)) as screen:
        screen.wait_for("> ")
        say(screen, "where?", "There.")
    assert f"Working directory: {talking.workdir}" in sent(server)


@pytest.mark.parametrize("words", [["chat"], ["ask", "-s"]])
def test_a_session_goes_on(talking: Program, server: ModelServer, words: list[str]) -> None:
    server.script(Turn(text="Hello Ada."), Turn(text="Ada."))
    session = json.loads(talking("ask", "I am Ada", "--json").out)["session_id"]
    if words == ["chat"]:
        with started(talking, "chat", "-s", session) as screen:
            screen.wait_for("> ")
            say(screen, "who am I?", "Ada.")
    else:
        assert talking("ask", "-s", session, "who am I?", "--no-stream").out == "Ada.\n"
    assert "I am Ada" in sent(server)


def test_no_such_session(talking: Program) -> None:
    for command in ("chat", "ask"):
        ended = talking(command, "-s", "zzzz", *(["hi"] if command == "ask" else []), stdin=b"hi\n")
        assert (ended.code, "zzzz" in ended.err) == (2, True)


def test_the_workspace_may_be_elsewhere(talking: Program, server: ModelServer, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    server.script(Turn(text="Here."))
    assert talking("ask", "where?", WORKSPACE_PATH=str(elsewhere)).out == "Here.\n"
    assert f"Working directory: {elsewhere}" in sent(server)
    assert (elsewhere / "IDENTITY.md").is_file()
    assert not (talking.home / "workspace" / "IDENTITY.md").exists()


def test_what_lies_where_the_person_stands_is_not_asked_about(talking: Program) -> None:
    (talking.workdir / ".hooks.json").write_text('{"hooks": {}}')
    talking("config", "set", "permissions.mode", "default")
    with started(talking, "chat", TERM="xterm") as screen:
        assert "workspace" in screen.wait_for("/help")
        assert ".hooks.json" not in screen.seen
    with started(talking, TERM="xterm") as screen:
        screen.wait_for(".hooks.json")
