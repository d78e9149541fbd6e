"""`helloclaw sessions`."""

from __future__ import annotations

import json

import msgspec

from helloclaw.protocol.events import Event
from tests.cli.conftest import Ended, Program
from tests.support.model_server import Call, ModelServer, Turn


def talk(program: Program, server: ModelServer, question: str, answer: str) -> str:
    server.script(Turn(text=answer))
    return json.loads(program("-p", question, "--json").out)["session_id"]


def test_list_show_search_and_rm(talking: Program, server: ModelServer) -> None:
    assert talking("sessions") == Ended(0, "", "session: there is none yet\n")
    assert talking("sessions", "--json") == Ended(0, "[]\n", "")
    one = talk(talking, server, "我喜欢的颜色是什么?", "也许是蓝色。")
    two = talk(talking, server, "And the\nweather?", "Rain, \x1b[2Jno doubt.")
    code, text, _ = talking("sessions", "list")
    first, second = text.splitlines()
    assert (code, first.split()[0], second.split()[0]) == (0, two, one)
    assert ("And the weather?" in first, "我喜欢的颜色是什么?" in second) == (True, True)
    listed = json.loads(talking("sessions", "--json").out)
    assert [(row["id"], row["turns"], row["workdir"]) for row in listed] == [
        (two, 1, str(talking.workdir)),
        (one, 1, str(talking.workdir)),
    ]
    assert talking("sessions", "list", "--workdir", "/").out == ""
    assert talking("sessions", "show", two[:6]) == Ended(
        0, "## You\n\nAnd the\nweather?\n\n## HelloClaw\n\nRain, \\x1b[2Jno doubt.\n", ""
    )
    shown = json.loads(talking("sessions", "show", one, "--json").out)
    assert [event["type"] for event in shown][-1] == "round_end"
    found = talking("sessions", "search", "颜色").out.splitlines()
    assert (len(found), found[0].split()[0], found[1].strip()) == (2, one, "我喜欢的颜色是什么?")
    assert json.loads(talking("sessions", "search", "rain", "doubt", "--json").out)[0]["id"] == two
    assert talking("sessions", "search", "snow") == Ended(1, "", "session: none contains snow\n")
    assert talking("sessions", "rm", one) == Ended(0, f"Session {one} is removed.\n", "")
    gone = talking("sessions", "show", one)
    assert (gone.code, gone.out, one in gone.err) == (2, "", True)


def test_export(talking: Program, server: ModelServer) -> None:
    server.script(Turn(calls=(Call(name="read_file", input={"path": "a"}),)), Turn(text="<b>It says hi</b>"))
    (talking.workdir / "a").write_text("hi")
    session = json.loads(talking("-p", "read a", "--json").out)["session_id"]
    markdown = talking("sessions", "export", session).out
    assert ("**read_file(a)**" in markdown, markdown.endswith("<b>It says hi</b>\n")) == (True, True)
    page = talking("sessions", "export", session, "--format", "html", "--lang", "zh").out
    assert ("&lt;b&gt;It says hi" in page, "<h2>你</h2>" in page) == (True, True)
    lines = talking("sessions", "export", session, "--format", "jsonl").out.splitlines()
    events = [msgspec.json.decode(line, type=Event) for line in lines]
    assert {event.session_id for event in events} == {session}
    complaint = 'usage: --format "pdf" is not one of md | html | jsonl\n'
    assert talking("sessions", "export", session, "--format", "pdf") == Ended(2, "", complaint)


def test_a_file_that_is_no_journal_is_passed_over(talking: Program, server: ModelServer) -> None:
    session = talk(talking, server, "hi", "ho")
    sessions = talking.home / "workspace/sessions"
    (sessions / "broken.jsonl").write_bytes(b"\xff\xfe")
    (sessions / "future.jsonl").write_text('{"v":99,"id":"future"}\n')
    assert session in talking("sessions").out
    ended = talking("sessions", "show", "future")
    assert (ended.code, ended.out, ended.err.count("\n"), "99" in ended.err) == (1, "", 1, True)
